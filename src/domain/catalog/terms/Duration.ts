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

/** What a duration is, in words. */
const inWords = "an ISO 8601 duration from years to minutes, such as P14D, P1M or P1Y"

/** Schema of {@link Duration} as text: years, months, weeks, days, hours and minutes of ISO 8601, not all zero. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((value: string) => parseDuration(value) !== undefined, {
    expected: inWords,
    toJsonSchema: () => ({ pattern: pattern.source })
  })
)

/**
 * The pattern of a duration as it is given: of less than 5,000 years. With all other parts at their longest it leads to
 * no instant beyond the year 9999, from any before the year 3600.
 */
const given = new RegExp(pattern.source.replace("(\\d{1,4}Y)", "([0-4]?\\d{1,3}Y)"))

/** A {@link DurationText} of a request. What is stored may be longer, from before there was a limit. */
export const DurationInput = Schema.String.check(
  Schema.makeFilter((value: string) => parseDuration(value) !== undefined && given.test(value), {
    expected: `${inWords}, of less than 5,000 years`,
    toJsonSchema: () => ({ pattern: given.source })
  })
)

/** The last instant that an RFC 3339 date-time can say, in Unix milliseconds. */
export const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A span of the calendar in the units that are counted apart: years are months of which there are twelve. */
type Span = Readonly<Partial<Record<"months" | "weeks" | "days" | "hours" | "minutes", number>>>

/**
 * The instant a span of the calendar after another, both in Unix milliseconds: the one place where months and days are
 * added. Both are those of the UTC calendar, which has no daylight saving: a month after 31 January is the last day of
 * February. A series of ends is counted from its first instant, never from the end before: a short month would shorten
 * every later one.
 */
export const addSpan = (instant: number, { months = 0, ...rest }: Span): number =>
  // Months first and in one step, so that a leap day is moved once.
  DateTime.toEpochMillis(DateTime.makeUnsafe(instant).pipe(DateTime.add({ months }), DateTime.add(rest)))

const spanOf = (text: string): Required<Omit<Span, "weeks">> => {
  const duration = parseDuration(text)
  if (duration === undefined) throw new TypeError(`Not a duration: ${text}`)
  const { days, hours, minutes, months, years } = duration
  return { months: years * 12 + months, days, hours, minutes }
}

/** A span as often as is said. */
const times = ({ days, hours, minutes, months }: Required<Omit<Span, "weeks">>, count: number) => ({
  months: months * count,
  days: days * count,
  hours: hours * count,
  minutes: minutes * count
})

const within = (end: number): number | undefined => end <= lastInstant ? end : undefined

/** The instant a duration after another, both in Unix milliseconds; undefined beyond the year 9999. */
export const afterDuration = (instant: number, text: string): number | undefined =>
  within(addSpan(instant, spanOf(text)))

/** The calendar months between two instants, whatever their days. */
export const monthsBetween = (from: number, to: number): number => {
  const [first, last] = [new Date(from), new Date(to)]
  return (last.getUTCFullYear() - first.getUTCFullYear()) * 12 + last.getUTCMonth() - first.getUTCMonth()
}

const day = 86_400_000

/** About how long a span is, in milliseconds. */
const roughly = ({ days, hours, minutes, months }: Required<Omit<Span, "weeks">>): number =>
  months * 30.436_875 * day + days * day + hours * 3_600_000 + minutes * 60_000

/** An end of a series, and the instant that its ends are counted from. */
export interface TermEnd {
  readonly anchor: number
  readonly end: number
}

/**
 * The end of the next term of a series that was counted from `anchor` and has come to `end`; undefined beyond the year
 * 9999. It is counted from the anchor too, so that after 31 January and 28 February comes 31 March. An end that does not
 * lie on the series is the anchor of a new one.
 */
export const nextTerm = ({ anchor, end }: TermEnd, text: string): TermEnd | undefined => {
  const span = spanOf(text)
  const from = (start: number, far: Span): TermEnd | undefined => {
    const next = within(addSpan(start, far))
    return next === undefined ? undefined : { anchor: start, end: next }
  }
  const isOfMonths = span.days === 0 && span.hours === 0 && span.minutes === 0
  if (isOfMonths) {
    const passed = monthsBetween(anchor, end)
    return passed >= 0 && addSpan(anchor, { months: passed }) === end
      ? from(anchor, { months: passed + span.months })
      : from(end, span)
  }
  const about = Math.round((end - anchor) / roughly(span))
  const count = [about, about - 1, about + 1].find((terms) => terms >= 0 && addSpan(anchor, times(span, terms)) === end)
  return count === undefined ? from(end, span) : from(anchor, times(span, count + 1))
}

/**
 * The end of a duration from an instant; undefined without one. A term that is stored may lead beyond what an instant can say: it
 * ends there, and is not taken for none.
 */
export const endOfTerm = (start: number, duration: string | null | undefined): number | undefined =>
  duration == null ? undefined : afterDuration(start, duration) ?? lastInstant
