import type { RuntimeOperation } from "../entitlements/DecisionInput.ts"

/** An operation whose decisions are recorded. */
export type RecordedOperation = Extract<RuntimeOperation, "activate" | "validate" | "check" | "consume" | "deactivate">

/** The result of a call that was not refused. */
export const granted = "granted"

/** The name of all devices of a license and an hour that are too many to be told apart. */
export const otherDevices = "others"

/** How many days decided calls are kept: as long as the longest window of a rehearsal, and a day. */
export const decidedDays = 93

/** Calls of an hour that were decided alike, about one device. */
export interface DecidedCalls {
  readonly license_id: string
  /** RFC 3339. */
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
}

/** Decided calls as a rehearsal reads them. */
export type RecordedCalls = Omit<DecidedCalls, "app_version" | "hour" | "os">

/** The full hour of an instant, RFC 3339. */
export const hourOf = (at: Date): string => `${at.toISOString().slice(0, 13)}:00:00.000Z`
