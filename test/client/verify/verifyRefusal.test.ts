import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { judgeRefusal } from "../../fixtures/VectorVerdicts.ts"
import { text, vectors } from "../../vectors/makeRefusals.ts"

describe("the published refusals", () => {
  it("are those that makeRefusals.ts makes", () => {
    assert.strictEqual(readFileSync(join(import.meta.dirname, "../../vectors/refusals.json"), "utf8"), text)
  })

  it.each(vectors.cases)("$name: $expected", async (one) => {
    assert.strictEqual(await judgeRefusal(vectors, one), one.expected)
  })
})
