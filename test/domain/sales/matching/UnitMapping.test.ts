import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { UnitMappingInput, unitsFor, withSince } from "../../../../src/domain/sales/matching/UnitMapping.ts"
import type { UnitMapping } from "../../../../src/domain/sales/matching/UnitMapping.ts"

const entry = (more: Partial<UnitMapping> = {}): UnitMapping => ({
  by: "price",
  value: "price_1",
  feature_id: "feat_1",
  amount: 10,
  ...more
})

describe("entries of units", () => {
  it("give an item each feature once, by the narrowest entry", () => {
    const byProduct = entry({ by: "product", value: "prod_1", amount: 1 })
    const other = entry({ by: "product", value: "prod_1", feature_id: "feat_2" })
    const item = { price: "price_1", product: "prod_1", quantity: 1 }
    assert.deepStrictEqual(unitsFor([byProduct, other, entry()], item, {}), [entry(), other])
    assert.deepStrictEqual(unitsFor([entry()], { price: "price_2", quantity: 1 }, {}), [])
    assert.deepStrictEqual(unitsFor(undefined, item, {}), [])
  })

  it("say from when they give units: when they were added, unless they say it", () => {
    const said = entry({ since: "2026-01-01T00:00:00.000Z" })
    const [now, before] = ["2026-03-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"]
    const since = (units: ReadonlyArray<UnitMapping>, had?: ReadonlyArray<UnitMapping>) =>
      withSince(units, had, now)?.map((one) => one.since)
    assert.deepStrictEqual(since([entry(), said]), [now, said.since])
    assert.deepStrictEqual(since([entry({ amount: 99 })], [entry({ since: before })]), [before])
    assert.deepStrictEqual(since([entry({ value: "price_2" })], [entry({ since: before })]), [now])
    // What finds by something else, or sells another feature, is another entry.
    for (const other of [{ by: "product" as const }, { feature_id: "feat_2" }]) {
      assert.deepStrictEqual(since([entry(other)], [entry({ since: before })]), [now])
    }
    assert.deepStrictEqual(since([entry()], [entry({ since: before }), entry({ since: said.since! })]), [before])
    assert.deepStrictEqual(since([entry()], [entry()]), [now])
    assert.isUndefined(withSince(undefined, undefined, now))
  })

  it("end after a duration, and give at least one unit", () => {
    const isValid = (more: object) =>
      Result.isSuccess(
        Schema.decodeUnknownResult(UnitMappingInput)({
          ...entry(),
          feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
          ...more
        })
      )
    assert.isTrue(isValid({ expires_after: "P1Y" }))
    assert.isTrue(isValid({ to: "customer", max_per_license: 5 }))
    assert.isFalse(isValid({ expires_after: "a year" }))
    assert.isFalse(isValid({ amount: 0 }))
  })
})
