import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { plainSha256 } from "../../../src/client/hashing/plainSha256.ts"
import { followLogKeys, verifyCheckpoint } from "../../../src/client/verify/index.ts"
import { text, vectors } from "../../vectors/makeLogKeys.ts"

describe("the published proofs about the keys of a log", () => {
  it("are those that makeLogKeys.ts makes", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../vectors/log-keys.json"), "utf8"), text)
  })

  it.each(vectors.cases)("$name: $expected", async ({ expected, keys: { data, revoked }, proofs, trusted }) => {
    for (const options of [{}, { sha256: plainSha256 }]) {
      const found = await followLogKeys({ proofs, publicKeys: data, revokedKeys: revoked, ...options })
      if (!found.ok) {
        assert.deepStrictEqual([found.fault, found.proof], [expected, proofs.length - 1] as const)
        continue
      }
      assert.strictEqual(expected, "verified")
      assert.deepStrictEqual(found.publicKeys.map(({ kid }) => kid).toReversed(), trusted)
    }
  })

  it.each(vectors.notes)("a checkpoint $name: $expected", async ({ expected, note }) => {
    const { keys, proofs } = vectors.cases[0]!
    const followed = await followLogKeys({ proofs, publicKeys: keys.data })
    assert.isTrue(followed.ok)
    const verdict = await verifyCheckpoint({ note, publicKeys: followed.ok ? followed.publicKeys : [] })
    assert.strictEqual(verdict.ok ? "verified" : verdict.fault, expected)
  })
})
