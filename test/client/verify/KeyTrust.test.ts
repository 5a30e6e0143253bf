import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { learn, trustOf, verifyingKeys } from "../../../src/client/verify/KeyTrust.ts"
import type { PublicKey } from "../../../src/client/verify/signature.ts"
import { text, vectors } from "../../vectors/makeKeyLists.ts"

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
})
