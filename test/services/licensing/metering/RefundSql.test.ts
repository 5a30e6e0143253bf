import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import {
  listNamedFeatures,
  lockUse,
  updateRefunded,
  updateUseRefunded
} from "../../../../src/services/licensing/metering/RefundSql.ts"
import type { UseName } from "../../../../src/services/licensing/metering/RefundSql.ts"
import { insertUses } from "../../../../src/services/licensing/metering/UsageSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const begun = Date.UTC(2026, 10, 1)
const day = 86_400_000

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const licenseId = yield* rows.license({ policy_id, product_id })
  const device = yield* rows.device({ license_id: licenseId })
  const featureId = `feat_${++made}`
  yield* rows.insert("features", { id: featureId, product_id, name: "F", code: "f", metadata: first`'{}'` })
  yield* rows.insert("license_features", {
    license_id: licenseId,
    feature_id: featureId,
    enabled: true,
    metadata: first`'{}'`,
    total_consumptions: 9,
    granted_consumptions: 4,
    period_start: new Date(begun),
    period_consumptions: 5,
    granted_period_consumptions: 2
  })
  const use = Effect.fnUntraced(function*(periodStart: number | undefined) {
    const id = `evt_use_${++made}`
    yield* insertUses(first, [{
      id,
      license_id: licenseId,
      feature_id: featureId,
      feature_code: "f",
      event_id: id,
      amount: 5,
      overage: 1,
      taken: [{ grant_id: "grant_1", amount: 2 }],
      total_consumptions: 9,
      after: { periodStart },
      device_id: device.id,
      request_id: undefined,
      dimensions: undefined,
      measured: undefined
    }])
    return { licenseId, featureId, eventId: id }
  })
  const read = (found: ReadonlyArray<object>) => found.map((row) => toWire<Readonly<Record<string, unknown>>>(row))
  const correct = (amount: number, refund_of: string | null, more: object = {}) =>
    rows.insert("usage_corrections", {
      id: `evt_${++made}`,
      action: "license.usage_reset",
      license_id: licenseId,
      feature_id: featureId,
      feature_code: "f",
      amount,
      total_consumptions: 0,
      product_id,
      refund_of,
      ...more
    })
  return { ...workers, correct, featureId, licenseId, read, use }
})

