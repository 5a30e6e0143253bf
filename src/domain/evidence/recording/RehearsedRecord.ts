import type { Policy } from "../../catalog/Policy.ts"
import type { DecidedLicense } from "../../licensing/entitlements/DecidingTerm.ts"
import type { DeviceBindingKind, DeviceStatus } from "../../licensing/licenses/Device.ts"
import type { LicenseState } from "../../licensing/licenses/License.ts"
import type { RecordedCalls } from "./DecidedCalls.ts"
import { granted } from "./DecidedCalls.ts"
import type { RecordedUse, RehearsedQuota } from "./RehearsedQuota.ts"

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
