import { Schema } from "effect"

/**
 * A time zone as it was known when a report was frozen. Governments change zones, and machines learn of it at different
 * times; with the offsets beside the name, a file is the same wherever and whenever it is rendered.
 */
export const FrozenTimeZone = Schema.Struct({
  /** Of the IANA database, as the caller wrote it. */
  name: Schema.String,
  /** Ascending. The first one also holds before its `since`, and the last one after it. */
  offsets: Schema.Array(Schema.Struct({
    /** Minutes east of UTC. */
    minutes: Schema.Int,
    /** RFC 3339 in UTC with milliseconds. */
    since: Schema.String
  }))
})
export type FrozenTimeZone = typeof FrozenTimeZone.Type

const minute = 60_000

/** A format that says the offset of an instant; undefined where the platform does not know the zone. */
const formatOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric" })
  } catch {
    return undefined
  }
}

const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

/** A time zone in a request: a name of the IANA database. */
export const TimeZoneName = Schema.String.check(
  Schema.isPattern(zonePattern, {
    expected: "a time zone of the IANA database, such as Europe/Berlin",
    toJsonSchema: () => ({ pattern: zonePattern.source })
  }),
  Schema.isMaxLength(64),
  Schema.makeFilter((value: string) => formatOf(value) !== undefined)
)

/** Reports look back ten years at most, but for the ledger; licenses may end long after. */
const yearsBack = 10
const yearsAhead = 30

const mostFrozen = 1_000
const frozen = new Map<string, FrozenTimeZone>()

/** Looks up the offsets of a zone around the year of `at`: 80 for one that changes its clocks twice a year. */
export const freezeTimeZone = (name: string, at: string): FrozenTimeZone => {
  const year = Number(at.slice(0, 4))
  const known = frozen.get(`${name} ${year}`)
  if (known !== undefined) return known
  const format = formatOf(name)
  if (format === undefined) throw new Error(`The time zone ${name} is no longer known`)
  const minutesAt = (instant: number): number => {
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(instant)) ?? []
    return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  }
  const offset = (instant: number, minutes: number) => ({ minutes, since: new Date(instant).toISOString() })
  let before = Date.UTC(year - yearsBack, 0, 1)
  let minutes = minutesAt(before)
  const offsets = [offset(before, minutes)]
  // No zone changes its clocks twice within ten days, but for Ramadan, which is longer.
  for (const end = Date.UTC(year + yearsAhead, 0, 1); before < end;) {
    let after = before + 10 * 24 * 60 * minute
    const next = minutesAt(after)
    const step = after
    if (next !== minutes) {
      let low = before
      while (after - low > minute) {
        const middle = low + Math.floor((after - low) / 2 / minute) * minute
        if (minutesAt(middle) === minutes) low = middle
        else after = middle
      }
      offsets.push(offset(after, next))
    }
    before = step
    minutes = next
  }
  const zone = { name, offsets }
  // There are a few hundred zones, but upper and lower case of a name may be mixed in any way.
  if (frozen.size === mostFrozen) frozen.clear()
  frozen.set(`${name} ${year}`, zone)
  return zone
}
