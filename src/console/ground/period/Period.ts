import { currentTime, dayIn, formatOf, startOfDay, timeZone } from "../design/Time.tsx"
import { useFilters } from "../lists/Filters.ts"

/** The time zone of the URL; the reader's own if it names none that this browser knows. */
export const zoneOf = (name: string | undefined): string => {
  if (name === undefined || name === "") return timeZone
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return timeZone
  }
}

/** An instant for a table of a report: its day and minute in a zone. */
export const minuteIn = (instant: string, zone: string): string =>
  formatOf("minute", zone, { dateStyle: "medium", timeStyle: "short" }).format(Date.parse(instant))

/** An instant as the ledger and the audit show it: its day and second in a zone. */
export const secondIn = (instant: string, zone: string): string =>
  formatOf("second", zone, { dateStyle: "medium", timeStyle: "medium" }).format(Date.parse(instant))

/** A day of the calendar in words: `1 Oct 2026`. */
export const dayInWords = (date: string): string =>
  formatOf("day", "UTC", { dateStyle: "medium" }).format(Date.parse(`${date}T00:00:00Z`))

/** A month of the calendar in words: `October 2026`. */
export const monthInWords = (month: string): string =>
  formatOf("month", "UTC", { month: "long", year: "numeric" }).format(Date.parse(`${month}-01T00:00:00Z`))

/** The time of a report: from the first instant, up to but not including the last. */
export interface Period {
  /** As it is said: `October 2026`, `November 2026 to date`. */
  readonly name: string
  /** RFC 3339 in UTC; absent where the report's subject has a period of its own. */
  readonly from?: string
  readonly to?: string
  readonly isRunning: boolean
  /** The reason why it is invalid. */
  readonly wrong?: string
}

/** How many months can be chosen by name. */
const monthsBack = 24

/** Selected instead of a month: custom days, and the period of the subscription or order. */
export const byDays = "days"
export const itsOwn = "own"

const monthPattern = /^\d{4}-(?:0[1-9]|1[0-2])$/
const dayPattern = /^\d{4}-\d\d-\d\d$/

/** The month so many after another: `2026-12` after `2026-11`. */
const monthAfter = (month: string, months: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + months, 1)).toISOString().slice(0, 7)

/** The day after another: `2026-12-01` after `2026-11-30`. */
export const dayAfter = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** The months that can be chosen, the last full one first, and then the one that runs. */
export const monthsOf = (zone: string, now = currentTime()): ReadonlyArray<readonly [string, string]> => {
  const current = dayIn(now, zone).slice(0, 7)
  return [
    [monthAfter(current, -1), `Last month: ${monthInWords(monthAfter(current, -1))}`],
    [current, `This month to date: ${monthInWords(current)}`],
    ...Array.from({ length: monthsBack - 1 }, (_, index) => monthAfter(current, -2 - index))
      .map((month) => [month, monthInWords(month)] as const)
  ]
}

const isDay = (text: string): boolean => dayPattern.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

/** The period of an address; the last full month where it has none. */
export const periodOf = (query: Readonly<Record<string, string>>, zone: string, now = currentTime()): Period => {
  const { first = "", last = "", month = "" } = query
  if (month === itsOwn) return { name: "billing period", isRunning: false }
  const until = (to: string, name: string, from: string): Period => {
    const isRunning = Date.parse(to) > now
    return { name: isRunning ? `${name} to date` : name, from, to, isRunning }
  }
  if (month === byDays) {
    if (!isDay(first) || !isDay(last)) {
      return { name: "some days", isRunning: false, wrong: "Select a start and an end date." }
    }
    if (last < first) return { name: "some days", isRunning: false, wrong: "The end date is before the start date." }
    const name = first === last ? dayInWords(first) : `${dayInWords(first)} to ${dayInWords(last)}`
    return until(startOfDay(dayAfter(last), zone), name, startOfDay(first, zone))
  }
  const chosen = monthPattern.test(month) ? month : monthAfter(dayIn(now, zone).slice(0, 7), -1)
  return until(startOfDay(`${monthAfter(chosen, 1)}-01`, zone), monthInWords(chosen), startOfDay(`${chosen}-01`, zone))
}

/** The window of a period as the API takes it. */
export const windowOf = (
  { from, to }: Pick<Period, "from" | "to">
): { readonly from?: string; readonly to?: string } => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to })
})

/** Its limits in words, in the zone. */
export const limitsOf = (
  { from, isRunning, to }: { readonly from?: string; readonly to?: string; readonly isRunning: boolean },
  zone: string
): string =>
  from === undefined || to === undefined
    ? zone
    : isRunning
    ? `${minuteIn(from, zone)} to now, ${zone}`
    : `${minuteIn(from, zone)} to ${minuteIn(to, zone)}, ${zone}`

const textOf = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

/**
 * The period of an export, by its filters, in the time zone that it is printed in: a month or days if it covers whole
 * ones; undefined if it was requested without one.
 */
export const spanOf = (
  filters: Readonly<Record<string, unknown>>,
  frozenAt: string,
  zone: string
): string | undefined => {
  const from = textOf(filters["from"])
  const to = textOf(filters["to"])
  if (from === undefined && to === undefined) return undefined
  const isOpen = to === undefined || Date.parse(to) > Date.parse(frozenAt)
  const first = from === undefined ? undefined : dayIn(Date.parse(from), zone)
  const isWhole = first !== undefined && Date.parse(startOfDay(first, zone)) === Date.parse(from!)
  const begin = from === undefined ? undefined : isWhole ? dayInWords(first!) : minuteIn(from, zone)
  if (to === undefined) return `${begin} to date`
  const last = dayIn(Date.parse(to) - 1, zone)
  const isWholeEnd = Date.parse(startOfDay(dayAfter(last), zone)) === Date.parse(to)
  const month = last.slice(0, 7)
  if (isWhole && isWholeEnd && first === `${month}-01` && dayAfter(last).endsWith("-01")) {
    return isOpen ? `${monthInWords(month)} to date` : monthInWords(month)
  }
  if (isOpen) return begin === undefined ? "all time" : `${begin} to date`
  const end = isWholeEnd ? dayInWords(last) : minuteIn(to, zone)
  if (begin === undefined) return `until ${end}`
  return begin === end ? begin : `${begin} to ${end}`
}

/**
 * The period and the filters of the URL, and functions that change them. The time zone is part of the URL, so that a
 * shared link means the same to everybody.
 */
export const useSelection = () => {
  const { query, set, setTyped } = useFilters()
  const zone = zoneOf(query["zone"])
  return {
    query,
    zone,
    period: periodOf(query, zone),
    set: (changes: Readonly<Record<string, string>>) => set({ zone, ...changes }),
    setTyped: (changes: Readonly<Record<string, string>>) => setTyped({ zone, ...changes })
  }
}
export type Selection = ReturnType<typeof useSelection>

/** The part of an address that other reports of the same time share. */
export const timeQuery = ({ query, zone }: Selection, more: Readonly<Record<string, string>> = {}): string => {
  const kept = ["month", "first", "last"].flatMap((name) => {
    const value = query[name]
    return value === undefined || value === "" || value === itsOwn ? [] : [[name, value]]
  })
  return String(new URLSearchParams([...kept, ["zone", zone], ...Object.entries(more)]))
}
