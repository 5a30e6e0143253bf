import { Effect } from "effect"
import { carriedGrants } from "../../../domain/licensing/grants/CarriedGrants.ts"
import type { Grant } from "../../../domain/licensing/grants/Grant.ts"
import { valueKey } from "../../../domain/licensing/metering/MeasuredUse.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { Identifiers } from "../../ground/persistence/Identifiers.ts"
import type { Events, NewEvent } from "../../log/Events.ts"
import { readFeatureTerms, readPeriodNow } from "./FeatureTerms.ts"
import { insertCarried, listValues, updateRolledUntil } from "./UsedValueSql.ts"
import type { UsedValue } from "./UsedValueSql.ts"

/** Reads in which periods features have had these values; by {@link valueKey}. */
export const readValues = (sql: Database, values: ReadonlyArray<UsedValue>): Effect.Effect<Set<string>> =>
  values.length === 0
    ? Effect.succeed(new Set<string>())
    : Effect.map(
      listValues(sql, values),
      (rows) => new Set(rows.map((row) => valueKey(row, row.start === null ? undefined : Number(row.start))))
    )

/** The event of a grant of carried units. */
export const carriedEvent = (grant: Grant): NewEvent => ({
  type: "license.grant_given",
  resourceId: grant.license_id,
  data: grant,
  metadata: { grant_id: grant.id, feature_id: grant.feature_id, feature_code: grant.feature_code }
})

/**
 * Makes grants of what a locked license has carried, before a change of what that is computed from: its terms, counters and
 * corrections. What the next periods carry is computed from then on.
 */
export const makeRollovers = (
  sql: Database,
  events: typeof Events.Service,
  identifiers: typeof Identifiers.Service
) => {
  /** Computes nothing that is carried from before now. */
  const begin = (licenseId: string) =>
    Effect.flatMap(readPeriodNow(sql, licenseId), (now) => now === undefined ? Effect.void : mark(licenseId, now))

  const mark = (licenseId: string, until: Date) => updateRolledUntil(sql, licenseId, until)

  const settle = Effect.fnUntraced(function*(licenseId: string) {
    const now = yield* readPeriodNow(sql, licenseId)
    if (now === undefined) return
    const features = (yield* readFeatureTerms(sql, licenseId, now)).map(({ feature }) => feature)
    if (features.every(({ carried, rollover }) => carried.length === 0 && rollover === null)) return
    const grants = features.flatMap((feature) =>
      carriedGrants(licenseId, feature, { at: now, nextId: () => identifiers.next("grant") })
    )
    if (grants.length > 0) yield* insertCarried(sql, grants)
    for (const grant of grants) yield* events.append(carriedEvent(grant))
    yield* mark(licenseId, now)
  })

  return { begin, settle }
}
