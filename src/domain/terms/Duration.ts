import { DateTime, Schema } from "effect"

/** A span of the calendar. Weeks are read as seven days. */
export interface Duration {
  readonly years: number
  readonly months: number
  readonly days: number
  readonly hours: number
  readonly minutes: number
}

const pattern = /^P(?=\d|T\d)(\d{1,4}Y)?(\d{1,4}M)?(\d{1,4}W)?(\d{1,5}D)?(T(?=\d)(\d{1,5}H)?(\d{1,6}M)?)?$/

const number = (part: string | undefined): number => part === undefined ? 0 : Number.parseInt(part, 10)

/** Reads an ISO 8601 duration; undefined where the text is none, or says no time at all. */
const parseDuration = (text: string): Duration | undefined => {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const [, years, months, weeks, days, , hours, minutes] = found
  const duration = {
    years: number(years),
    months: number(months),
    days: number(weeks) * 7 + number(days),
    hours: number(hours),
    minutes: number(minutes)
  }
  return Object.values(duration).some((value) => value > 0) ? duration : undefined
}

/** Schema of {@link Duration} as text: years, months, weeks, days, hours and minutes of ISO 8601, not all zero. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((value: string) => parseDuration(value) !== undefined, {
    expected: "an ISO 8601 duration of years, months, weeks, days, hours and minutes, such as P14D, P1M or P1Y",
    toJsonSchema: () => ({ pattern: pattern.source })
  })
)

/** The last instant that an RFC 3339 date-time can say, in Unix milliseconds. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * The instant a duration after another, both in Unix milliseconds; undefined beyond the year 9999. Years and months
 * are those of the UTC calendar, which has no daylight saving: a month after 31 January is the last day of February.
 */
export const afterDuration = (instant: number, text: string): number | undefined => {
  const duration = parseDuration(text)
  if (duration === undefined) throw new TypeError(`Not a duration: ${text}`)
  const { days, hours, minutes, months, years } = duration
  // Years are months of which there are twelve: in one step, a leap day is moved once.
  const later = DateTime.makeUnsafe(instant).pipe(
    DateTime.add({ months: years * 12 + months }),
    DateTime.add({ days, hours, minutes })
  )
  const end = DateTime.toEpochMillis(later)
  return end <= lastInstant ? end : undefined
}
