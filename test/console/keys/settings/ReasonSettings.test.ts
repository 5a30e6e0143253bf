import { assert, describe, it } from "@effect/vitest"
import { reasonChange, reasonTexts, suggestionsProblem } from "../../../../src/console/keys/settings/ReasonSettings.ts"

const loaded = reasonTexts({ required_reasons: ["license.revoked"], suggested_reasons: ["Refund"] })

describe("the form of reasons", () => {
  it("sends what was changed alone, so that the log tells of nothing else", () => {
    const ticked = { "device.reset": "yes" } as const
    assert.deepStrictEqual(reasonChange(ticked, { ...loaded, ...ticked }), {
      required_reasons: ["license.revoked", "device.reset"]
    })
    const written = { suggested: "Refund\n\n Prank call \nRefund" }
    assert.deepStrictEqual(reasonChange(written, { ...loaded, ...written }), {
      suggested_reasons: ["Refund", "Prank call"]
    })
  })

  it.each([
    ["", true],
    [Array.from({ length: 12 }, (_, at) => `reason ${at}`).join("\n"), true],
    [Array.from({ length: 13 }, (_, at) => `reason ${at}`).join("\n"), false],
    ["x".repeat(60), true],
    ["x".repeat(61), false]
  ])("says before it sends that %j is taken: %s", (text, isTaken) => {
    assert.strictEqual(suggestionsProblem(text) === undefined, isTaken)
  })
})
