import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteValues,
  insertValues,
  listOutdated,
  listValues
} from "../../../../src/services/catalog/terms/UsedValueSql.ts"
import { pruneValues } from "../../../../src/services/evidence/retention/PrunerSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statements of values that are counted", () => {
  layer(Workers.layer)((it) => {
    const prepared = Effect.gen(function*() {
      const { first } = yield* Workers
      const rows = makeRows(first)
      const { id: policy_id, product_id } = yield* rows.policy()
      const license_id = yield* rows.license({ policy_id, product_id })
      const feature_id = `feat_${license_id.slice(4)}`
      yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: feature_id, metadata: first`'{}'` })
      return { license_id, feature_id, product_id }
    })

    it.effect("a value is of a feature, of a license and of a period, and kept once in it", () =>
      Effect.gen(function*() {
        const { first, second } = yield* Workers
        const { product_id: _product, ...of } = yield* prepared
        const { product_id: _other, ...other } = yield* prepared
        const [january, february] = [Date.UTC(2027, 0, 1), Date.UTC(2027, 1, 1)]
        yield* insertValues(first, [
          { ...of, value: "ada", start: january },
          { ...of, value: "ada", start: february },
          { ...of, value: "bob", start: undefined }
        ])
        const found = yield* listValues(second, [{ ...of, value: "ada" }, { ...of, value: "bob" }, {
          ...of,
          value: "cy"
        }, {
          ...other,
          value: "ada"
        }])
        assert.sameDeepMembers([...found], [
          { ...of, value: "ada", start: BigInt(january) },
          { ...of, value: "ada", start: BigInt(february) },
          { ...of, value: "bob", start: null }
        ])
        const again = yield* Effect.exit(insertValues(second, [{ ...of, value: "ada", start: january }]))
        assert.strictEqual(again._tag, "Failure")
      }))

    it.effect("those of the running period are forgotten, and those of before stay", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { product_id: _product, ...of } = yield* prepared
        const [january, february] = [Date.UTC(2027, 0, 1), Date.UTC(2027, 1, 1)]
        yield* insertValues(first, [{ ...of, value: "ada", start: january }, { ...of, value: "ada", start: february }])
        yield* first`INSERT INTO license_features (license_id, feature_id, enabled, metadata, is_counter, total_consumptions, period_start)
          VALUES (${of.license_id}, ${of.feature_id}, true, '{}', true, 1, ${new Date(february)})`
        yield* deleteValues(first, of.license_id, [of.feature_id])
        assert.deepStrictEqual(yield* listValues(first, [{ ...of, value: "ada" }]), [{
          ...of,
          value: "ada",
          start: BigInt(january)
        }])
      }))

    it.effect("those of periods that are long over are deleted, but for what a counter is of and what has no period", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const [of, counted] = [yield* prepared, yield* prepared]
        const old = Date.UTC(2020, 0, 1)
        yield* insertValues(first, [
          { ...of, value: "ada", start: old },
          { ...of, value: "ada", start: undefined },
          { ...counted, value: "ada", start: old }
        ])
        yield* first`INSERT INTO license_features (license_id, feature_id, enabled, metadata, is_counter, total_consumptions, period_start)
          VALUES (${counted.license_id}, ${counted.feature_id}, true, '{}', true, 1, ${new Date(old)})`
        assert.lengthOf(yield* pruneValues(first, 10), 1)
        assert.deepStrictEqual(
          (yield* listValues(first, [{ ...of, value: "ada" }, { ...counted, value: "ada" }])).map(({ start }) => start),
          [null, BigInt(old)]
        )
      }))

    it.effect("a use is outdated where its period has a later one", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { product_id, ...of } = yield* prepared
        yield* first`INSERT INTO usage_records (id, license_id, feature_id, feature_code, event_id, amount, total_consumptions, product_id, created_at)
          SELECT 'evt_outdated', ${of.license_id}, ${of.feature_id}, 'f', 'e', 1, 1, ${product_id}, ${new Date(1000)}`
        const use = (index: number, at: number, until: number) => ({ ...of, index, at, until })
        const found = yield* listOutdated(first, [use(0, 999, Infinity), use(1, 1000, Infinity), use(2, 999, 1000)])
        assert.deepStrictEqual(found.map(({ index }) => index), [0])
      }))
  })
})
