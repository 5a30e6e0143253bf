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

/**
 * Divides a window into full days and what is left at its ends. Buckets of an hour need single uses throughout. So does
 * everything from `waitingSince` on, the time of the oldest event that is left out because it has no place in the feed.
 */
export const usageParts = (
  { from, to }: Window,
  { bucket, waitingSince }: { readonly bucket?: Bucket | undefined; readonly waitingSince?: Date | undefined } = {}
): UsageParts => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const firstDay = Math.ceil(start / dayMillis) * dayMillis
  const rolledUp = Math.min(end, waitingSince?.getTime() ?? end)
  const lastDay = Math.floor(rolledUp / dayMillis) * dayMillis
  if (bucket === "1h" || firstDay >= lastDay) return { days: undefined, records: [[start, end]] }
  const ends: ReadonlyArray<Span> = [[start, firstDay], [lastDay, end]]
  return { days: [firstDay, lastDay], records: ends.filter(([first, last]) => first < last) }
}
