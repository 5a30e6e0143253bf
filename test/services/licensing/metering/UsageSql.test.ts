import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { EffectiveFeature } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import {
  insertCounters,
  updateConsumptions,
  updateCounters
} from "../../../../src/services/licensing/metering/UsageSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const begun = Date.UTC(2026, 2, 1)

const world = Effect.gen(function*() {
  const { first } = yield* Workers
  const rows = makeRows(first)
  const license_id = yield* rows.license()
  const [license] = yield* first<{ readonly product_id: string }>`
    SELECT product_id FROM licenses WHERE id = ${license_id}`
  const feature_id = `feat_of_${license_id}`
  yield* rows.insert("features", {
    id: feature_id,
    product_id: license!.product_id,
    code: "f",
    name: "F",
    metadata: first`'{}'`
  })
  const counter = (total: number, consumed: number, periodStart?: number) => ({
    license_id,
    feature_id,
    after: { total, consumed, periodStart, announced: 0, announcedRemaining: Infinity } as EffectiveFeature
  })
  const stored = Effect.map(
    first`
      SELECT enabled, is_counter, total_consumptions, period_start, period_consumptions FROM license_features
      WHERE license_id = ${license_id}`,
    ([row]) => row
  )
  return { counter, first, license_id, rows, stored }
})

describe("the statements of uses", () => {
  layer(Workers.layer)((it) => {
    it.effect("the first use of what a policy grants begins a counter, with its period if it has one", () =>
      Effect.gen(function*() {
        for (const [periodStart, expected] of [[begun, [new Date(begun), 2n]], [undefined, [null, null]]] as const) {
          const { counter, first, stored } = yield* world
          yield* insertCounters(first, [counter(3, 2, periodStart)])
          assert.deepStrictEqual(yield* stored, {
            enabled: true,
            is_counter: true,
            total_consumptions: 3n,
            period_start: expected[0],
            period_consumptions: expected[1]
          })
        }
      }))

    it.effect("a counter keeps what was counted in its last period when the quota has none any more", () =>
      Effect.gen(function*() {
        const { counter, first, stored } = yield* world
        yield* insertCounters(first, [counter(3, 2, begun)])
        yield* updateCounters(first, [counter(9, 9)])
        assert.deepInclude(yield* stored, {
          total_consumptions: 9n,
          period_start: new Date(begun),
          period_consumptions: 2n
        })
        yield* updateCounters(first, [counter(10, 1, begun + 1)])
        assert.deepInclude(yield* stored, { period_start: new Date(begun + 1), period_consumptions: 1n })
      }))

    it.effect("the uses of a license are added up to the largest number that JSON reads exactly", () =>
      Effect.gen(function*() {
        const { first, license_id, rows } = yield* world
        const other = yield* rows.license({ total_consumptions: 5 })
        yield* updateConsumptions(first, new Map([[license_id, 2n ** 53n], [other, 7n]]))
        const found = yield* first`
          SELECT id, total_consumptions FROM licenses WHERE id IN (${license_id}, ${other}) ORDER BY id = ${other}`
        assert.deepStrictEqual(found, [
          { id: license_id, total_consumptions: 2n ** 53n - 1n },
          { id: other, total_consumptions: 12n }
        ])
      }))
  })
})
