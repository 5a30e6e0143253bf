import { assert, describe, it } from "@effect/vitest"
import { longestReason, withUsual } from "../../../../src/console/ground/design/Reason.ts"

const usual = ["Refund", "Chargeback"]

describe("a usual reason", () => {
  it.each([
    ["", "Refund", "Refund"],
    ["Refund", "Chargeback", "Chargeback"],
    ["Refund", "Refund", ""],
    ["in_77", "Refund", "Refund: in_77"],
    ["Refund: in_77", "Chargeback", "Chargeback: in_77"],
    ["Refund: in_77", "Refund", "in_77"],
    ["Refunded by hand", "Refund", "Refund: Refunded by hand"]
  ])("%j with %s is %j", (reason, chosen, expected) => {
    assert.strictEqual(withUsual(reason, chosen, usual), expected)
  })

  it("leaves a reason within its length", () => {
    assert.lengthOf(withUsual("x".repeat(longestReason), "Refund", usual), longestReason)
  })
})
