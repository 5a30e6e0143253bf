import { Effect, Result, Schema } from "effect"
import { Hex } from "effect/encoding"
import { parentIn, usingLicenseIn } from "../../../domain/evidence/audit/LastEvents.ts"
import { makeTermsThen } from "../../../domain/evidence/history/TermsThen.ts"
import { customersOf, isOf, termsKinds, wholeLicense } from "../../../domain/evidence/history/Timeline.ts"
import type { TimedEvent, Timeline } from "../../../domain/evidence/history/Timeline.ts"
import { failing, LicenseKeyInvalid, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { DomainError } from "../../../domain/ground/wire/Errors.ts"
import type { SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { chosen, keysOf, lateness, pastKey, useKey } from "../../../domain/licensing/metering/ChosenUse.ts"
import type { ChosenUse, CountedState, NamedUse, RecordedUse } from "../../../domain/licensing/metering/ChosenUse.ts"
import { lateDays } from "../../../domain/licensing/metering/LateUse.ts"
import type { PastCount } from "../../../domain/licensing/metering/ReportedCount.ts"
import { withEnded } from "../../../domain/licensing/metering/ReportedCount.ts"
import { timeOfUse } from "../../../domain/licensing/metering/ReportedRow.ts"
import type { ReportedUse, UsageReport } from "../../../domain/licensing/metering/UsageReport.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { readValues } from "../../catalog/terms/Rollovers.ts"
import { listOutdated } from "../../catalog/terms/UsedValueSql.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import type { Vault } from "../../keys/security/Vault.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { logged } from "../entitlements/LoggedEvents.ts"
import { licenseKeyPurpose } from "../licenses/Licenses.ts"
import { lockPoolsOfLicenses } from "./GrantSql.ts"
import {
  listCandidates,
  listCarriedOut,
  listFeatureProducts,
  listGrantsThen,
  listKnownCustomers,
  listLicensesOfKeys,
  listPastCounts,
  listRecorded,
  listStandings,
  listTermsSince,
  lockUsed
} from "./ReportedUseSql.ts"
import type { PastPeriod } from "./ReportedUseSql.ts"

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

/** Reads the licenses with what has ended since, and the terms of before, of which late uses may be. */
const readLate = Effect.fnUntraced(
  function*(sql: Database, found: ReadonlyArray<string>, oldest: number, now: number) {
    const { until } = yield* readDropped(sql)
    const timeline = yield* readTimeline(sql, found, new Date(oldest))
    const before = found.flatMap((license_id) =>
      [...customersOf(timeline, license_id)].map((customer_id) => ({ license_id, customer_id }))
    )
    const since = new Date(now - (lateDays + 1) * 24 * 60 * minuteMillis)
    const readGrants = listGrantsThen(sql, found, before, since)
    const unlocked = yield* readGrants
    const isPooled = unlocked.some(({ customer_id }) => customer_id !== null)
    if (isPooled) yield* lockPoolsOfLicenses(sql, found, [...new Set(before.map(({ customer_id }) => customer_id))])
    const standings = yield* listStandings(sql, found)
    const grants = isPooled ? yield* readGrants : unlocked
    const ofLicense = Map.groupBy(grants, ({ license_id }) => license_id)
    const licenses = new Map(
      standings.map((row) => [row.license_id, withEnded(row, ofLicense.get(row.license_id) ?? [])])
    )
    const poolOwners = new Map(
      grants.flatMap(({ customer_id, units }) => customer_id === null ? [] : [[units.id, customer_id] as const])
    )
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
const readLicenses = Effect.fnUntraced(
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

/** A row of a report that is a use. */
export interface ReportedRow {
  readonly index: number
  readonly use: ReportedUse
}

/** The outcome of each row, by its index. */
export type Outcomes<A> = Map<number, Result.Result<A, DomainError>>

const readRecorded = rowReader(Schema.Struct({
  license_id: Schema.String,
  feature_id: Schema.String,
  event_id: Schema.String,
  amount: Schema.Finite,
  overage: Schema.optionalKey(Schema.Finite),
  used_at: Schema.optionalKey(Schema.String),
  period_start: Schema.optionalKey(Schema.String)
}))

const readPast = rowReader(Schema.Struct({
  license_id: Schema.String,
  feature_id: Schema.String,
  start: Schema.String,
  until: Schema.String,
  consumed: Schema.FiniteFromString,
  drawn: Schema.FiniteFromString,
  is_pruned: Schema.Boolean
}))

const readOut = rowReader(Schema.Struct({
  license_id: Schema.String,
  feature_id: Schema.String,
  start: Schema.String,
  until: Schema.String,
  id: Schema.String,
  amount: Schema.Finite
}))

const spanOf = ({ start, until }: { readonly start: string; readonly until: string }) => ({
  start: Date.parse(start),
  end: Date.parse(until)
})

const unknownKey = failing(LicenseKeyInvalid, "No license has this key, or the key has expired.")
const noCustomer = failing(NotFound, "No customer has this id.")

const millis = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

const idsOf = (rows: ReadonlyArray<ReportedRow>, member: "license_id" | "customer_id") => [
  ...new Set(rows.flatMap(({ use }) => use[member] ?? []))
]

/** Finds the licenses that rows may mean, and the refusals of those that name nothing. */
const namedBy = Effect.fnUntraced(
  function*(sql: Database, vault: Vault["Service"], rows: ReadonlyArray<ReportedRow>, now: number) {
    const limit = yield* CurrentProducts
    const hashOf = (key: string) => vault.keyedHash(licenseKeyPurpose, key)
    const keys = [...new Set(rows.flatMap(({ use }) => use.license_key ?? []))]
    const keyed = keys.length === 0 ? [] : yield* listLicensesOfKeys(sql, keys.map(hashOf))
    const byHash = new Map(keyed.map(({ key_hash, license_id }) => [Hex.encode(key_hash), license_id]))
    const byKey = new Map(keys.map((key) => [key, byHash.get(Hex.encode(hashOf(key)))]))
    const customers = idsOf(rows, "customer_id")
    const known = customers.length === 0
      ? new Set<string>()
      : new Set((yield* listKnownCustomers(sql, customers, limit)).map(({ id }) => id))
    const ofCustomers = rows.flatMap(({ use: { customer_id, feature_code } }) =>
      customer_id === undefined || !known.has(customer_id) ? [] : [{ customer_id, feature_code }]
    )
    const candidates = Map.groupBy(
      ofCustomers.length === 0 ? [] : yield* listCandidates(sql, ofCustomers, limit),
      ({ customer_id, feature_code }) => `${customer_id}\n${feature_code}`
    )
    const licensesOf = (use: ReportedUse): Result.Result<ReadonlyArray<string>, DomainError> => {
      if (use.license_id !== undefined) return Result.succeed([use.license_id])
      if (use.license_key !== undefined) {
        const id = byKey.get(use.license_key)
        return id === undefined ? Result.fail(unknownKey) : Result.succeed([id])
      }
      const found = candidates.get(`${use.customer_id}\n${use.feature_code}`) ?? []
      return known.has(use.customer_id!)
        ? Result.succeed(found.map(({ license_id }) => license_id))
        : Result.fail(noCustomer)
    }
    return rows.map(({ index, use }) => ({
      index,
      named: Result.flatMap(
        timeOfUse(use.used_at, now),
        ({ at, isOld }) => Result.map(licensesOf(use), (licenses): NamedUse => ({ index, use, at, isOld, licenses }))
      )
    }))
  }
)

const readBefore = Effect.fnUntraced(
  function*(sql: Database, named: ReadonlyArray<NamedUse>, known: Pick<CountedState, "licenses" | "terms">) {
    const keys = named.flatMap((use) => keysOf(use, known))
    const rows = keys.length === 0 ? [] : (yield* listRecorded(sql, keys)).map(readRecorded)
    return new Map(rows.map((row): [string, RecordedUse] => [
      useKey(row.license_id, row.feature_id, row.event_id),
      {
        amount: row.amount,
        overage: row.overage ?? 0,
        usedAt: millis(row.used_at),
        periodStart: millis(row.period_start)
      }
    ]))
  }
)

/** The periods of these uses, each once. */
const periodsOf = (uses: ReadonlyArray<ChosenUse>): ReadonlyArray<PastPeriod> => {
  const periods = new Map(
    uses.flatMap(({ featureId, licenseId, period }) =>
      period.is === "unknown" || period.span === undefined
        ? []
        : [
          [pastKey(licenseId, featureId, period.span), {
            license_id: licenseId,
            feature_id: featureId,
            start: new Date(period.span.start),
            end: new Date(period.span.end)
          }] as const
        ]
    )
  )
  return [...periods.values()]
}

/** The units that the periods of uses have carried, of those that are over. */
const readCarriedOut = Effect.fnUntraced(function*(sql: Database, uses: ReadonlyArray<ChosenUse>, now: number) {
  const over = periodsOf(uses).filter(({ end }) => end.getTime() <= now)
  const rows = over.length === 0 ? [] : (yield* listCarriedOut(sql, over)).map(readOut)
  return Map.groupBy(rows, (row) => pastKey(row.license_id, row.feature_id, spanOf(row)))
})

const isRecounted = ({ period }: ChosenUse): boolean =>
  period.is === "past" || (period.is === "running" && period.isUncounted === true)

/** The counts of periods that are over and that uses are of; none of a period whose uses are deleted by age. */
const readPastCounts = Effect.fnUntraced(function*(sql: Database, uses: ReadonlyArray<ChosenUse>) {
  const periods = periodsOf(uses.filter(isRecounted))
  const rows = periods.length === 0 ? [] : (yield* listPastCounts(sql, periods)).map(readPast)
  return new Map(rows.flatMap((row): ReadonlyArray<[string, PastCount]> => {
    const span = spanOf(row)
    const consumed = Math.max(0, row.consumed)
    return row.is_pruned
      ? []
      : [[pastKey(row.license_id, row.feature_id, span), {
        ...span,
        consumed,
        drawn: Math.min(consumed, Math.max(0, row.drawn))
      }]]
  }))
})

/** The values that periods have had of those that uses have. */
const readUsedValues = (sql: Database, uses: ReadonlyArray<ChosenUse>) =>
  readValues(
    sql,
    uses.flatMap(({ featureId, licenseId, value }) =>
      value === undefined ? [] : [{ license_id: licenseId, feature_id: featureId, value }]
    )
  )

/** The uses of which only the latest counts that are not, by their indexes. */
const readOutdated = Effect.fnUntraced(function*(sql: Database, uses: ReadonlyArray<ChosenUse>) {
  const timed = uses.flatMap(({ at, featureId, index, licenseId, meter, period }) =>
    meter === "last"
      ? [{
        index,
        license_id: licenseId,
        feature_id: featureId,
        at,
        until: period.is === "unknown" ? Infinity : period.span?.end ?? Infinity
      }]
      : []
  )
  return new Set(timed.length === 0 ? [] : (yield* listOutdated(sql, timed)).map(({ index }) => index))
})

const withoutUnknown = (use: ChosenUse, past: ReadonlyMap<string, PastCount>): ChosenUse =>
  use.period.is === "past" && !past.has(pastKey(use.licenseId, use.featureId, use.period.span))
    ? { ...use, period: { is: "unknown" } }
    : use

/** Finds what the uses of a report are of, and reads what they are counted by. Their licenses stay locked. */
export const readUses = Effect.fnUntraced(
  function*(
    sql: Database,
    vault: Vault["Service"],
    { late_uses, now, rows }: Pick<UsageReport, "late_uses"> & {
      readonly rows: ReadonlyArray<ReportedRow>
      readonly now: number
    }
  ) {
    const outcomes: Outcomes<ChosenUse> = new Map()
    const named: Array<NamedUse> = []
    for (const { index, named: found } of yield* namedBy(sql, vault, rows, now)) {
      if (Result.isSuccess(found)) named.push(found.success)
      else outcomes.set(index, Result.fail(found.failure))
    }
    const { keptSince, ...judged } = yield* readLicenses(sql, named, now)
    const known = { ...judged, recorded: yield* readBefore(sql, named, judged) }
    const found = named.map((use) => ({ use, result: chosen(use, known) }))
    const uses = found.flatMap(({ result }) => Result.isSuccess(result) ? result.success : [])
    const past = yield* readPastCounts(sql, uses)
    for (const { result, use } of found) {
      const chosenUse = Result.map(result, (one) => withoutUnknown(one, past))
      const late = Result.isSuccess(chosenUse) ? lateness(chosenUse.success, keptSince) : undefined
      outcomes.set(
        use.index,
        late === undefined
          ? chosenUse
          : late_uses === "count_now"
          ? chosen({ ...use, at: now, isOld: false, isMoved: true }, known)
          : Result.fail(late)
      )
    }
    const state = { ...known, values: yield* readUsedValues(sql, uses), outdated: yield* readOutdated(sql, uses) }
    return { outcomes, past: { counts: past, carriedOut: yield* readCarriedOut(sql, uses, now) }, state }
  }
)
