import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { plainSha256 } from "../../../src/client/hashing/plainSha256.ts"
import { judgeReceipt } from "../../fixtures/VectorVerdicts.ts"
import { text, vectors } from "../../vectors/makeReceipts.ts"

describe("the published receipts", () => {
  it("are those that makeReceipts.ts makes", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../vectors/receipts.json"), "utf8"), text)
  })

  it.each(vectors.cases)("$name: $expected", async (one) => {
    assert.strictEqual(await judgeReceipt(vectors, one), one.expected)
    // As a browser verifies it.
    assert.strictEqual(await judgeReceipt(vectors, one, { sha256: plainSha256 }), one.expected)
  })
})
