import { Context, Effect, Layer, Metric, Schedule } from "effect"
import { maximumRefusals } from "../../../domain/keys/settings/ActivityRetention.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { fromStartBy } from "../../ground/platform/SeriesFromStart.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { pruneUsesQuery } from "../../licensing/metering/UsageSql.ts"
import { EventBodies } from "../../sales/billing/EventBodies.ts"
import { Activities } from "../audit/Activities.ts"
import type { PrunedTable } from "./PrunerSql.ts"
import {
  analyzeUsageKeys,
  deleteDecidedCalls,
  deleteLeases,
  findOldestRows,
  findUsageBorder,
  prunedTables,
  pruneValues,
  slice
} from "./PrunerSql.ts"

/** The pause between looks for rows that are past their time. */
const every = Schedule.spaced("5 minutes")

const prunedRows = fromStartBy(prunedTables, (table) =>
  Metric.counter("countersign_pruned_rows_total", {
    description:
      "Rows that this node deleted because they were past their time, by table; of billing_events their bodies",
    incremental: true,
    attributes: { table }
  }))
const oldestRow = fromStartBy(prunedTables, (table) =>
  Metric.gauge("countersign_oldest_row_age_seconds", {
    description:
      "Age of the oldest row of a table that is pruned by age, by table, as the node that prunes last saw it",
    attributes: { table }
  }))

/** How many rows went, by table. */
export type Pruned = Readonly<Record<PrunedTable, number>>

/** Deletes what is past the time for which the settings keep it. */
export class Pruner extends Context.Service<Pruner, {
  /** Deletes everything that is due, in slices that are transactions of their own. */
  readonly step: Effect.Effect<Pruned>
  /** Prunes for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/evidence/retention/Pruner") {
  static readonly layer = Layer.effect(
    Pruner,
    Effect.gen(function*() {
      const sql = yield* Database
      const activities = yield* Activities
      const bodies = yield* EventBodies
      const { retainActivityDays, retainBillingBodyDays, retainLeaseDays, retainUsageDays } = yield* Settings

      const pruneLeases = Effect.gen(function*() {
        let pruned = 0
        for (let step = retainLeaseDays === 0 ? 0 : slice; step === slice; pruned += step) {
          const rows = yield* deleteLeases(sql, retainLeaseDays)
          step = rows.length
        }
        return pruned
      })

      /**
       * Uses go by full days of UTC, because the sums of days answer for them from then on. A slice begins where the one
       * before ended: what is deleted stays in the index for as long as somebody reads an old snapshot.
       */
      const pruneUses = Effect.gen(function*() {
        if (retainUsageDays === 0) return 0
        const [first] = yield* findUsageBorder(sql, retainUsageDays)
        let pruned = 0
        let last = "-infinity"
        for (let step = slice; step === slice; pruned += step) {
          const [moved] = yield* sql.unsafe<{ readonly rows: number; readonly last: string | null }>(pruneUsesQuery, [
            first!.until,
            last,
            slice
          ])
          step = moved!.rows
          last = moved!.last ?? last
          // Plans that were made for a table of a page would read all of it while it grows.
          if (pruned === 0 && step > 0 && first!.keys < slice) yield* analyzeUsageKeys(sql)
        }
        return pruned
      })

      /** Values of dimensions are kept for no report: nothing counts them where their periods are over. */
      const pruneUsedValues = Effect.gen(function*() {
        for (let step: number = slice; step === slice;) step = (yield* pruneValues(sql, slice)).length
      })

      /** Decided calls are kept for rehearsals alone, which reach no further back. */
      const pruneCalls = Effect.gen(function*() {
        for (let step: number = slice; step === slice;) step = (yield* deleteDecidedCalls(sql, slice)).length
      })

      const observe = Effect.gen(function*() {
        for (const { age, table } of yield* findOldestRows(sql)) {
          yield* Metric.update(oldestRow[table], age ?? 0)
        }
      })

      const count = (table: PrunedTable, rows: number) => Metric.update(prunedRows[table], rows)

      const step = Effect.gen(function*() {
        const pruned: Pruned = {
          leases: yield* Effect.tap(pruneLeases, (rows) => count("leases", rows)),
          activities: yield* activities.purge({ days: retainActivityDays, refusals: maximumRefusals }).pipe(
            Effect.tap((rows) => count("activities", rows))
          ),
          billing_events: yield* Effect.tap(
            retainBillingBodyDays === 0 ? Effect.succeed(0) : bodies.prune(retainBillingBodyDays),
            (rows) => count("billing_events", rows)
          ),
          usage_records: yield* Effect.tap(pruneUses, (rows) => count("usage_records", rows))
        }
        yield* pruneUsedValues
        yield* pruneCalls
        if (Object.values(pruned).some((rows) => rows > 0)) {
          yield* Effect.logInfo("Deleted what is past its time", pruned)
        }
        yield* observe
        return pruned
      }).pipe(Effect.withSpan("Pruner.step"))

      return Pruner.of({
        step,
        run: supervised("Deleting what is past its time", swept("pruner", step), every, { retry: every })
      })
    })
  )
}
