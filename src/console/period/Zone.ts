import { timeZone } from "../design/Time.tsx"

const minute = 60_000
const day = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** The format of a zone, made once: making one takes longer than a hundred uses of it. */
const formatOf = (key: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const known = formats.get(`${key} ${zone}`)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
  formats.set(`${key} ${zone}`, made)
  return made
}

/** The time zone of the URL; the reader's own if it names none that this browser knows. */
export const zoneOf = (name: string | undefined): string => {
  if (name === undefined || name === "") return timeZone
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return timeZone
  }
}

const wall: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
}

/** The wall-clock time of a zone at an instant, as milliseconds of a day and minute that are read as UTC. */
const wallOf = (instant: number, zone: string): number => {
  const parts = Object.fromEntries(
    formatOf("wall", zone, wall).formatToParts(instant).map(({ type, value }) => [type, Number(value)])
  )
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"], parts["hour"], parts["minute"])
}

/** The day of an instant in a zone: `YYYY-MM-DD`. */
export const dayIn = (instant: number, zone: string): string =>
  new Date(wallOf(instant, zone)).toISOString().slice(0, 10)

/** The first instant of a day in a zone, RFC 3339 in UTC. Where clocks are put forward at midnight it is not 00:00. */
export const startOfDay = (date: string, zone: string): string => {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  const candidates = [midnight - day, midnight + day]
    .map((near) => midnight - (wallOf(near, zone) - Math.floor(near / minute) * minute))
    .toSorted((one, other) => one - other)
  const first = candidates.find((instant) => dayIn(instant, zone) === date)
  return new Date(first ?? midnight).toISOString()
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
