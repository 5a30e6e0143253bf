import { assert, describe, it } from "@effect/vitest"
import { amountOf, amountText } from "../../../src/client/transport/Amounts.ts"

describe("amounts of a feature with decimal places", () => {
  it("are the same number of steps after they were text, to the last step", () => {
    const limit = Number.MAX_SAFE_INTEGER
    for (let decimals = 0; decimals <= 6; decimals++) {
      for (const amount of [0, 1, 9, 10, 150, 999_999, 1_000_000, 1_000_001, limit - 1, limit]) {
        for (const signed of [amount, amount === 0 ? 0 : -amount]) {
          assert.strictEqual(amountOf(amountText(signed, decimals), decimals), signed, `${signed} with ${decimals}`)
        }
      }
    }
  })

  it.each([
    [150, 2, "1.50"],
    [-5, 2, "-0.05"],
    [0, 3, "0.000"],
    [7, 0, "7"],
    [Number.MAX_SAFE_INTEGER, 6, "9007199254.740991"]
  ])("%d with %d places reads %s", (amount, decimals, text) => {
    assert.strictEqual(amountText(amount, decimals), text)
  })

  it.each([
    ["1.5", 2, 150],
    [" 2 ", 2, 200],
    ["0.250", 2, 25],
    ["-0", 1, 0],
    ["1.005", 2, undefined],
    ["1.5", 0, undefined],
    ["1.0", 0, 1],
    ["", 2, undefined],
    [".5", 2, undefined],
    ["1,5", 2, undefined],
    ["1e3", 2, undefined],
    ["9007199254740992", 0, undefined],
    ["90071992547409.92", 2, undefined]
  ])("%s with %d places is %s", (text, decimals, amount) => {
    assert.strictEqual(amountOf(text, decimals), amount)
  })
})
