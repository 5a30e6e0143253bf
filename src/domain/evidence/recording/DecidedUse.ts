import type { Policy } from "../../catalog/Policy.ts"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { servedUpTo } from "../../catalog/terms/Overage.ts"
import { periodAt } from "../../catalog/terms/Period.ts"
import type { Period } from "../../catalog/terms/Period.ts"
import type { DecidedLicense } from "../../licensing/entitlements/DecidingTerm.ts"
import type { RuntimeOperation } from "../../licensing/entitlements/DecisionInput.ts"
import type { DeviceBindingKind, DeviceStatus } from "../../licensing/licenses/Device.ts"
import type { LicenseState } from "../../licensing/licenses/License.ts"

/** An operation on a floating seat. */
type LeaseOperation = Extract<RuntimeOperation, "checkout" | "heartbeat" | "checkin">

/** An operation whose decisions are recorded. */
export type RecordedOperation =
  | Extract<RuntimeOperation, "activate" | "validate" | "check" | "consume" | "deactivate">
  | LeaseOperation

/** Whether a call is about a floating seat. */
export const isOfLease = ({ operation }: { readonly operation: RecordedOperation }): boolean =>
  operation === "checkout" || operation === "heartbeat" || operation === "checkin"

/** The result of a call that was not refused. */
export const granted = "granted"

/** The name of all devices of a license and an hour that are too many to be told apart. */
export const otherDevices = "others"

/** How many days decided calls are kept: as long as the longest window of a rehearsal, and a day. */
export const decidedDays = 93

/** Calls of an hour that were decided alike, about one device. */
export interface DecidedCalls {
  readonly license_id: string
  /** The full hour of the calls, and the minute of those that take or give back a floating seat. RFC 3339. */
  readonly hour: string
  /** The ID of the device, the digest of a binding that the license did not know, or {@link otherDevices}. */
  readonly device: string
  readonly operation: RecordedOperation
  /** {@link granted}, or the code of the refusal. */
  readonly result: string
  readonly is_vm: boolean
  readonly is_container: boolean
  readonly calls: number
  readonly first_at: Date
  readonly last_at: Date
  readonly app_version?: string
  readonly os?: string
  /** Who was signed in; {@link several} where it was not always the same user. Absent: nobody, or it was not recorded. */
  readonly user_id?: string
  /** The feature that was used; {@link several} where it was not always the same. Absent: none, or what the use depended on is not recorded. */
  readonly feature_code?: string
  /** How much was asked for in all of the calls. */
  readonly amount?: number
  /** The least that was left to any of the calls; absent where no quota limits the feature, {@link notEntitled} where the license had none. */
  readonly remaining?: number
  /**
   * The shortest and the longest time between two calls that follow each other, in milliseconds; absent of a single call, and of those that
   * are not about a floating seat. Calls that two nodes answered at the same time may be closer to each other than the shortest says: it is 0 then.
   */
  readonly shortest_pause?: number
  readonly longest_pause?: number
}

/** Stands for several values of calls that are one record. */
export const several = ""

/** Stands for what is left of a feature that a license does not have. */
export const notEntitled = -1

/** What decided calls have of which not all have one. */
type Absent = "amount" | "feature_code" | "longest_pause" | "remaining" | "shortest_pause" | "user_id"

/** Decided calls as a rehearsal reads them: null where a row has none. */
export type RecordedCalls =
  & Omit<DecidedCalls, Absent | "app_version" | "hour" | "os">
  & { readonly [Name in Absent]-?: Exclude<DecidedCalls[Name], undefined> | null }

const millisecondsOfHour = 3_600_000

// Each call asks for its hour, and it is that of the call before.
let latest = { hour: Number.NaN, text: "" }

/** The full hour of an instant, RFC 3339. */
export const hourOf = (at: Date): string => {
  const hour = Math.floor(at.getTime() / millisecondsOfHour)
  if (hour !== latest.hour) latest = { hour, text: new Date(hour * millisecondsOfHour).toISOString() }
  return latest.text
}

/** The instant whose calls of an operation are one record: seats are taken rarely, and who waits for one depends on when. */
export const recordOf = (operation: RecordedOperation, at: Date): string =>
  operation === "checkout" || operation === "checkin" ? `${at.toISOString().slice(0, 16)}:00.000Z` : hourOf(at)

/** What a policy says of the quota of a feature. */
export interface QuotaTerms {
  /** Null where nothing limits the use. */
  readonly quota: number | null
  readonly overage: string | null
  readonly period: Period | null
}

/** The terms of a quota from an instant on; null where the policy does not grant the feature. Instants are Unix milliseconds. */
export interface QuotaStep {
  readonly at: number
  readonly terms: QuotaTerms | null
}

/** A change of the quota of a feature: what is left out stays as it is. */
export interface QuotaChange {
  readonly quota?: number | null
  readonly overage?: string | null
}

