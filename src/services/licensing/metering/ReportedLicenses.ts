import { Effect, Schema } from "effect"
import { parentIn, usingLicenseIn } from "../../../domain/evidence/audit/LastEvents.ts"
import type { SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { makeTermsThen } from "../../../domain/evidence/history/TermsThen.ts"
import { customersOf, isOf, termsKinds, wholeLicense } from "../../../domain/evidence/history/Timeline.ts"
import type { TimedEvent, Timeline } from "../../../domain/evidence/history/Timeline.ts"
import type { CountedState, NamedUse } from "../../../domain/licensing/metering/ChosenUse.ts"
import { lateDays } from "../../../domain/licensing/metering/LateUse.ts"
import { withEndedGrants, withEndedPools } from "../../../domain/licensing/metering/ReportedCount.ts"
import { logged } from "../entitlements/LoggedEvents.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { lockPoolsOfLicenses } from "./PoolSql.ts"
import {
  listEndedGrants,
  listFeatureProducts,
  listPoolsThen,
  listStandings,
  listTermsSince,
  lockUsed
} from "./ReportedUseSql.ts"
import type { PoolThen } from "./ReportedUseSql.ts"

const readGrant = rowReader(Schema.Struct({
  license_id: Schema.String,
  feature_id: Schema.String,
  id: Schema.String,
  starts_at: Schema.String,
  expires_at: Schema.optionalKey(Schema.String),
  revoked_at: Schema.optionalKey(Schema.String),
  priority: Schema.Finite,
  left: Schema.Finite
}))

const minuteMillis = 60_000

/** The licenses of uses, the terms that they had before, and from when on those are known. */
interface ReadLicenses extends Pick<CountedState, "licenses" | "terms"> {
  readonly keptSince?: number
}

/** Reads the events that tell the terms of licenses since an instant: theirs, and those of their policies and customers. */
const readTimeline = Effect.fnUntraced(function*(sql: Database, licenseIds: ReadonlyArray<string>, since: Date) {
  const timeline = new Map<string, ReadonlyArray<TimedEvent>>()
  const add = Effect.fnUntraced(function*(ids: Iterable<string>, kinds: ReadonlyArray<EventKind>) {
    const unread = [...ids].filter((id) => !timeline.has(id))
    const rows = unread.length === 0 ? [] : yield* listTermsSince(sql, unread, kinds, since)
    const events = rows.map(({ at, resource_id, ...row }) => Object.assign(logged(row), { at, resource_id }))
    const byResource = Map.groupBy(events, ({ resource_id }) => resource_id)
    for (const id of unread) timeline.set(id, byResource.get(id) ?? [])
    return events
  })
  const told = (yield* add(licenseIds, termsKinds.license)).filter(isOf(wholeLicense))
  const licenses = told.map(usingLicenseIn)
  yield* add(new Set(licenses.map(({ policy_id }) => policy_id)), termsKinds.policy)
  const read = new Set<string>()
  let next = new Set(licenses.flatMap(({ customer_id }) => customer_id ?? []))
  while (next.size > 0) {
    for (const id of next) read.add(id)
    const events = yield* add(next, termsKinds.customer)
    next = new Set(events.flatMap((event) => parentIn(event).parent_id ?? []).filter((id) => !read.has(id)))
  }
  return timeline as Timeline
})

/** The products of features that policies and licenses were given, of those whose rows do not show them. */
const readProducts = Effect.fnUntraced(
  function*(sql: Database, timeline: Timeline, licenses: ReadonlyMap<string, SnapshotRow>) {
    const shown = new Set(
      [...licenses.values()].flatMap(({ features, granted }) =>
        [...features ?? [], ...granted ?? []].map(({ id }) => id)
      )
    )
    const told = new Set(
      [...timeline.values()].flat().flatMap(({ data: { feature_id } }) =>
        typeof feature_id === "string" && !shown.has(feature_id) ? feature_id : []
      )
    )
    const rows = told.size === 0 ? [] : yield* listFeatureProducts(sql, [...told])
    return new Map(rows.map(({ id, product_id }) => [id, product_id]))
  }
)

const withGrants = Effect.fnUntraced(
  function*(sql: Database, licenses: Map<string, SnapshotRow>, pools: ReadonlyArray<PoolThen>, since: Date) {
    for (const [id, shared] of Map.groupBy(pools, ({ license_id }) => license_id)) {
      licenses.set(id, withEndedPools(licenses.get(id)!, shared.map(({ pool }) => pool)))
    }
    const ended = (yield* listEndedGrants(sql, [...licenses.keys()], since)).map(readGrant)
    for (const [key, grants] of Map.groupBy(ended, (grant) => `${grant.license_id}\n${grant.feature_id}`)) {
      const [licenseId, featureId] = key.split("\n") as [string, string]
      licenses.set(licenseId, withEndedGrants(licenses.get(licenseId)!, featureId, grants))
    }
  }
)

/** Reads the licenses with what has ended since, and the terms of before, of which late uses may be. */
const readLate = Effect.fnUntraced(
  function*(sql: Database, found: ReadonlyArray<string>, oldest: number, now: number) {
    const { until } = yield* readDropped(sql)
    const timeline = yield* readTimeline(sql, found, new Date(oldest))
    const before = found.flatMap((license_id) =>
      [...customersOf(timeline, license_id)].map((customer_id) => ({ license_id, customer_id }))
    )
    const since = new Date(now - (lateDays + 1) * 24 * 60 * minuteMillis)
    const readPools = listPoolsThen(sql, found, before, since)
    const isPooled = (yield* readPools).length > 0
    if (isPooled) yield* lockPoolsOfLicenses(sql, found, [...new Set(before.map(({ customer_id }) => customer_id))])
    const licenses = new Map((yield* listStandings(sql, found)).map((row) => [row.license_id, row]))
    const pools = isPooled ? yield* readPools : []
    yield* withGrants(sql, licenses, pools, since)
    const poolOwners = new Map(pools.map(({ customer_id, pool }) => [pool.id, customer_id]))
    const products = yield* readProducts(sql, timeline, licenses)
    const termsAt = makeTermsThen({ timeline, poolOwners, products }, licenses)
    return {
      licenses,
      // A use of this minute is one of now, whatever else is reported with it.
      terms: (licenseId, at) => termsAt(licenseId, at <= now - minuteMillis ? at : now),
      ...(until === undefined ? {} : { keptSince: until.getTime() })
    } satisfies ReadLicenses
  }
)

/**
 * Locks and reads the licenses of uses. Where one is late, what has ended since is read as well, and the terms of before: a use is
 * judged by the license, the plan and the pools as they were at its time.
 */
export const readLicenses = Effect.fnUntraced(
  function*(sql: Database, named: ReadonlyArray<NamedUse>, now: number) {
    const limit = yield* CurrentProducts
    const asked = [...new Set(named.flatMap(({ licenses }) => licenses))]
    const found = asked.length === 0 ? [] : (yield* lockUsed(sql, asked, limit)).map(({ id }) => id)
    if (found.length === 0) return { licenses: new Map<string, SnapshotRow>() } as ReadLicenses
    const oldest = named.reduce((least, { at }) => Math.min(least, at), now)
    if (oldest <= now - minuteMillis) return (yield* readLate(sql, found, oldest, now)) as ReadLicenses
    const standings = yield* listStandings(sql, found)
    const sharing = standings.flatMap(({ license_id, pools }) => pools === null ? [] : license_id)
    const rows = sharing.length === 0
      ? standings
      : yield* Effect.andThen(lockPoolsOfLicenses(sql, sharing), listStandings(sql, found))
    return { licenses: new Map(rows.map((row) => [row.license_id, row])) } as ReadLicenses
  }
)
