import { calendarPeriod } from "../../catalog/terms/Period.ts"
import type { Period } from "../../catalog/terms/Period.ts"
import type { Bucket, Window } from "./Report.ts"

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
