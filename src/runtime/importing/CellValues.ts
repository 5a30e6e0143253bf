import { DateTime, Option } from "effect"
import { isTimestamp } from "../../domain/ground/wire/Fields.ts"
import { UnreadableFile } from "./FileText.ts"
import type { ColumnRule, Mapping, Meaning } from "./Mapping.ts"

/** A value of the file, converted for a license, or the reason why that is not possible. */
export type Reading = { readonly value: string | number | boolean } | { readonly fault: string }

const fault = (message: string): Reading => ({ fault: message })

/** Members that limit how many may run at once. */
export const limits: ReadonlySet<string> = new Set([
  "max_activations",
  "overrides.max_activations",
  "overrides.max_floating_users",
  "overrides.max_container_instances"
])

/** Members that are instants, and whether a plain date is its end: a license is good on the day that it expires. */
export const instants: ReadonlyMap<string, "begins" | "ends"> = new Map([
  ["starts_at", "begins"],
  ["expires_at", "ends"],
  ["maintenance_expires_at", "ends"],
  ["activate_before", "ends"]
])

/** The value for no limit in a mapping: as many as a limit can be. */
const mostOfLimit = 2_147_483_647

/** A limit in a mapping. */
export const saidLimit = (said: string | number | boolean): string | number | boolean =>
  said === "unlimited" ? mostOfLimit : said

/**
 * A limit in the file. Other systems write 0, -1 or nothing for no limit; here 0 admits no device, so a mapping must
 * decide about these.
 */
export const limitOf = (text: string): Reading =>
  /^[1-9]\d{0,9}$/.test(text)
    ? { value: Number(text) }
    : /^\d+\.\d*$/.test(text) || (/^\d+$/.test(text) && text !== "0")
    ? fault("must be a whole number up to 2147483647")
    : fault(
      `may mean no limit, or none at all: say which in a mapping, ` +
        `"values": {${JSON.stringify(text)}: "unlimited"}, or a number, or null for what the policy says`
    )

const local = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?$/
const zoned = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d{2}:?\d{2})$/

/** Unix time as RFC 3339; a fault beyond the year 9999. */
const unix = (milliseconds: number): Reading =>
  milliseconds > 0 && milliseconds < 253_402_300_800_000
    ? { value: new Date(milliseconds).toISOString() }
    : fault("is not a time before the year 10000")

const offsetOf = (said: string): string =>
  /^[ZUG]/.test(said) ? "Z" : said.includes(":") ? said : `${said.slice(0, 3)}:${said.slice(3)}`

const atClock = (text: string, side: "begins" | "ends", timeZone: string | undefined): Reading => {
  const found = local.exec(text)
  if (found === null) {
    return fault(
      "must be a time: RFC 3339 (2027-01-31T00:00:00Z), a date with or without a time (2027-01-31 12:00:00), or Unix time"
    )
  }
  const [year, month, day, hour, minute, second = 0] = found.slice(1, 7).map((part) => part && Number(part))
  const isDate = hour === undefined || hour === ""
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return fault("is no day")
  if (timeZone === undefined) {
    return fault("says no time zone: say which it is in with --time-zone UTC, or with time_zone in the mapping")
  }
  const wall = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: isDate ? side === "ends" ? 23 : 0 : Number(hour),
    minute: isDate ? side === "ends" ? 59 : 0 : Number(minute),
    second: isDate ? side === "ends" ? 59 : 0 : Number(second || 0)
  }
  if (wall.hour > 23 || wall.minute > 59 || wall.second > 59) return fault("is no time of day")
  return Option.match(DateTime.makeZoned(wall, { timeZone, adjustForTimeZone: true }), {
    onNone: () => fault("is not a time in that time zone"),
    onSome: (instant) => ({ value: DateTime.formatIso(instant) })
  })
}

