import type { FrozenTimeZone } from "./TimeZone.ts"

const minute = 60_000

/**
 * Reads instants on the clocks of a zone: RFC 3339 in UTC becomes the same form with the local date and time of day, so
 * that only its letters remind of UTC. Texts of other forms, and instants of which there is no local year, stay.
 */
export const localTimes = ({ offsets }: FrozenTimeZone): (instant: string) => string => {
  let [from, to, shift] = ["", "", 0]
  return (instant) => {
    const at = Date.parse(instant)
    if (Number.isNaN(at)) return instant
    if (!(from <= instant && instant < to)) {
      const next = offsets.findIndex(({ since }) => since > instant)
      const current = next === -1 ? offsets.length - 1 : Math.max(0, next - 1)
      from = next === 0 ? "" : offsets[current]!.since
      to = next === -1 ? "~" : offsets[next]!.since
      shift = offsets[current]!.minutes * minute
    }
    const local = new Date(at + shift).toISOString()
    return local.length === instant.length ? local : instant
  }
}

/** The local date and time of day as every spreadsheet reads them: `2026-11-21 10:30:00`. */
export const spreadsheetTime = (local: string): string => local.slice(0, 19).replace("T", " ")
