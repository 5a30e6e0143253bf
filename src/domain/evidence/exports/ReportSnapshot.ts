import { Result, Schema } from "effect"
import { isMembers, membersOf, parseMembers } from "../../ground/parsing/JsonMembers.ts"
import { jsonRow } from "../../ground/rows/JsonRows.ts"
import type { JsonMember } from "../../ground/rows/JsonRows.ts"
import type { RowWriter } from "../../ground/rows/RowBytes.ts"
import { canonicalJson, canonicalString } from "../../ground/wire/CanonicalJson.ts"
import { ReportColumn, ReportKind, SeriesPoint } from "../reports/Report.ts"
import type { ReportRow } from "../reports/Report.ts"
import { snapshotSchema } from "./ExportSeal.ts"
import { ExportCheckpoint, FrozenTimeZone } from "./ReportExport.ts"
import { chainStates, statementEvidenceSchemas } from "./StatementEvidence.ts"

/** What a file of the report shows beside its figures. Members without a value are left out. */
const Presentation = Schema.Struct({
  /** The vendor's logo as it was set when the report was frozen: a PNG, in base64. */
  logo: Schema.optionalKey(Schema.String),
  /** What ids of the report were called then. */
  names: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** In which times are printed; UTC where it is absent. */
  time_zone: Schema.optionalKey(FrozenTimeZone),
  /** The name of the vendor as it was set when the report was frozen. */
  vendor: Schema.optionalKey(Schema.String)
})

/** The evidence of a statement. */
const Evidence = Schema.Struct({
  schema: Schema.Literals(Object.values(statementEvidenceSchemas)),
  /** Absent from evidence of the first version. */
  chain: Schema.optionalKey(Schema.Literals(chainStates)),
  /** The signed checkpoint, with the signatures of witnesses. */
  note: Schema.String,
  /** The features of the events, as the rows name them. */
  features: Schema.Array(Schema.Struct({ id: Schema.String, product_id: Schema.String, code: Schema.String })),
  /** The leaves of the events in the order of the log, a line each: gzip, in base64. */
  events: Schema.String,
  /** The hashes that lead from the leaves to the root, 32 bytes each, in base64. */
  hashes: Schema.String
})
export type StatementEvidence = typeof Evidence.Type

const byteOf = (character: string): number => character.charCodeAt(0)
const [quote, backslash, open, close, comma, endOfRows] = ["\"", "\\", "{", "}", ",", "]"].map(byteOf) as [
  number,
  number,
  number,
  number,
  number,
  number
]

const encoder = new TextEncoder()

/**
 * A frozen report without its rows. The snapshot is one canonical JSON text (RFC 8785): these members, and then
 * `table: {columns, rows}`. The names are chosen so that the rows sort last: a reader that streams knows the whole head
 * before the first row. `digest` is the SHA-256 of the UTF-8 bytes.
 */
const SnapshotHead = Schema.Struct({
  /** Everything that the report counts and lists follows from the events up to this sequence. */
  as_of_sequence: Schema.Int,
  checkpoint: Schema.optionalKey(ExportCheckpoint),
  /** Of a statement, the events that its figures follow from, and the proof that they are in the log. */
  evidence: Schema.optionalKey(Evidence),
  filters: Schema.Record(Schema.String, Schema.Json),
  /** When the rows were read, on the database's clock: RFC 3339 in UTC with milliseconds. */
  frozen_at: Schema.String,
  /** Absent where nothing was set or asked for, as in every snapshot of versions before it. */
  presentation: Schema.optionalKey(Presentation),
  report_kind: ReportKind,
  /** The `schema` of the live report that this is a snapshot of. */
  report_schema: Schema.String,
  row_count: Schema.Int,
  series: Schema.optionalKey(Schema.Array(SeriesPoint)),
  summary: Schema.Record(Schema.String, Schema.Json),
  columns: Schema.Array(ReportColumn)
})
export type SnapshotHead = typeof SnapshotHead.Type

/** The text from the beginning up to where the first row starts. */
export const snapshotStart = ({ columns, ...head }: SnapshotHead): string =>
  `${canonicalJson({ ...head, schema: snapshotSchema }).slice(0, -1)},"table":{"columns":${
    canonicalJson(columns)
  },"rows":[`

/**
 * Writes rows with these columns as canonical JSON. The members of a row are known beforehand, so they are sorted once:
 * a row of the usage ledger takes 1 us, and 8 us by the general library.
 */
export const snapshotRowWriter = (columns: ReadonlyArray<ReportColumn>): (row: ReportRow) => string => {
  const members = columns.map(({ key }) => key).toSorted().map((key) => [key, `${canonicalString(key)}:`] as const)
  return (row) => {
    let text = ""
    for (const [key, name] of members) {
      const value = row[key]
      if (value === undefined) continue
      text += `${text === "" ? "" : ","}${name}${
        typeof value === "string" ? canonicalString(value) : canonicalJson(value)
      }`
    }
    return `{${text}}`
  }
}