/** A time of the file, as RFC 3339. */
export const instantOf = (
  text: string,
  { as, side, timeZone }: {
    readonly as: string | undefined
    readonly side: "begins" | "ends"
    readonly timeZone: string | undefined
  }
): Reading => {
  if (as === "unix_seconds" || as === "unix_milliseconds") {
    return /^\d{1,15}$/.test(text)
      ? unix(Number(text) * (as === "unix_seconds" ? 1000 : 1))
      : fault(`must be Unix time in ${as.slice(5)}`)
  }
  if (isTimestamp(text)) return { value: text }
  // Seconds of 2001 to 2286; a number of another length could be anything.
  if (/^\d{10}$/.test(text)) return unix(Number(text) * 1000)
  if (/^\d{13}$/.test(text)) return unix(Number(text))
  const [, date, time, offset] = zoned.exec(text) ?? []
  if (date !== undefined) {
    const instant = `${date}T${time!.length === 5 ? `${time}:00` : time}${offsetOf(offset!)}`
    return isTimestamp(instant) ? { value: instant } : fault("is not a time")
  }
  return atClock(text, side, timeZone)
}

/** The reason why a text is a license key damaged by a spreadsheet; undefined if it may be a key. */
export const mangledKey = (text: string): string | undefined =>
  /^[\d.,]+E[+-]?\d+$/i.test(text) || /^#+$/.test(text) || /^#(N\/A|NAME\?|REF!|VALUE!|NUM!|NULL!|DIV\/0!)$/.test(text)
    ? "is what a spreadsheet shows in the place of a key, whose characters are lost: export the file again, and do not " +
      "save it from a spreadsheet, or make the column text before anything is put into it"
    : undefined

/** The states of a license, from one that works to one that never works again. */
export const severity = ["active", "expired", "suspended", "revoked"] as const
export type State = typeof severity[number]

/** Whether a text is a status. */
export const isState = (said: unknown): said is State => (severity as ReadonlyArray<unknown>).includes(said)

const isLimit = (value: unknown): boolean =>
  value === "unlimited" || (/^\d{1,10}$/.test(String(value)) && Number(value) <= mostOfLimit)

/** The reason why a field does not take a value; undefined where only the service can tell. */
const problemOf = (member: string, value: string | number | boolean, mapping: Mapping, as?: ColumnRule["as"]) => {
  if (member === "status") return isState(value) ? undefined : `is no status: there are ${severity.join(", ")}`
  if (limits.has(member)) {
    return isLimit(value) ? undefined : `is no limit: "unlimited", a whole number up to ${mostOfLimit}, or null`
  }
  const side = instants.get(member)
  if (side === undefined || value === "") return undefined
  const read = instantOf(String(value), { as, side, timeZone: mapping.timeZone })
  return "fault" in read ? read.fault : undefined
}

const meant = (mapping: Mapping, member: string, meaning: Meaning, as?: ColumnRule["as"]): string | undefined => {
  if (meaning === null) return undefined
  if (typeof meaning !== "object") return problemOf(member, meaning, mapping, as)
  if (member !== "status") return "is said of a column that is no status, and only a status can overrule another"
  return mapping.columns.get(meaning.overrules)?.to === "status"
    ? undefined
    : "overrules a column that the mapping reads no status from"
}

/**
 * Checks the values of a mapping before any row is read, because the mapping is wrong, and not the row. Throws {@link
 * UnreadableFile}.
 */
export const judgeValues = (mapping: Mapping): Mapping => {
  const said = (where: string, value: unknown, problem: string | undefined) => {
    if (problem !== undefined) {
      throw new UnreadableFile(`${where} is mapped to ${JSON.stringify(value)}, which ${problem}`)
    }
  }
  for (const [member, value] of Object.entries(mapping.constants)) {
    said(`The constant ${member}`, value, problemOf(member, value, mapping))
  }
  for (const [column, { as, to, values = {} }] of mapping.columns) {
    for (const [theirs, meaning] of Object.entries(values)) {
      said(`${JSON.stringify(theirs)} of ${JSON.stringify(column)}`, meaning, meant(mapping, to, meaning, as))
    }
  }
  return mapping
}
