import type { FrozenTimeZone } from "./ReportExport.ts"

/**
 * How a file is made of a snapshot. What a reader is shown may have to change, and a file that was made before is still
 * the one that was signed: it is compared with what its own edition makes.
 *
 * Edition 2: a CSV guards formulas also behind each separator inside of a text, a PDF shows what nobody sees as marks,
 * says how to verify it, and calls a reset of usage a correction. Edition 3: a PDF says usage, overage and data as of,
 * as the console and the documents do. Edition 4: a PDF says what is attached to it and where a reader without the vendor's
 * programs checks it; figures of a list have the decimal places of their feature, and products their names. Edition 5: a PDF names
 * the whole address of that place, and no package of a registry, where anybody may have taken the name. Edition 6: a PDF has a row on a
 * line, with names alone and the ends of long ids, whose whole stands in a list at the end; text from right to left is read letter by
 * letter as it was written; and amounts are totalled where all are of one feature. Edition 7: the address
 * of that place stands by itself, where no end of a line cuts it. Edition 8: amounts are said to mix units only where they do; of
 * usage by hours, which tells no feature, that they may.
 */
export type Edition = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Every edition, the one of new files first. */
export const editions: ReadonlyArray<Edition> = [8, 7, 6, 5, 4, 3, 2, 1]

/** The edition of new files. */
export const newestEdition: Edition = 8

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