describe("the statements of refunds", () => {
  layer(Workers.layer)((it) => {
    it.effect("a use is refunded before it is pruned, or not at all", () =>
      Effect.gen(function*() {
        const { first, read, second, use, waiting } = yield* world
        const name = yield* use(begun)
        const gone = first`DELETE FROM usage_records WHERE event_id = ${name.eventId}`
        assert.deepStrictEqual((yield* waiting(gone, lockUse(second, name)))[1], [])
        const [row] = read(yield* lockUse(first, yield* use(begun)))
        assert.deepInclude(row, {
          amount: 5,
          overage: 1,
          refunded: 0,
          total: 9,
          is_current: true,
          is_settled: false,
          taken: [{ grant_id: "grant_1", amount: 2 }]
        })
      }))

    it.effect("a use of an earlier period is not current, and one before a correction is settled", () =>
      Effect.gen(function*() {
        const { correct, first, read, use } = yield* world
        const earlier = yield* use(begun - 1000)
        yield* first`UPDATE usage_records SET created_at = ${new Date(begun - 1)} WHERE event_id = ${earlier.eventId}`
        assert.deepInclude(read(yield* lockUse(first, earlier))[0], { is_current: false, is_settled: false })
        yield* correct(0, null)
        yield* correct(-2, "another")
        assert.deepInclude(read(yield* lockUse(first, earlier))[0], { is_settled: false })
        yield* correct(-2, null)
        assert.deepInclude(read(yield* lockUse(first, earlier))[0], { is_settled: true })
      }))

    it.effect("a correction of a period settles the uses of that period, and none of an earlier one", () =>
      Effect.gen(function*() {
        const { correct, first, read, use } = yield* world
        const [earlier, running] = [yield* use(begun - 30 * day), yield* use(begun)]
        const at = { created_at: new Date(begun - 20 * day), counted_at: new Date(begun - 20 * day) }
        yield* first`UPDATE usage_records SET created_at = ${at.created_at}, counted_at = ${at.counted_at}
          WHERE event_id = ${earlier.eventId}`
        yield* correct(-2, null, { settles_from: new Date(begun) })
        assert.deepInclude(read(yield* lockUse(first, earlier))[0], { is_settled: false })
        assert.deepInclude(read(yield* lockUse(first, running))[0], { is_settled: true })
        yield* correct(-2, null, { settles_from: first`'-infinity'` })
        assert.deepInclude(read(yield* lockUse(first, earlier))[0], { is_settled: true })
      }))

    it.effect("counters are lessened by what is refunded, those of the period if it runs", () =>
      Effect.gen(function*() {
        const { featureId, first, licenseId, read, use } = yield* world
        const name = yield* use(begun)
        const [past] = read(yield* updateRefunded(first, name, { counted: 3, units: 1, isCurrent: false }))
        assert.deepInclude(past, {
          total_consumptions: 6,
          granted_consumptions: 3,
          period_consumptions: 5,
          granted_period_consumptions: 2
        })
        const [now] = read(yield* updateRefunded(first, name, { counted: 9, units: 1, isCurrent: true }))
        assert.deepInclude(now, {
          total_consumptions: 0,
          granted_consumptions: 2,
          period_consumptions: 0,
          granted_period_consumptions: 1
        })
        yield* first`UPDATE license_features SET granted_consumptions = NULL, granted_period_consumptions = NULL,
          period_start = NULL, period_consumptions = NULL WHERE license_id = ${licenseId}`
        const [plain] = read(yield* updateRefunded(first, name, { counted: 1, units: 0, isCurrent: true }))
        assert.notProperty(plain, "granted_consumptions")
        assert.notProperty(plain, "period_consumptions")
        yield* updateUseRefunded(first, name, 4)
        assert.deepInclude(read(yield* lockUse(first, name))[0], { refunded: 4 })
        const named = (feature_code: string, event_id: string) =>
          listNamedFeatures(first, licenseId, { feature_code, event_id })
        assert.deepStrictEqual(yield* named("f", name.eventId), [{ id: featureId, isUsed: true, meter: null }])
        assert.deepStrictEqual(yield* named("f", "none"), [{ id: featureId, isUsed: false, meter: null }])
        assert.deepStrictEqual(yield* named("g", name.eventId), [])
      }))

    it.effect("a use is before a correction if it was counted before it, whichever transaction began first", () =>
      Effect.gen(function*() {
        const { correct, first, read, use } = yield* world
        const isSettled = (name: UseName) => Effect.map(lockUse(first, name), (rows) => read(rows)[0]!["is_settled"])
        const later = { created_at: new Date(Date.now() + 60_000) }
        yield* correct(-2, null, later)
        const name = yield* use(begun)
        assert.isFalse(yield* isSettled(name))
        yield* correct(-2, null, { created_at: new Date(Date.now() - 60_000) })
        assert.isTrue(yield* isSettled(name))
        // Earlier releases know only when their transactions began.
        const old = yield* use(begun)
        yield* first`UPDATE usage_records SET counted_at = NULL, created_at = now() + interval '1 hour'
          WHERE event_id = ${old.eventId}`
        assert.isFalse(yield* isSettled(old))
        yield* correct(-2, null, { ...later, counted_at: new Date(Date.now() + 7_200_000) })
        assert.isTrue(yield* isSettled(old))
      }))

    it.effect("a use is of the period that runs, whatever period its quota had, or none, if it lies in it", () =>
      Effect.gen(function*() {
        const { first, licenseId, read, use } = yield* world
        const isCurrent = (name: UseName) => Effect.map(lockUse(first, name), (rows) => read(rows)[0]!["is_current"])
        const name = yield* use(undefined)
        assert.isTrue(yield* isCurrent(name))
        assert.isTrue(yield* isCurrent(yield* use(begun - 30 * day)))
        yield* first`UPDATE usage_records SET created_at = ${new Date(begun - 1)} WHERE event_id = ${name.eventId}`
        assert.isFalse(yield* isCurrent(name))
        yield* first`UPDATE license_features SET period_start = NULL WHERE license_id = ${licenseId}`
        assert.isTrue(yield* isCurrent(yield* use(undefined)))
      }))
  })
})
