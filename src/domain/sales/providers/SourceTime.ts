import { isTimestamp } from "../../ground/wire/Fields.ts"

/**
 * An instant of a provider's clock: RFC 3339 in UTC with nine decimals, so that texts sort as instants do. A Date cuts to
 * milliseconds, and would make one instant of two events that are 0.4 ms apart.
 */
export type SourceTime = string

const fraction = /\.(\d{1,9})/

/** The instant that an RFC 3339 text names; undefined of anything else, and of the year 1, which stands for none. */
export const timeOfText = (text: unknown): SourceTime | undefined => {
  if (typeof text !== "string" || text.startsWith("0001-") || !isTimestamp(text)) return undefined
  const seconds = new Date(text.replace(fraction, "")).toISOString().slice(0, 19)
  return `${seconds}.${(fraction.exec(text)?.[1] ?? "").padEnd(9, "0")}Z`
}

/** The instant of whole or broken Unix milliseconds; undefined of what is no instant of the years 1 to 9999. */
export const timeOfMillis = (millis: unknown): SourceTime | undefined =>
  typeof millis === "number" && millis > 0 && millis < 253_402_300_800_000
    ? timeOfText(new Date(millis).toISOString())
    : undefined

/** The instant of Unix seconds. */
export const timeOfSeconds = (seconds: unknown): SourceTime | undefined =>
  typeof seconds === "number" ? timeOfMillis(seconds * 1000) : undefined

/** Orders texts as instants are, which are texts that sort so. */
export const byText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

const known = (times: ReadonlyArray<SourceTime | undefined>): ReadonlyArray<SourceTime> =>
  times.filter((time) => time !== undefined).toSorted()

/** The first of some instants; undefined of none. */
export const earliest = (times: ReadonlyArray<SourceTime | undefined>): SourceTime | undefined => known(times)[0]

/** The last of some instants; undefined of none. */
export const latest = (times: ReadonlyArray<SourceTime | undefined>): SourceTime | undefined => known(times).at(-1)

/** A minute later: what one act of a provider tells of several objects comes within it, in any order. */
export const minuteAfter = (time: SourceTime): SourceTime =>
  `${new Date(Date.parse(time.slice(0, 19) + "Z") + 60_000).toISOString().slice(0, 19)}${time.slice(19)}`

/** The instant as the service writes it, with milliseconds. */
export const wireTime = (time: SourceTime): string => `${time.slice(0, 23)}Z`
