import type { FieldFinding, Warning } from "../ground/wire/Errors.ts"
import { optional, Timestamp, TimestampInput } from "../ground/wire/Fields.ts"

/** When the billing system last changed a record, by its own clock, as a record shows it. */
export const SourceInstant = optional(Timestamp, "Time of the last change in the billing system, by its own clock.")

/** The same in a request. */
export const SourceInstantInput = optional(
  TimestampInput,
  "Time of the change in the billing system, by its clock: the `created` of its event. A change that is " +
    "older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any " +
    "order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the " +
    "service."
)

/** What has an instant of its source. */
export interface Sourced {
  readonly source_updated_at?: string
}

/**
 * Whether a change is older than what is stored. One of the same instant is made: billing systems count seconds, and
 * several events of one second arrive in their order more often than not.
 */
export const isOutdated = (stored: Sourced, change: Sourced): boolean =>
  stored.source_updated_at !== undefined && change.source_updated_at !== undefined &&
  Date.parse(change.source_updated_at) < Date.parse(stored.source_updated_at)

/** How far ahead of the service's clock a billing system's may be, in milliseconds. */
const tolerance = 86_400_000

/** Whether an instant is too far ahead: it would outdate every later event. `now` is in Unix milliseconds. */
export const isTooFarAhead = (instant: string, now: number): boolean => Date.parse(instant) > now + tolerance

/** The finding about an instant that is too far ahead. `now` is in Unix milliseconds. */
export const sourceFindings = ({ source_updated_at }: Sourced, now: number): ReadonlyArray<FieldFinding> =>
  source_updated_at !== undefined && isTooFarAhead(source_updated_at, now)
    ? [{ path: "source_updated_at", code: "too_late", message: "must not be more than a day ahead" }]
    : []

/** What a caller is told whose change was older than what is stored. */
export const warningsAboutSource = (change: Sourced, stored: Sourced): ReadonlyArray<Warning> =>
  isOutdated(stored, change)
    ? [{
      code: "SOURCE_OUTDATED",
      message:
        `The change was ignored: the stored record is newer. Its billing system changed it at ${stored.source_updated_at}.`,
      field: "source_updated_at"
    }]
    : []
