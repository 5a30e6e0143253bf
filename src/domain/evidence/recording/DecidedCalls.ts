import type { RuntimeOperation } from "../../licensing/entitlements/DecisionInput.ts"

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
