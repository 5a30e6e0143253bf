import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { ownUse, refundIssued } from "../../../../src/domain/licensing/grants/UsageRefund.ts"
import type { RefundableUse } from "../../../../src/domain/licensing/grants/UsageRefund.ts"
import { chance } from "../../../fixtures/Seeded.ts"

/** A use of ten: two over the quota, three of one grant, then one of another, and four of the quota. */
const use: RefundableUse = {
  amount: 10,
  overage: 2,
  refunded: 0,
  taken: [{ grant_id: "first", amount: 3 }, { grant_id: "last", amount: 1 }]
}

/** What a refund gives back, in short: the amount, the sum by then, and the units of grants. */
const back = (of: RefundableUse, asked?: number): string => {
  const { amount, grants, refunded } = Result.getOrThrow(refundIssued(of, asked))
  return [amount, refunded, ...grants.map((units) => `${units.amount} to ${units.grant_id}`)].join(", ")
}

const refused = (of: RefundableUse, asked?: number) => {
  const { error } = Result.getOrThrow(Result.flip(refundIssued(of, asked)))
  return error.detail ?? error.fields?.map(({ code, message }) => `${code} ${message}`).join()
}

describe("a refund of a use", () => {
  it("gives back what lay over the quota, then the grants, the last taken first, then the quota", () => {
    assert.strictEqual(back(use, 2), "2, 2")
    assert.strictEqual(back(use, 3), "3, 3, 1 to last")
    assert.strictEqual(back(use, 5), "5, 5, 1 to last, 2 to first")
    assert.strictEqual(back(use, 7), "7, 7, 1 to last, 3 to first")
    assert.strictEqual(back(use, 10), "10, 10, 1 to last, 3 to first")
  })

  it("is of all that is left where it says no amount", () => {
    assert.strictEqual(back(use), "10, 10, 1 to last, 3 to first")
    assert.strictEqual(back({ ...use, refunded: 4 }), "6, 10, 2 to first")
    assert.strictEqual(back({ ...use, refunded: 9 }), "1, 10")
  })

  it("is of no more than is left, and of nothing once all is refunded", () => {
    assert.strictEqual(back({ ...use, refunded: 4 }, 6), "6, 10, 2 to first")
    assert.include(refused({ ...use, refunded: 4 }, 7), "too_large")
    assert.include(refused({ ...use, refunded: 4 }, 7), "the 6 that")
    assert.strictEqual(refused({ ...use, refunded: 10 }), "refunded")
    assert.strictEqual(refused({ ...use, refunded: 10 }, 1), "refunded")
  })

  it("in parts comes to the same as one of the whole", () => {
    const { upTo } = chance("refunds in parts")
    const number = (most: number) => Math.floor(upTo(most + 1))
    for (let round = 0; round < 200; round++) {
      const taken = ["a", "b", "c"].slice(0, number(3)).map((grant_id) => ({ grant_id, amount: 1 + number(4) }))
      const overage = number(3)
      const amount = 1 + overage + taken.reduce((sum, one) => sum + one.amount, 0) + number(3)
      const sums = new Map(taken.map(({ grant_id }) => [grant_id, 0]))
      let refunded = 0
      while (refunded < amount) {
        const part = Result.getOrThrow(
          refundIssued({ amount, overage, taken, refunded }, 1 + number(amount - refunded - 1))
        )
        for (const one of part.grants) {
          assert.isAbove(one.amount, 0)
          sums.set(one.grant_id, sums.get(one.grant_id)! + one.amount)
        }
        refunded = part.refunded
      }
      assert.deepStrictEqual([...sums], taken.map((one) => [one.grant_id, one.amount]))
      assert.strictEqual(refunded, amount)
    }
  })
})

describe("a use that an app refunds", () => {
  const made = Date.UTC(2026, 2, 29)
  const window = (device_id: string | undefined, age: number) => {
    const found = ownUse(
      { ...(device_id === undefined ? {} : { device_id }), created_at: new Date(made).toISOString(), age },
      { deviceId: "dev_1", windowMinutes: 5 }
    )
    return Result.isSuccess(found) ? "may" : `${found.failure.error.code} ${found.failure.error.detail ?? ""}`.trim()
  }

  it("is one of its own device, within the window of the terms, and the refusal says when that ended", () => {
    assert.strictEqual(window("dev_1", 0), "may")
    assert.strictEqual(window("dev_1", 299_999), "may")
    assert.strictEqual(window("dev_1", 300_000), "REFUND_NOT_ALLOWED until 2026-03-29T00:05:00.000Z")
  })

  it("does not exist for it where another device made it, or none did", () => {
    assert.strictEqual(window("dev_2", 0), "NOT_FOUND")
    assert.strictEqual(window(undefined, 0), "NOT_FOUND")
  })
})
