import type { ReportColumn } from "../../domain/reports/Report.ts"
import type { RowBlock, RowCells } from "../../domain/reports/RowCells.ts"
import { releaseMemory } from "./releaseMemory.ts"

/** Seconds from 1970 to 2000, where PostgreSQL counts from, in milliseconds. */
const epoch = Date.UTC(2000, 0, 1)

const minute = 60_000
const instantLength = "2026-11-21T10:30:00.000Z".length
/** How much of an instant stays the same for a minute. */
const minuteLength = "2026-11-21T10:30:".length
/** The longest integer of 64 bits, with its sign. */
const integerLength = 20

const zero = 0x30
const [minus, point, zulu] = ["-", ".", "Z"].map((character) => character.charCodeAt(0)) as [number, number, number]

const int32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!

/** Exact for the integers that every JSON library reads exactly; those of a report are such ones. */
const int64At = (bytes: Uint8Array, at: number): number => int32At(bytes, at) * 2 ** 32 + (int32At(bytes, at + 4) >>> 0)

const writeAscii = (text: string, target: Uint8Array): void => {
  for (let at = 0; at < text.length; at++) target[at] = text.charCodeAt(at)
}

/** Writes an integer so that it ends with the target; answers where it starts. */
const writeInteger = (value: number, target: Uint8Array): number => {
  let at = target.length
  let rest = Math.abs(value)
  do {
    // Exact beyond 32 bits too, where a quotient that is rounded down may have been rounded up before.
    const digit = rest % 10
    target[--at] = zero + digit
    rest = (rest - digit) / 10
  } while (rest > 0)
  if (value < 0) target[--at] = minus
  return at
}

/** Writes instants as RFC 3339 in UTC with milliseconds. Those of a report are in order, so the minute seldom changes. */
const instantWriter = () => {
  let written = Number.NaN
  return (microseconds: number, target: Uint8Array): void => {
    const at = Math.floor(microseconds / 1000) + epoch
    const minutes = Math.floor(at / minute)
    if (minutes !== written) {
      writeAscii(new Date(at).toISOString(), target)
      written = minutes
    }
    const rest = at - minutes * minute
    const seconds = Math.floor(rest / 1000)
    const thousandths = rest - seconds * 1000
    const tens = Math.floor(seconds / 10)
    const hundreds = Math.floor(thousandths / 100)
    const hundredths = Math.floor(thousandths / 10)
    target[minuteLength] = zero + tens
    target[minuteLength + 1] = zero + seconds - tens * 10
    target[minuteLength + 2] = point
    target[minuteLength + 3] = zero + hundreds
    target[minuteLength + 4] = zero + hundredths - hundreds * 10
    target[minuteLength + 5] = zero + thousandths - hundredths * 10
    target[minuteLength + 6] = zulu
  }
}

/** A column as SQL, in the type that {@link recordReader} reads it in. */
export const recordMember = ({ key, type }: ReportColumn): string =>
  `"${key}"::${type === "integer" ? "int8" : type === "timestamp" ? "timestamptz" : "text"}`

/**
 * Releases the buffers that hold nothing but these records. They arrived one after the other, so that is all between the
 * first buffer, which may hold answers from before, and the last, which the driver goes on filling.
 */
const releaseRecords = (records: ReadonlyArray<Uint8Array>): void => {
  const last = records.at(-1)?.buffer
  let passed = records[0]?.buffer
  for (const { buffer } of records) {
    if (buffer === passed || buffer === last) continue
    passed = buffer
    releaseMemory(buffer)
  }
}

/**
 * Reads rows with these columns from what `record_send` of PostgreSQL answers for them: the number of cells, and for
 * each its type, its length and its binary form, a text as UTF-8. That takes the database a third of the time that JSON
 * takes it, and the texts are never copied into strings.
 * The records are the views of what was received that one statement answered, in order and without another column.
 */
export const recordReader = (
  columns: ReadonlyArray<ReportColumn>
): (records: ReadonlyArray<Uint8Array>) => RowBlock => {
  const starts = new Int32Array(columns.length)
  const ends = new Int32Array(columns.length)
  const texts: Array<Uint8Array> = columns.map(({ type }) =>
    new Uint8Array(type === "integer" ? integerLength : type === "timestamp" ? instantLength : 0)
  )
  const row: RowCells = { texts, starts, ends }
  const writeInstants = columns.map(instantWriter)
  const kinds = columns.map(({ type }) => type)

  const read = (record: Uint8Array): RowCells => {
    let at = 4
    for (let index = 0; index < kinds.length; index++) {
      // The type is the one that the column was cast to.
      const length = int32At(record, at + 4)
      at += 8
      if (length === -1) {
        starts[index] = -1
        ends[index] = -1
        continue
      }
      switch (kinds[index]) {
        case "integer":
          starts[index] = writeInteger(int64At(record, at), texts[index]!)
          ends[index] = integerLength
          break
        case "timestamp":
          writeInstants[index]!(int64At(record, at), texts[index]!)
          starts[index] = 0
          ends[index] = instantLength
          break
        default:
          texts[index] = record
          starts[index] = at
          ends[index] = at + length
      }
      at += length
    }
    return row
  }
  return (records) => ({
    length: records.length,
    row: (index) => read(records[index]!),
    release: () => releaseRecords(records)
  })
}
