/** How far the clock of the service is ahead of this machine's, in milliseconds. */
let ahead = 0

/** Sets the time that pages use as now: that of a moved clock, or this machine's. */
export const setClock = (now: number | undefined): void => {
  ahead = now === undefined ? 0 : now - Date.now()
}

/** The time that pages use as now, in Unix milliseconds. Nothing else in the console reads a clock. */
export const currentTime = (): number => Date.now() + ahead

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** The largest unit of a distance, in seconds, that has at least one of it. */
const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 365 * day],
  ["month", 30 * day],
  ["day", day],
  ["hour", hour],
  ["minute", minute]
]

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
/** The time zone of the browser. */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const zonePlace = "countersign.zone"

/** The time zone that the reader has chosen in this browser; undefined where none is, or the browser does not know it. */
export const keptZone = (): string | undefined => {
  try {
    const kept = localStorage.getItem(zonePlace)
    return kept === null ? undefined : new Intl.DateTimeFormat("en-GB", { timeZone: kept }).resolvedOptions().timeZone
  } catch {
    // It knows no such zone, or keeps nothing for this page.
    return undefined
  }
}

/** Keeps the time zone that the reader chooses; the empty string for that of the browser. Pages have it once they are loaded again. */
export const keepZone = (zone: string): void => {
  try {
    if (zone === "") localStorage.removeItem(zonePlace)
    else localStorage.setItem(zonePlace, zone)
  } catch {
    // A browser that keeps nothing has its own.
  }
}

/** The reader's time zone: the chosen one, or that of the browser. */
export const timeZone = keptZone() ?? browserZone

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone })
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone })

/** How far an instant is from now, in words: "3 minutes ago", "in 2 days". */
const distanceOf = (instant: string, now = currentTime()): string => {
  const seconds = (Date.parse(instant) - now) / 1000
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
  return Math.abs(seconds) < 5 ? "just now" : relative.format(Math.round(seconds / length), unit)
}

/** A number of seconds in words: "30 ms", "4 s", "2 min", "3 h", "5 days". */
export const durationOf = (seconds: number): string =>
  seconds > 0 && seconds < 0.9995
    ? `${Math.max(1, Math.round(seconds * 1000))} ms`
    : seconds < minute
    ? `${Math.round(seconds * 10) / 10} s`
    : seconds < hour
    ? `${Math.round(seconds / minute)} min`
    : seconds < 2 * day
    ? `${Math.round(seconds / hour)} h`
    : `${Math.round(seconds / day)} days`

/** The day of an instant, in the reader's time zone. */
export const dateOf = (instant: string): string => dates.format(new Date(instant))

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
  const seenFrom = (near: number) => midnight - (wallOf(near, zone) - Math.floor(near / 60_000) * 60_000)
  const [one, other] = [seenFrom(midnight - day * 1000), seenFrom(midnight + day * 1000)]
  const first = [Math.min(one, other), Math.max(one, other)].find((instant) => dayIn(instant, zone) === date)
  return new Date(first ?? midnight).toISOString()
}

/** The day and the second of an instant, in the reader's time zone. */
export const momentOf = (instant: string): string => exact.format(new Date(instant))

interface TimeProps {
  readonly at: string | undefined
  readonly isQuiet?: boolean
}

const Instant = ({ at, children, isQuiet = false }: TimeProps & { readonly children: (at: string) => string }) =>
  at === undefined ? null : (
    <time class={isQuiet ? "quiet" : ""} dateTime={at} title={`${momentOf(at)}, ${timeZone} (${at})`}>
      {children(at)}
    </time>
  )

/** A relative time, with the exact time in its tooltip. */
export const Time = ({ exactly = false, ...props }: TimeProps & { readonly exactly?: boolean }) => (
  <Instant {...props}>{exactly ? momentOf : (at) => distanceOf(at)}</Instant>
)

/** A day, with the moment behind it. */
export const Day = (props: TimeProps) => <Instant {...props}>{dateOf}</Instant>
