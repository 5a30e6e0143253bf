import { DateTime, Schema } from "effect"
import { addSpan, monthsBetween } from "./Duration.ts"

/**
 * When a quota starts again, in UTC: with the day, the week (from Monday, ISO 8601), the month or the year of the
 * calendar, with each month of the license from its start, or with each period of the license's subscription.
 */
export const Period = Schema.Literals(["day", "week", "month", "year", "license_month", "subscription"])
  .annotate({
    identifier: "QuotaPeriod",
    description:
      "When a quota resets, in UTC: each `day`, `week` (from Monday), `month` or `year` of the calendar; each " +
      "month of the license from its start; or each period of its subscription."
  })
export type Period = typeof Period.Type

/** What the periods of a license depend on; instants are Unix milliseconds on the database's clock. */
export interface PeriodClock {
  readonly now: number
  /** When the license starts: its `starts_at`, or else its creation. */
  readonly licenseStart: number
  /** The instant up to which units of earlier periods were carried, or before which there were none. */
  readonly rolledUntil?: number
  /** The current period of the license's subscription, if it has one. */
  readonly subscription: { readonly start: number; readonly end: number } | undefined
}

/** A stretch of time, from and until when, in Unix milliseconds. The end does not belong to it. */
export interface PeriodSpan {
  readonly start: number
  readonly end: number
}

/** The period of the calendar in UTC that an instant lies in. */
export const calendarPeriod = (unit: "day" | "week" | "month" | "year", now: number): PeriodSpan => {
  const start = DateTime.toEpochMillis(DateTime.startOf(DateTime.makeUnsafe(now), unit, { weekStartsOn: 1 }))
  return { start, end: addSpan(start, unit === "year" ? { months: 12 } : { [`${unit}s`]: 1 }) }
}

/** The `count`th anniversary in months. Each is counted from the start, so that a short month moves no other one. */
const anniversary = (start: number, count: number): number => addSpan(start, { months: count })

const licenseMonth = ({ licenseStart, now }: PeriodClock): PeriodSpan => {
  const months = monthsBetween(licenseStart, now)
  // The anniversary of this calendar month may still lie ahead.
  const passed = anniversary(licenseStart, months) <= now ? months : months - 1
  return { start: anniversary(licenseStart, passed), end: anniversary(licenseStart, passed + 1) }
}

/**
 * The period that an instant lies in. Without a subscription a quota of its periods never starts again: undefined. A
 * subscription whose period is over stays in it until the billing system tells of the next.
 */
export const periodAt = (period: Period, clock: PeriodClock): PeriodSpan | undefined => {
  switch (period) {
    case "subscription":
      return clock.subscription
    case "license_month":
      return licenseMonth(clock)
    default:
      return calendarPeriod(period, clock.now)
  }
}

/** What a counter says: how much was counted in the period that began at `start`. */
export interface PeriodCount {
  /** Unix milliseconds; undefined before the first use. */
  readonly start: number | undefined
  readonly consumed: number
}

/**
 * What is counted in the period that an instant lies in. A counter belongs to its period: in a later one it is zero. It
 * never goes back to an earlier one, whatever a clock that was set back says.
 */
export const countIn = (
  period: PeriodSpan,
  count: PeriodCount
): { readonly start: number; readonly consumed: number } =>
  count.start !== undefined && count.start >= period.start
    ? { start: count.start, consumed: count.consumed }
    : { start: period.start, consumed: 0 }

/** What was counted in the period that began at an instant, by the records; Unix milliseconds. */
export interface RecountedPeriod {
  readonly start: number
  readonly consumed: number
  /** How much of it grants served. */
  readonly drawn: number
}