/**
 * Writes the rows of one snapshot, given by their cells, as canonical JSON with the commas between them: the bytes that
 * {@link snapshotRowWriter} writes as a text, in a fraction of the time.
 */
export const snapshotRowBytes = (columns: ReadonlyArray<ReportColumn>): RowWriter => {
  const row = jsonRow(
    columns.map(({ key, type }, index): JsonMember => ({ key, index, form: type === "integer" ? "bare" : "string" }))
      .toSorted((one, other) => one.key < other.key ? -1 : 1)
  )
  let isFirst = true
  return {
    most: (cells) => row.most(cells) + 1,
    write: (cells, target, start) => {
      if (isFirst) {
        isFirst = false
        return row.write(cells, target, start)
      }
      target[start] = comma
      return row.write(cells, target, start + 1)
    }
  }
}

/** The text after the last row. */
export const snapshotEnd = "]}}"

/** The bytes are not those of a snapshot. */
class SnapshotMalformed extends Error {
  override readonly name = "SnapshotMalformed"
}

const decodeHead = Schema.decodeUnknownResult(SnapshotHead)

const isRow = (value: unknown): value is ReportRow =>
  isMembers(value) && Object.values(value).every((cell) => typeof cell === "string" || typeof cell === "number")

const rowsBegin = "],\"rows\":["

/**
 * The largest head, in bytes: a series of a month in hours and a summary take a few hundred kilobytes at most, and the evidence of a
 * statement up to ten megabytes.
 */
const maximumHead = 32 * 1024 * 1024

const indexOf = (bytes: Uint8Array, pattern: Uint8Array): number => {
  for (let at = bytes.indexOf(pattern[0]!); at !== -1; at = bytes.indexOf(pattern[0]!, at + 1)) {
    if (pattern.every((byte, offset) => bytes[at + offset] === byte)) return at
  }
  return -1
}

const join = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  if (first.length === 0) return second
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/**
 * Reads a snapshot as a stream of pieces, cut anywhere. `push` answers the rows that are complete; `head` is set before
 * the first of them. `push` throws a SnapshotMalformed for bytes that are no snapshot, `end` when something is missing.
 */
export const snapshotReader = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const begin = encoder.encode(rowsBegin)
  let head: SnapshotHead | undefined
  let rest: Uint8Array = new Uint8Array(0)
  let rows = 0
  let isOver = false

  const readHead = (bytes: Uint8Array): Uint8Array => {
    // In a string a quote is escaped, so these bytes can only be structure.
    const at = indexOf(bytes, begin)
    if (at === -1) {
      if (bytes.length > maximumHead) throw new SnapshotMalformed("The rows do not begin")
      return bytes
    }
    const after = at + begin.length
    const text = `${decoder.decode(bytes.subarray(0, after))}]}}`
    const { schema, table, ...members } = parseMembers(text)
    if (schema !== snapshotSchema) throw new SnapshotMalformed(`The schema is not ${snapshotSchema}`)
    const read = decodeHead({ ...members, columns: membersOf(table)["columns"] })
    if (Result.isFailure(read)) throw new SnapshotMalformed(`The head is not valid: ${read.failure.message}`)
    head = read.success
    return bytes.subarray(after)
  }

  const push = (piece: Uint8Array): ReadonlyArray<ReportRow> => {
    let bytes = join(rest, piece)
    if (head === undefined) {
      bytes = readHead(bytes)
      if (head === undefined) {
        rest = bytes
        return []
      }
    }
    let depth = 0
    let isText = false
    let done = 0
    for (let at = 0; at < bytes.length && !isOver; at++) {
      const byte = bytes[at]
      if (isText) {
        if (byte === backslash) at += 1
        else if (byte === quote) isText = false
      } else if (byte === quote) {
        isText = true
      } else if (byte === open) {
        depth += 1
      } else if (byte === close) {
        depth -= 1
        if (depth === 0) done = at + 1
      } else if (byte === endOfRows && depth === 0) {
        isOver = true
      }
    }
    const start = bytes[0] === comma ? 1 : 0
    const found: ReadonlyArray<unknown> = done > start
      ? JSON.parse(`[${decoder.decode(bytes.subarray(start, done))}]`)
      : []
    if (!found.every(isRow)) throw new SnapshotMalformed("A row has a cell that is neither a text nor a number")
    rows += found.length
    rest = bytes.slice(done)
    return found
  }

  return {
    push,
    hasHead: (): boolean => head !== undefined,
    head: (): SnapshotHead => {
      if (head === undefined) throw new SnapshotMalformed("The snapshot has no head")
      return head
    },
    end: (): void => {
      if (decoder.decode(rest) !== snapshotEnd) throw new SnapshotMalformed("The snapshot is cut off")
      if (rows !== head?.row_count) throw new SnapshotMalformed(`There are ${rows} rows, not ${head?.row_count}`)
    }
  }
}
