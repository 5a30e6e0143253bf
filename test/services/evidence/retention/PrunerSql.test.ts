import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readPruned } from "../../../../src/services/evidence/reports/ReportSource.ts"
import { deleteLeases } from "../../../../src/services/evidence/retention/PrunerSql.ts"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { insertUses, listCounted, pruneUsesQuery } from "../../../../src/services/licensing/metering/UsageSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  yield* first`DELETE FROM leases`
  /** Says that the log was dropped up to so many days ago, or that nothing was. */
  const dropped = (days: number | undefined) =>
    days === undefined
      ? first`UPDATE event_archive SET dropped_sequence = 0, dropped_until = NULL`
      : first`UPDATE event_archive SET dropped_sequence = 16, dropped_until = now() - ${days} * interval '24 hours'`
  const ended = (days: number) =>
    rows.lease({ ended_at: first`now() - ${days} * interval '24 hours'`, end_reason: "checked_in" })
  const pruned = (sql: Database, days: number) =>
    Effect.map(deleteLeases(sql, days), (found) => found.map(({ id }) => id))
  return { ...workers, dropped, ended, pruned, rows }
})

/** Uses of a feature, each of which is so many days old. */
const uses = Effect.fnUntraced(function*(ages: ReadonlyArray<number>) {
  const { first, rows } = yield* world
  yield* first`DELETE FROM usage_records`
  yield* first`DELETE FROM pruned_tables`
  const device = yield* rows.device()
  const [license] = yield* first<{ readonly product_id: string }>`
    SELECT product_id FROM licenses WHERE id = ${device.license_id}`
  const featureId = `feat_${device.id}`
  yield* rows.insert("features", {
    id: featureId,
    product_id: license!.product_id,
    code: "f",
    name: "F",
    metadata: first`'{}'`
  })
  for (const [index, age] of ages.entries()) {
    const id = `use_${device.id}_${index}`
    yield* insertUses(first, [{
      id,
      license_id: device.license_id,
      feature_id: featureId,
      feature_code: "f",
      event_id: `event_${index}`,
      taken: [],
      after: { periodStart: undefined },
      amount: index + 1,
      overage: 0,
      total_consumptions: 0,
      device_id: device.id,
      request_id: undefined,
      dimensions: undefined,
      measured: undefined
    }])
    yield* first`UPDATE usage_records SET created_at = now() - ${age} * interval '24 hours' WHERE id = ${id}`
  }
  const counted = (sql: Database) =>
    Effect.map(
      listCounted(
        sql,
        ages.map((_, index) => ({ license_id: device.license_id, feature_id: featureId, event_id: `event_${index}` }))
      ),
      (found) => found.map(({ event_id }) => event_id).toSorted()
    )
  /** Prunes uses that are older than so many days, from the beginning. */
  const prune = (sql: Database, days: number, limit = 1000) =>
    Effect.gen(function*() {
      const [until] = yield* sql<{ readonly at: string }>`SELECT (now() - ${days} * interval '24 hours')::text AS at`
      const [row] = yield* sql.unsafe<{ readonly rows: number }>(pruneUsesQuery, [until!.at, "-infinity", limit])
      return row!.rows
    })
  return { counted, prune }
})

describe("the statements that prune", () => {
  layer(Workers.layer)((it) => {
    it.effect("a lease outlives the log of its time, whatever its age", () =>
      Effect.gen(function*() {
        const { dropped, ended, first, pruned } = yield* world
        const [old, older] = [yield* ended(40), yield* ended(60)]
        yield* dropped(undefined)
        assert.deepStrictEqual(yield* pruned(first, 30), [])
        yield* dropped(50)
        assert.deepStrictEqual(yield* pruned(first, 30), [older])
        yield* dropped(35)
        assert.deepStrictEqual(yield* pruned(first, 50), [])
        assert.deepStrictEqual(yield* pruned(first, 30), [old])
      }))

    it.effect("a lease outlives its events, though one was a little later in the log than its time says", () =>
      Effect.gen(function*() {
        const { dropped, ended, first, pruned, rows } = yield* world
        yield* dropped(10)
        const id = yield* ended(40)
        yield* rows.event(900, { event_type: "lease.checked_in", resource_id: id })
        assert.deepStrictEqual(yield* pruned(first, 30), [])
        yield* first`DELETE FROM event_places WHERE sequence = 900`
        assert.deepStrictEqual(yield* pruned(first, 30), [id])
      }))

    it.effect("a lease outlives its events that wait for a place in the log", () =>
      Effect.gen(function*() {
        const { dropped, ended, first, pruned, rows } = yield* world
        yield* dropped(10)
        const id = yield* ended(40)
        yield* rows.event(901, { event_type: "lease.checked_in", resource_id: id })
        yield* first`DELETE FROM event_places WHERE sequence = 901`
        yield* first`INSERT INTO event_pending (ordinal) OVERRIDING SYSTEM VALUE VALUES (901)`
        assert.deepStrictEqual(yield* pruned(first, 30), [])
        yield* first`DELETE FROM event_pending`
        assert.deepStrictEqual(yield* pruned(first, 30), [id])
      }))

    it.effect("a lease that is open or locked stays, and the others go", () =>
      Effect.gen(function*() {
        const { dropped, ended, first, passing, pruned, rows, second } = yield* world
        yield* dropped(10)
        yield* rows.lease({ expires_at: first`now() - interval '90 days'` })
        const [busy, free] = [yield* ended(40), yield* ended(50)]
        const [, gone] = yield* passing(first`SELECT 1 FROM leases WHERE id = ${busy} FOR UPDATE`, pruned(second, 30))
        assert.deepStrictEqual(gone, [free])
      }))

    it.effect("a use that was pruned is counted as before, and once", () =>
      Effect.gen(function*() {
        const { counted, prune } = yield* uses([60, 40, 20])
        const { first } = yield* Workers
        assert.deepStrictEqual(yield* counted(first), ["event_0", "event_1", "event_2"])
        assert.strictEqual(yield* prune(first, 30), 2)
        assert.deepStrictEqual(yield* counted(first), ["event_0", "event_1", "event_2"])
        const [left] = yield* first`SELECT count(*)::int AS n FROM usage_records`
        assert.strictEqual(left!["n"], 1)
      }))

    it.effect("the border of pruned uses never moves back, though a setting keeps more from now on", () =>
      Effect.gen(function*() {
        const { prune } = yield* uses([90, 60])
        const { first } = yield* Workers
        const border = Effect.map(readPruned(first), (found) => found.uses)
        assert.strictEqual(yield* prune(first, 100), 0)
        assert.isUndefined(yield* border, "nothing is gone")
        assert.strictEqual(yield* prune(first, 80), 1)
        const earlier = yield* border
        assert.strictEqual(yield* prune(first, 50), 1)
        const before = yield* border
        assert.isAbove(before!.getTime(), earlier!.getTime())
        const { prune: pruneMore } = yield* uses([95])
        yield* first`INSERT INTO pruned_tables (name, until) VALUES ('usage_records', ${before!})`
        assert.strictEqual(yield* pruneMore(first, 80), 1)
        assert.deepStrictEqual(yield* border, before)
      }))
  })
})