/** A use of a feature that was counted, as its event tells of it. */
export interface RecordedUse {
  readonly at: number
  /** Undefined where a backend reported it. */
  readonly device: string | undefined
  readonly amount: number
  /** What is counted against the quota after it. */
  readonly consumed: number
  /** When the period began that it was counted in; 0 where the quota has none. */
  readonly period: number
  /** The quota with what was added to it; undefined without one. */
  readonly quota: number | undefined
}

/** The quota of a feature of a license that a rehearsal changes. */
export interface RehearsedQuota {
  readonly code: string
  /** In the order of time. */
  readonly steps: ReadonlyArray<QuotaStep>
  readonly change: QuotaChange
  /** In the order of the log. */
  readonly uses: ReadonlyArray<RecordedUse>
  /** When what is counted was corrected by hand. */
  readonly corrected: ReadonlyArray<number>
  /** Whether the quota alone decides uses: without grants, a meter, or terms of the license's own. */
  readonly isTold: boolean
}

/** The most that is served, as it was and under the changed terms. */
export interface Served {
  readonly actual: number
  readonly changed: number
}

/** What is served under terms of a quota, as they are and as a change leaves them. */
export const servedBy = (terms: QuotaTerms, { overage = terms.overage, quota = terms.quota }: QuotaChange): Served => ({
  actual: terms.quota === null ? Infinity : servedUpTo(terms.quota, terms.overage),
  changed: quota === null ? Infinity : servedUpTo(quota, overage)
})

/** When the period began that an instant lies in; 0 where the quota has none. */
export const periodOf = ({ period }: QuotaTerms, now: number, licenseStart: number): number =>
  period === null ? 0 : periodAt(period, { now, licenseStart, subscription: undefined })?.start ?? 0

/** A license as an event leaves it. */
export interface LoggedLicense extends DecidedLicense {
  readonly policy_id: string
  readonly state: LicenseState
}

/** A device as an event leaves it: by an activation, whose class the event has, or by another hand. */
export interface LoggedSeat {
  readonly id: string
  readonly kind: DeviceBindingKind
  readonly isVm: boolean
  readonly status: DeviceStatus
  readonly isActivation: boolean
}

/** A lease as its table has it; instants are Unix milliseconds. */
export interface RecordedLease {
  readonly device: string
  readonly opened: number
  /** When it ended, or would end without another heartbeat. */
  readonly ended: number
  /** What ended it; null where its time runs or ran out. */
  readonly reason: string | null
}

/** A user of a license as its table has it; instants are Unix milliseconds. */
export interface RecordedUser {
  readonly id: string
  /** When the user was invited, or signed in uninvited. */
  readonly created: number
  /** When the user took the seat; undefined where that never was. */
  readonly joined: number | undefined
  readonly removed: number | undefined
  readonly because: string | undefined
}

/** A step of the log, at an instant in Unix milliseconds, that says one of these. */
export interface LoggedStep {
  readonly at: number
  readonly license?: LoggedLicense
  readonly seat?: LoggedSeat
  readonly policy?: Policy
  /** A lease that was held when the recording of such calls began. */
  readonly heldLease?: RecordedLease
  /** The device whose lease was ended by hand. */
  readonly leaseEnd?: string
  /** Whether all leases ended, as by a transfer. */
  readonly endsLeases?: boolean
  /** Whether something happened that no record tells enough of. */
  readonly isLost?: boolean
}

/** Everything that a rehearsal reads of a license. */
export interface RehearsedRecord {
  readonly policyId: string
  /** In the order of the log. */
  readonly steps: ReadonlyArray<LoggedStep>
  readonly calls: ReadonlyArray<RecordedCalls>
  /** The start of the window, in Unix milliseconds. */
  readonly from: number
  /** The leases that were held in the window. */
  readonly leases?: ReadonlyArray<RecordedLease>
  /** The users who had a seat or an invitation in the window. */
  readonly users?: ReadonlyArray<RecordedUser>
  /** The quotas of features that change. */
  readonly quotas?: ReadonlyArray<RehearsedQuota>
  /** When the license was issued, in Unix milliseconds. */
  readonly issued?: number
  /** Since when calls about leases are recorded, in Unix milliseconds. */
  readonly leasesFrom?: number
}

/** A call to decide: the first or the last of several alike, or an activation that only the log tells of. */
export interface Moment extends Pick<RecordedCalls, "calls" | "device" | "operation" | "result"> {
  readonly at: number
  readonly kind: DeviceBindingKind
  readonly isVm: boolean
  /** Who was signed in; undefined where nobody was or it is not recorded, {@link several} where it was not always the same user. */
  readonly userId: string | undefined
  readonly row: RecordedCalls | undefined
  readonly isLast: boolean
  /** Whether it is between the first and the last of its record. */
  readonly isBetween?: boolean
  /** The use that an event tells of, where its quota changes. */
  readonly use?: RecordedUse
  /** Whether these are all calls of a record of which no event tells. */
  readonly isRest?: boolean
}

