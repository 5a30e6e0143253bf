import { Effect, Metric } from "effect"
import type { Database } from "../persistence/Database.ts"
import { fromStart } from "../platform/SeriesFromStart.ts"
import { updateTaken } from "./GrantSql.ts"
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
 * leave them, those of licenses, and what was taken of grants.
 */
export const writeUses = (
  sql: Database,
  { counted, counters, records }: {
    readonly counted: ReadonlyArray<CountedUse>
    readonly counters: ReadonlyArray<LeftCounter>
    readonly records: Effect.Effect<unknown>
  }
): Effect.Effect<void> => {
  if (counted.length === 0) return Effect.void
  const units = counted.reduce((sum, { amount }) => sum + amount, 0)
  const taken = counted.flatMap((use) => use.taken)
  return Effect.andThen(
    Effect.all(
      [
        records,
        updateCounters(sql, counters.filter(({ isCounted }) => isCounted)),
        insertCounters(sql, counters.filter(({ isCounted }) => !isCounted)),
        updateConsumptions(sql, amountsOf(counted)),
        ...(taken.length === 0 ? [] : [updateTaken(sql, taken)])
      ],
      { concurrency: "unbounded", discard: true }
    ),
    sql.afterCommit(Metric.update(consumedUnits, units))
  )
}
