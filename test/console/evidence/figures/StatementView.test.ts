import { assert, describe, it } from "@effect/vitest"
import { statementColumns } from "../../../../src/console/evidence/figures/StatementView.ts"

type Sums = Parameters<typeof statementColumns>[0][number]

const nothing: Sums = {
  product_id: "prod_1",
  feature_code: "render",
  opening: 0,
  given: 0,
  carried: 0,
  corrected: 0,
  refunded: 0,
  used: 0,
  ended: 0,
  revoked: 0,
  closing: 0,
  uses: 0,
  amount: 0,
  within_quota: 0,
  from_pools: 0,
  adjusted: 0
}

const titles = (features: ReadonlyArray<Partial<Sums>>, part: "balance" | "usage") =>
  statementColumns(features.map((sums) => ({ ...nothing, ...sums })), part).map(({ title }) => title)

describe("the columns of a statement", () => {
  it("are those that a reader misses, where nothing else has a figure", () => {
    for (const features of [[], [{}], [{}, {}]]) {
      assert.deepStrictEqual(titles(features, "balance"), ["Opening", "Given", "Used", "Ended", "Closing"])
      assert.deepStrictEqual(titles(features, "usage"), ["Usage events", "Amount", "Within quota", "From grants"])
    }
  })

  it("are all in their order where one of the features has a figure, below 0 too", () => {
    const some = [{ carried: 1, refunded: 2 }, { corrected: -1, revoked: 3, overage: 4 }, {
      from_pools: 5,
      adjusted: -6
    }]
    assert.deepStrictEqual(titles(some, "balance"), [
      "Opening",
      "Given",
      "Carried over",
      "Corrected",
      "Refunded",
      "Used",
      "Ended",
      "Revoked",
      "Closing"
    ])
    assert.deepStrictEqual(titles(some, "usage"), [
      "Usage events",
      "Amount",
      "Within quota",
      "From grants",
      "From pools",
      "Overage",
      "Correction"
    ])
  })

  it("have one that may be left out each for itself", () => {
    const optional = {
      balance: ["carried", "corrected", "refunded", "revoked"],
      usage: ["from_pools", "overage", "adjusted"]
    }
    for (const part of ["balance", "usage"] as const) {
      for (const name of optional[part]) {
        const columns = statementColumns([nothing, { ...nothing, [name]: 1 }], part)
        const names: ReadonlyArray<string> = columns.map((column) => column.name)
        assert.deepStrictEqual(names.filter((one) => optional[part].includes(one)), [name])
      }
    }
  })
})
