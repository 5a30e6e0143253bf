import { dimensionOf } from "../../catalog/Dimensions.ts"
import { calendarPeriod } from "../../catalog/terms/Period.ts"
import type { Period } from "../../catalog/terms/Period.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { Bucket, ReportFilters, ReportKind, Window } from "./Report.ts"

/** A half-open part of a window, in milliseconds since the epoch. */
export type Span = readonly [start: number, end: number]

/** From where the uses of a window are read. */
export interface UsageParts {
  /** Full days of UTC, which the sums of days answer; undefined when there are none. */
  readonly days: Span | undefined
  /** What only single uses answer. */
  readonly records: ReadonlyArray<Span>
}

const dayMillis = 24 * 60 * 60 * 1000

/** The period of the calendar that a bucket is, beginning on Monday where it is a week. */
const periodOf: Readonly<Record<Exclude<Bucket, "1h">, Exclude<Period, "license_month" | "subscription">>> = {
  "1d": "day",
  "1w": "week",
  "1mo": "month",
  "1y": "year"
}

const hourMillis = 60 * 60 * 1000

/** The bucket that an instant lies in, in milliseconds since the epoch. */
const bucketAt = (bucket: Bucket, instant: number): Span => {
  if (bucket === "1h") {
    const start = Math.floor(instant / hourMillis) * hourMillis
    return [start, start + hourMillis]
  }
  const { end, start } = calendarPeriod(periodOf[bucket], instant)
  return [start, end]
}

/** The starts of every bucket that a window touches, in milliseconds since the epoch. */
export const bucketStarts = ({ from, to }: Window, bucket: Bucket): ReadonlyArray<number> => {
  const starts: Array<number> = []
  for (
    let [start, end] = bucketAt(bucket, Date.parse(from));
    start < Date.parse(to);
    [start, end] = bucketAt(bucket, end)
  ) {
    starts.push(start)
  }
  return starts
}

/**
 * Divides a window into full days and what is left at its ends. Buckets of an hour and dimensions need single uses throughout. So does
 * everything from `waitingSince` on, the time of the oldest event that is left out because it has no place in the feed.
 */
export const usageParts = (
  { from, to }: Window,
  { bucket, dimension, waitingSince }: {
    readonly bucket?: Bucket | undefined
    readonly dimension?: string | undefined
    readonly waitingSince?: Date | undefined
  } = {}
): UsageParts => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const firstDay = Math.ceil(start / dayMillis) * dayMillis
  const rolledUp = Math.min(end, waitingSince?.getTime() ?? end)
  const lastDay = Math.floor(rolledUp / dayMillis) * dayMillis
  if (bucket === "1h" || dimension !== undefined || firstDay >= lastDay) {
    return { days: undefined, records: [[start, end]] }
  }
  const ends: ReadonlyArray<Span> = [[start, firstDay], [lastDay, end]]
  return { days: [firstDay, lastDay], records: ends.filter(([first, last]) => first < last) }
}

/** From when on the tables that are pruned by age are whole; undefined where nothing was pruned. */
export interface Pruned {
  readonly activities: Date | undefined
  readonly uses: Date | undefined
}

/** Reports that count activities. */
const readingActivities: ReadonlySet<ReportKind> = new Set(["license-audit", "subscription-settlement"])

/**
 * Whether entries of these filters may be uses. A statement reads each use since its beginning: what grants had left then is what
 * they have left now, and what was used of them since.
 */
export const listsUses = (kind: ReportKind, filters: ReportFilters): boolean => {
  if (kind === "license-audit" || kind === "statement") return true
  const { action } = filters as ReportFilters<"usage-ledger">
  return kind === "usage-ledger" && (action === undefined || action === "license.usage_recorded")
}

/**
 * Reports that count neither uses nor activities: they are of what stands in tables that nothing is pruned of, or say themselves what
 * they do not know any more.
 */
const readingNeither: ReadonlySet<ReportKind> = new Set(["purchases", "licenses", "adoption", "rehearsal"])

const finding = (pruned: Date, what: string): FieldFinding => ({
  path: "from",
  code: "pruned",
  message: `must be ${pruned.toISOString()} or later: ${what}`
})

/**
 * What is wrong with a window for a report of this kind once rows that it counts are gone: what is left would be a
 * smaller count that nobody notices. Of uses the sums of days are kept, so that a report without entries may begin
 * earlier, as long as only full days of it lie before the pruned uses.
 */
export const prunedFindings = (
  kind: ReportKind,
  filters: ReportFilters & Window,
  pruned: Pruned,
  waitingSince?: Date
): ReadonlyArray<FieldFinding> => {
  if (readingNeither.has(kind)) return []
  const { activities, uses } = pruned
  const from = Date.parse(filters.from)
  const { bucket, group_by } = filters as ReportFilters<"usage-summary">
  const dimension = dimensionOf(group_by)
  const needed = listsUses(kind, filters)
    ? [from]
    : usageParts(filters, { bucket, dimension, waitingSince }).records.map(([start]) => start)
  const withoutActivities = activities !== undefined && readingActivities.has(kind) && from < activities.getTime()
  const withoutUses = uses !== undefined && needed.some((start) => start < uses.getTime())
  if (withoutActivities && !(withoutUses && uses > activities)) {
    return [finding(activities, "earlier activities were deleted")]
  }
  if (!withoutUses) return []
  return [
    finding(
      uses,
      listsUses(kind, filters) || bucket === "1h" || dimension !== undefined
        ? "earlier uses were deleted"
        : "of earlier uses only the sums of full days of UTC are kept"
    )
  ]
}
