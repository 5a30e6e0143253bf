import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { PublicKey } from "../../../src/client/notes/checkpoint.ts"
import { learn, trustOf, verifyingKeys, withLearned } from "../../../src/client/verify/KeyTrust.ts"
import type { LearnedKeys } from "../../../src/client/verify/KeyTrust.ts"
import { largeList, text, vectors } from "../../vectors/makeKeyLists.ts"

describe("the published lists of keys", () => {
  it("are those that makeKeyLists.ts makes", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../vectors/key-lists.json"), "utf8"), text)
  })

  it.each(vectors.cases)("$name: $expected", async ({ body, expected, learned, revoked, verify, ...given }) => {
    const pinned = given.pinned as ReadonlyArray<PublicKey>
    let [verdict, known] = ["learned", learned]
    try {
      known = await learn(body, pinned, learned)
    } catch (error) {
      verdict = (error as { readonly code: string }).code
    }
    assert.strictEqual(verdict, expected)
    const trust = await trustOf(pinned, known)
    const keys = verifyingKeys(trust).map(({ kid, public_key }) => [kid, public_key])
    assert.deepStrictEqual(
      Object.fromEntries(keys),
      Object.fromEntries(Object.entries(vectors.public_keys).filter(([kid]) => verify.includes(kid)))
    )
    const words = trust.keys.filter(({ status }) => status === "revoked").map(({ kid }) => kid)
    assert.deepStrictEqual(words, revoked)
  })

  it.each(vectors.kept)("$name: what was $stays stays", async ({ kept, learned, stays, ...given }) => {
    const pinned = given.pinned as ReadonlyArray<PublicKey>
    const had: LearnedKeys & { readonly other: number } = { other: 1, ...kept }
    const taught = await withLearned(pinned, had, learned)
    assert.deepStrictEqual(taught, { ...had, ...(stays === "kept" ? {} : learned) })
  })

  it("have 1,000 keys and signatures at most, and 1,000,000 characters", async () => {
    const verdictOf = (...list: Parameters<typeof largeList>) => {
      const { body, pinned } = largeList(...list)
      return learn(body, pinned as ReadonlyArray<PublicKey>, {}).then(
        ({ endorsement }) => endorsement === undefined ? "unsigned" : "learned",
        (error) => error.code
      )
    }
    assert.strictEqual(await verdictOf({ keys: 1000, signatures: 1000 }), "learned")
    assert.strictEqual(await verdictOf({ keys: 1001, signatures: 1 }), "malformed")
    assert.strictEqual(await verdictOf({ keys: 1, signatures: 1001 }), "malformed")
    assert.strictEqual(await verdictOf({ keys: 1000 }), "unsigned")
    assert.strictEqual(await verdictOf({ keys: 1001 }), "malformed")
    assert.strictEqual(await verdictOf({ keys: 1, signatures: 1, spaces: 1_000_000 }), "malformed")
  })

  it("cost one look at each key's signature and one canonical text, however many there are", async () => {
    // Three thousand would be refused unread; these all go by the name of the shipped key, and none verifies.
    const { body, pinned } = largeList({ keys: 1000, signatures: 1000, isForged: true })
    const { verify } = crypto.subtle
    let verified = 0
    crypto.subtle.verify = (...given) => {
      verified += 1
      return verify.apply(crypto.subtle, given)
    }
    try {
      const refused = await learn(body, pinned as ReadonlyArray<PublicKey>, {}).catch((error) => error)
      assert.strictEqual(refused.code, "unknown_key")
    } finally {
      crypto.subtle.verify = verify
    }
    assert.strictEqual(verified, 1)
  })
})
