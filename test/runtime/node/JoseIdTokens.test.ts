// ID tokens of identity providers that licenses trust, as providers write them: the same rule as for people who sign in to the console.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { layer } from "../../../src/runtime/node/JoseIdTokens.ts"
import { IdTokens } from "../../../src/services/licensing/users/IssuerKeys.ts"
import type { KeySet } from "../../../src/services/licensing/users/IssuerKeys.ts"

const [older, newer, unpublished] = await Promise.all([1, 2, 3].map(() => generateKeyPair("RS256")))
const jwk = async (pair: typeof older, kid: string): Promise<KeySet["keys"][number]> => ({
  ...await exportJWK(pair!.publicKey),
  kty: "RSA",
  use: "sig",
  kid
})
const keys: KeySet = { keys: [await jwk(older, "older"), await jwk(newer, "newer")] }

const expected = { keys, issuer: "https://login.example.com", audience: "acme", nonce: undefined }
const now = () => Math.floor(Date.now() / 1000)

/** Verifies a token with these claims, which names no key unless it is told one. */
const verify = (claims: object, by = newer, kid?: string) =>
  Effect.gen(function*() {
    const token = yield* Effect.promise(() =>
      new SignJWT({ iss: expected.issuer, aud: expected.audience, sub: "1", iat: now(), exp: now() + 60, ...claims })
        .setProtectedHeader({ alg: "RS256", ...(kid === undefined ? {} : { kid }) }).sign(by!.privateKey)
    )
    const verified = yield* Effect.result((yield* IdTokens).verify(token, expected))
    return Result.isSuccess(verified) ? verified.success : verified.failure.fault
  }).pipe(Effect.provide(layer))

describe("an ID token that names no key", () => {
  it.effect("is good by each of two keys that its provider publishes, and by no other one", () =>
    Effect.gen(function*() {
      for (const by of [older, newer]) assert.deepInclude(yield* verify({}, by), { subject: "1" })
      assert.strictEqual(yield* verify({}, unpublished), "signature")
      assert.strictEqual(yield* verify({}, unpublished, "newer"), "signature")
      assert.strictEqual(yield* verify({}, newer, "another"), "unknown_key")
      assert.strictEqual(yield* verify({ aud: "another" }), "audience")
    }))
})

describe("the clock of a provider", () => {
  it.effect("may differ by a minute, and not by more", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* verify({ iat: now() + 35, nbf: now() + 35 }), { subject: "1" })
      assert.deepInclude(yield* verify({ exp: now() - 35 }), { subject: "1" })
      assert.strictEqual(yield* verify({ nbf: now() + 90 }), "not_yet_valid")
      assert.strictEqual(yield* verify({ iat: now() + 90 }), "not_yet_valid")
      assert.strictEqual(yield* verify({ exp: now() - 90 }), "expired")
    }))
})

describe("an address", () => {
  it.effect.each(
    [
      [true, true],
      ["true", true],
      ["false", false],
      [false, false],
      [undefined, false],
      [1, false]
    ] as const
  )("whose email_verified is %j is verified: %j", ([email_verified, isVerified]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* verify({ email: "ada@example.com", email_verified }), { isVerified })
    }))
})