/** Whether a call, if it is granted, changes who has a seat. */
export const changesSeats = ({ operation }: Pick<Moment, "operation">): boolean =>
  operation === "activate" || operation === "deactivate"

/** How far an activation's event may be from the call that it is of: the event is written when the group is. */
const sameCallMillis = 5_000

const kindOf = (isContainer: boolean): DeviceBindingKind => isContainer ? "container" : "hardware"

/** The calls to decide of a row of the record: the first, those `between` whose instants are known, and the last of several. */
export const momentsOf = (row: RecordedCalls, between: ReadonlyArray<number> = []): ReadonlyArray<Moment> => {
  const common = {
    device: row.device,
    operation: row.operation,
    result: row.result,
    kind: kindOf(row.is_container),
    isVm: row.is_vm,
    userId: row.user_id ?? undefined,
    row
  }
  const first = { ...common, at: row.first_at.getTime(), calls: 1, isLast: false }
  return row.calls === 1
    ? [first]
    : [
      first,
      ...between.map((at) => ({ ...common, at, calls: 1, isLast: false, isBetween: true })),
      { ...common, at: row.last_at.getTime(), calls: row.calls - 1 - between.length, isLast: true }
    ]
}

/** Steps in the order in which they are decided, and those that a recorded call is of. */
interface PlacedSteps {
  readonly steps: ReadonlyArray<LoggedStep>
  /** The very event of the first or the last call of a record: the call says it. */
  readonly called: ReadonlySet<LoggedStep>
  /** The event of a call between them. */
  readonly repeated: ReadonlySet<LoggedStep>
}

const isOfCall = ({ seat }: LoggedStep): boolean => seat?.isActivation === true || seat?.status === "deactivated"

const callName = (device: string, isActivation: boolean): string =>
  `${device} ${isActivation ? "activate" : "deactivate"}`

/** The call that a change of a seat must have been of which the log has the instant. */
export const momentOf = (step: LoggedStep, seat: LoggedSeat): Moment => ({
  at: step.at,
  calls: 1,
  device: seat.id,
  operation: seat.isActivation ? "activate" : "deactivate",
  result: granted,
  kind: seat.kind,
  isVm: seat.isVm,
  userId: undefined,
  row: undefined,
  isLast: false
})

/**
 * Puts the event of a recorded call behind the call. Its time is that of its transaction, which began before the decision was made,
 * or was written after it.
 */
export const placedSteps = ({ calls, from, steps }: RehearsedRecord): PlacedSteps => {
  const events = Map.groupBy(
    steps.filter((step) => step.at >= from - sameCallMillis && isOfCall(step)),
    ({ seat }) => callName(seat!.id, seat!.isActivation)
  )
  const after = new Map<LoggedStep, number>()
  const repeated = new Set<LoggedStep>()
  const rows = calls.filter((row) => changesSeats(row) && row.result === granted)
  for (
    const { device, first_at, last_at, operation } of rows.toSorted((a, b) => Number(a.first_at) - Number(b.first_at))
  ) {
    const [first, last] = [first_at.getTime(), last_at.getTime()]
    const own = (events.get(callName(device, operation === "activate")) ?? []).filter((step) =>
      first - sameCallMillis <= step.at && step.at <= last + sameCallMillis && !after.has(step) && !repeated.has(step)
    )
    for (const [index, step] of own.entries()) {
      if (index === 0 && Math.abs(step.at - first) <= sameCallMillis) after.set(step, first)
      else if (index === own.length - 1 && Math.abs(step.at - last) <= sameCallMillis) after.set(step, last)
      else repeated.add(step)
    }
  }
  const called = new Set<LoggedStep>()
  const placed = steps.map((step) => {
    const at = after.get(step)
    if (at === undefined) return step
    const later = { ...step, at: Math.max(step.at, at + 0.5) }
    called.add(later)
    return later
  })
  return { steps: placed.toSorted((a, b) => a.at - b.at), called, repeated }
}

/** The use of a feature as it was decided: how much was asked for, and left; undefined where no quota limits it. */
export interface DecidedUse {
  readonly feature_code: string
  readonly amount: number
  readonly remaining: number | undefined
}

/** What decides a use of a feature. */
interface DecidingFeature extends Pick<EffectiveFeature, "enabled" | "meter" | "quota"> {
  readonly granted: { readonly pools: ReadonlyArray<unknown> } | undefined
}

/** A use with what decided it; undefined where that is more than its quota: how it is measured, or what other licenses leave of a pool. */
export const decidedUse = (asked: DecidedUse, feature: DecidingFeature | undefined): DecidedUse | undefined => {
  if (feature?.enabled !== true) return { ...asked, remaining: notEntitled }
  if (feature.meter !== null || (feature.granted?.pools.length ?? 0) > 0) return undefined
  return feature.quota === null ? { ...asked, remaining: undefined } : asked
}
