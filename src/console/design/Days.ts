import { timeZone } from "./Time.tsx"

const minute = 60_000
const day = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** The format of a zone, made once: making one takes longer than a hundred uses of it. */
export const formatOf = (key: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const known = formats.get(`${key} ${zone}`)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
  formats.set(`${key} ${zone}`, made)
  return made
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

/** The day of an instant in a zone, or where the reader is: `YYYY-MM-DD`. */
export const dayIn = (instant: number, zone = timeZone): string =>
  new Date(wallOf(instant, zone)).toISOString().slice(0, 10)

/**
 * The first instant of a day in a zone, or where the reader is, RFC 3339 in UTC. Where clocks are put forward at midnight it is
 * not 00:00. The same zone shows it, so that a day that is saved is not shown as the day before.
 */
export const startOfDay = (date: string, zone = timeZone): string => {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  const candidates = [midnight - day, midnight + day]
    .map((near) => midnight - (wallOf(near, zone) - Math.floor(near / minute) * minute))
    .toSorted((one, other) => one - other)
  const first = candidates.find((instant) => dayIn(instant, zone) === date)
  return new Date(first ?? midnight).toISOString()
}
