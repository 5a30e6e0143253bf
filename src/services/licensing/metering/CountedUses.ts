import { Effect, Metric } from "effect"
import type { Grant } from "../../../domain/licensing/grants/Grant.ts"
import { insertCarried, insertValues } from "../../catalog/terms/UsedValueSql.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { fromStart } from "../../ground/platform/SeriesFromStart.ts"
import { takenBy, updateTaken } from "./GrantSql.ts"
import { insertCounters, updateConsumptions, updateCounters } from "./UsageSql.ts"
import type { CountedUse, FeatureCounter } from "./UsageSql.ts"

const consumedUnits = fromStart(Metric.counter("countersign_consumed_units_total", {
  description: "Units of metered features that were counted, over all licenses.",
  incremental: true
}))

/** Sums the amounts of uses by license. */
const amountsOf = (counted: ReadonlyArray<CountedUse>): ReadonlyMap<string, bigint> => {
  const totals = new Map<string, bigint>()
  for (const { amount, license_id } of counted) totals.set(license_id, (totals.get(license_id) ?? 0n) + BigInt(amount))
  return totals
}

/** A counter of a feature as uses leave it, and whether there was one before them. */
export interface LeftCounter extends FeatureCounter {
  readonly isCounted: boolean
}

/**
 * Writes uses whose licenses are locked: the records, by the statement that is given, the counters of features as the uses
 * leave them, those of licenses, what was taken of grants and pools, and the grants that carried units become with them.
 */
export const writeUses = (
  sql: Database,
  { carried, counted, counters, records }: {
    readonly carried: ReadonlyArray<Grant>
    readonly counted: ReadonlyArray<CountedUse>
    readonly counters: ReadonlyArray<LeftCounter>
    readonly records: Effect.Effect<unknown>
  }
): Effect.Effect<void> => {
  if (counted.length === 0) return Effect.void
  const units = counted.reduce((sum, { amount }) => sum + Math.max(0, amount), 0)
  const values = counted.flatMap(({ after, feature_id, license_id, value }) =>
    value === undefined ? [] : [{ license_id, feature_id, value, start: after.periodStart }]
  )
  const written = Effect.all(
    [
      records,
      updateCounters(sql, counters.filter(({ isCounted }) => isCounted)),
      insertCounters(sql, counters.filter(({ isCounted }) => !isCounted)),
      updateConsumptions(sql, amountsOf(counted)),
      updateTaken(sql, counted.flatMap(({ license_id, taken }) => takenBy(license_id, taken))),
      ...(values.length === 0 ? [] : [insertValues(sql, values)])
    ],
    { concurrency: "unbounded", discard: true }
  )
  return Effect.andThen(
    // Before the counters: the grants begin those that are not there yet.
    carried.length === 0 ? written : Effect.andThen(insertCarried(sql, carried), written),
    sql.afterCommit(Metric.update(consumedUnits, units))
  )
}
