import { assert, describe, it } from "@effect/vitest"
import { Environment, LogLevel, Paddle } from "@paddle/paddle-node-sdk"
import { Result } from "effect"
import { createHmac } from "node:crypto"
import { Stripe } from "stripe"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import {
  signatureHeaders,
  toleranceSeconds,
  verifySignature
} from "../../../../src/domain/sales/providers/ProviderSignature.ts"
import type { BytesHmac, SignedRequest } from "../../../../src/domain/sales/providers/ProviderSignature.ts"

const hmac: BytesHmac = (key, data) => createHmac("sha256", key).update(data).digest()
const utf8 = (text: string) => new TextEncoder().encode(text)

const seconds = 1_795_000_000
const now = seconds * 1000 + 500
const body = utf8(`{"id":"evt_1","name":"Zoë 😀"}`)

const stripe = new Stripe("sk_test_none")
const paddle = new Paddle("none", { environment: Environment.sandbox, logLevel: LogLevel.none })

const verdict = (provider: Provider, header: string | undefined, others: Partial<SignedRequest> = {}) =>
  Result.match(
    verifySignature(provider, {
      headers: { [signatureHeaders[provider]]: header },
      body,
      secrets: ["whsec_now"],
      now,
      ...others
    }, hmac),
    { onFailure: ({ code }) => code, onSuccess: () => "accepted" as const }
  )

const bySdk = (secret: string, timestamp = seconds, payload = new TextDecoder().decode(body)) =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })

describe("a signature of Stripe", () => {
  it("by the official package is accepted, under each live secret", () => {
    const v1 = (secret: string) => bySdk(secret).split(",")[1]
    const both = `t=${seconds},${v1("whsec_old")},${v1("whsec_now")}`
    assert.strictEqual(verdict("stripe", bySdk("whsec_now")), "accepted")
    assert.strictEqual(verdict("stripe", bySdk("whsec_old"), { secrets: ["whsec_now", "whsec_old"] }), "accepted")
    assert.strictEqual(verdict("stripe", both), "accepted")
    assert.strictEqual(verdict("stripe", `t=${seconds},${v1("whsec_now")},${v1("whsec_old")},v0=00`), "accepted")
  })

  it("is refused where the official package refuses it, and for a time ahead, which that accepts", () => {
    const judgedBySdk = (header: string, at: number) => {
      try {
        return stripe.webhooks.signature!.verifyHeader(
          new TextDecoder().decode(body),
          header,
          "whsec_now",
          toleranceSeconds,
          undefined,
          at
        )
      } catch {
        return false
      }
    }
    const rows = [
      [bySdk("whsec_now"), "accepted", true],
      [bySdk("whsec_now", seconds - toleranceSeconds), "accepted", true],
      [bySdk("whsec_now", seconds - toleranceSeconds - 1), "signature_too_old", false],
      [bySdk("whsec_now", seconds + toleranceSeconds), "accepted", true],
      [bySdk("whsec_now", seconds + 3600), "signature_in_future", true],
      [bySdk("whsec_other"), "signature_mismatch", false],
      [bySdk("whsec_now", seconds, `${new TextDecoder().decode(body)} `), "signature_mismatch", false],
      [bySdk("whsec_now").replace("v1=", "v0="), "signature_malformed", false],
      [`t=${seconds},v1=zz`, "signature_malformed", false],
      ["v1", "signature_malformed", false]
    ] as const
    for (const [header, expected, sdk] of rows) {
      assert.strictEqual(verdict("stripe", header), expected, header)
      assert.strictEqual(judgedBySdk(header, now), sdk, header)
    }
  })

  it("covers the raw bytes, with a byte order mark and with what is no UTF-8", () => {
    for (const bytes of [new Uint8Array([0xef, 0xbb, 0xbf, ...body]), new Uint8Array([...body, 0xff])]) {
      const signed = createHmac("sha256", "whsec_now").update(`${seconds}.`).update(bytes).digest("hex")
      assert.strictEqual(verdict("stripe", `t=${seconds},v1=${signed}`, { body: bytes }), "accepted")
    }
  })

  it("needs one time", () => {
    const [, v1] = bySdk("whsec_now").split(",")
    assert.strictEqual(verdict("stripe", v1), "signature_malformed")
    assert.strictEqual(verdict("stripe", `t=${seconds},t=${seconds},${v1}`), "signature_malformed")
    assert.strictEqual(verdict("stripe", `t=-1,${v1}`), "signature_malformed")
  })
})

const byRule = (secret: string, timestamp = seconds) =>
  createHmac("sha256", secret).update(`${timestamp}:`).update(body).digest("hex")

describe("a signature of Paddle", () => {
  it("is accepted with each of several h1, in either order", () => {
    const [good, other] = [byRule("whsec_now"), byRule("whsec_other")]
    for (const header of [`h1=${good}`, `h1=${other};h1=${good}`, `h1=${good};h1=${other}`]) {
      assert.strictEqual(verdict("paddle", `ts=${seconds};${header}`), "accepted")
    }
    assert.strictEqual(verdict("paddle", `ts=${seconds};h1=${other}`), "signature_mismatch")
    assert.strictEqual(
      verdict("paddle", `ts=${seconds - 301};h1=${byRule("whsec_now", seconds - 301)}`),
      "signature_too_old"
    )
  })

  it("by the rule is one to the official package", async () => {
    const fresh = Math.floor(Date.now() / 1000)
    const header = `ts=${fresh};h1=${byRule("whsec_now", fresh)}`
    assert.isTrue(await paddle.webhooks.isSignatureValid(new TextDecoder().decode(body), "whsec_now", header))
    assert.strictEqual(verdict("paddle", header, { now: fresh * 1000 }), "accepted")
  })
})

describe("the credential of providers that sign no time", () => {
  const digest = createHmac("sha256", "whsec_now").update(body).digest()

  it("is hexadecimal for Lemon Squeezy, and base64 for FastSpring", () => {
    assert.strictEqual(verdict("lemon_squeezy", digest.toString("hex")), "accepted")
    assert.strictEqual(verdict("lemon_squeezy", digest.toString("base64")), "signature_malformed")
    assert.strictEqual(verdict("lemon_squeezy", digest.toString("hex"), { body: utf8("{}") }), "signature_mismatch")
    assert.strictEqual(verdict("fastspring", digest.toString("base64")), "accepted")
    assert.strictEqual(verdict("fastspring", digest.toString("hex")), "signature_malformed")
    assert.strictEqual(verdict("fastspring", digest.toString("base64"), { secrets: ["other"] }), "signature_mismatch")
  })

  it("is a user and a password for Chargebee, of which the password may hold a colon", () => {
    const secrets = ["hook:pass:word"]
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
    assert.strictEqual(verdict("chargebee", basic("hook:pass:word"), { secrets }), "accepted")
    assert.strictEqual(verdict("chargebee", basic("hook:pass"), { secrets }), "signature_mismatch")
    assert.strictEqual(verdict("chargebee", "Bearer hook:pass:word", { secrets }), "signature_malformed")
  })

  it("is refused with its reason where there is none, or no secret to judge it by", () => {
    for (const provider of Object.keys(signatureHeaders) as ReadonlyArray<Provider>) {
      assert.strictEqual(verdict(provider, undefined), "signature_missing")
      assert.strictEqual(verdict(provider, "x", { secrets: [] }), "no_secret")
      assert.strictEqual(verdict(provider, "x".repeat(5000)), "signature_malformed")
    }
  })
})
