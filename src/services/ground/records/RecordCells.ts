import { Schema, SchemaAST } from "effect"
import { jsonRow } from "../../../domain/ground/rows/JsonRows.ts"
import type { JsonForm } from "../../../domain/ground/rows/JsonRows.ts"
import type { RowBlock, RowCells } from "../../../domain/ground/rows/RowCells.ts"
import type { WrittenRows } from "../../../domain/ground/rows/WrittenRows.ts"

/**
 * Gives the memory of a buffer that nobody reads any more back at once. V8 does that when it next collects its young
 * objects, and it is the objects alone that bring it to that, up to 32 MiB: work that makes large buffers and few objects
 * holds tens of megabytes for nothing. Every view of the buffer is empty afterwards.
 */
export const releaseMemory = (buffer: ArrayBufferLike): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Seconds from 1970 to 2000, where PostgreSQL counts from, in milliseconds. */
const epoch = Date.UTC(2000, 0, 1)

const dayMillis = 86_400_000

/** Days from 1 March of year 0 to 1970, and of the 400 years after which the calendar begins again. */
const daysBefore1970 = 719_468
const daysOfEra = 146_097

/** An instant, whose digits are written over. */
const blankInstant = new TextEncoder().encode("0000-00-00T00:00:00.000Z")
/** The longest integer of 64 bits, with its sign. */
const integerLength = 20

const zero = 0x30
const minus = 0x2d

const sqlTypes: Readonly<Record<string, string>> = { integer: "int8", timestamp: "timestamptz" }

/** Exact for the integers that every JSON library reads exactly; those of a report are such ones. */
const int64At = (view: DataView, at: number): number => view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4)

/**
 * Microseconds since 2000 as Unix milliseconds. The halves are divided apart: as one number, instants of the far future are
 * not exact.
 */
const millisAt = (view: DataView, at: number): number => {
  const high = view.getInt32(at)
  return high * 4_294_967 + Math.floor((high * 296 + view.getUint32(at + 4)) / 1000) + epoch
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

const writeTwo = (value: number, target: Uint8Array, at: number): void => {
  const tens = Math.floor(value / 10)
  target[at] = zero + tens
  target[at + 1] = zero + value - tens * 10
}

/**
 * Writes the day of an instant in RFC 3339. It is counted as in the proleptic Gregorian calendar, from
 * 1 March of year 0, so that a leap day is the last of its year: a Date and its text take four times as long.
 */
const writeDay = (days: number, target: Uint8Array): void => {
  const since = days + daysBefore1970
  const era = Math.floor(since / daysOfEra)
  const ofEra = since - era * daysOfEra
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / (daysOfEra - 1))) / 365
  )
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100))
  const sinceMarch = Math.floor((5 * ofYear + 2) / 153)
  const month = sinceMarch < 10 ? sinceMarch + 3 : sinceMarch - 9
  const year = era * 400 + years + (month <= 2 ? 1 : 0)
  writeTwo(Math.floor(year / 100), target, 0)
  writeTwo(year % 100, target, 2)
  writeTwo(month, target, 5)
  writeTwo(ofYear - Math.floor((153 * sinceMarch + 2) / 5) + 1, target, 8)
}

const writeTime = (ofDay: number, target: Uint8Array): void => {
  const seconds = Math.floor(ofDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const thousandths = ofDay - seconds * 1000
  const hundreds = Math.floor(thousandths / 100)
  writeTwo(hours, target, 11)
  writeTwo(minutes - hours * 60, target, 14)
  writeTwo(seconds - minutes * 60, target, 17)
  target[20] = zero + hundreds
  writeTwo(thousandths - hundreds * 100, target, 21)
}

/** A column of a record. A type that is none of these is read as a text. */
export interface RecordColumn {
  readonly key: string
  readonly type: "integer" | "timestamp" | "json" | "boolean" | "text" | "date"
}

/** A column as SQL, in the type that {@link recordReader} reads it in. */
export const recordMember = ({ key, type }: RecordColumn, alias = ""): string =>
  type === "json" ? `to_json(${alias}"${key}")::text` : `${alias}"${key}"::${sqlTypes[type] ?? "text"}`

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
  columns: ReadonlyArray<RecordColumn>
): (records: ReadonlyArray<Uint8Array>) => RowBlock => {
  const starts = new Int32Array(columns.length)
  const ends = new Int32Array(columns.length)
  const kinds = columns.map(({ type }) => type)
  const texts = kinds.map((kind) =>
    kind === "timestamp" ? blankInstant.slice() : new Uint8Array(kind === "integer" ? integerLength : 0)
  )
  const days = new Float64Array(columns.length).fill(Number.NaN)
  const views: Array<DataView> = texts.map(({ buffer }) => new DataView(buffer))
  const row: RowCells = { views, starts, ends }
  const isView = kinds.map((kind) => kind !== "timestamp" && kind !== "integer")
  const empty = new DataView(new ArrayBuffer(0))
  let received: DataView = empty

  /** Writes an instant as RFC 3339 in UTC with milliseconds; of a row like the last one, its time of day alone. */
  const writeInstant = (index: number, milliseconds: number): void => {
    const text = texts[index]!
    const day = Math.floor(milliseconds / dayMillis)
    if (day !== days[index]) {
      writeDay(day, text)
      days[index] = day
    }
    writeTime(milliseconds - day * dayMillis, text)
  }

  const read = (record: Uint8Array): RowCells => {
    if (received.buffer !== record.buffer) received = new DataView(record.buffer)
    let at = record.byteOffset + 4
    for (let index = 0; index < kinds.length; index++) {
      // The type is the one that the column was cast to.
      const length = received.getInt32(at + 4)
      at += 8
      if (length === -1) {
        starts[index] = -1
        ends[index] = -1
        continue
      }
      switch (kinds[index]) {
        case "integer":
          starts[index] = writeInteger(int64At(received, at), texts[index]!)
          ends[index] = integerLength
          break
        case "timestamp":
          writeInstant(index, millisAt(received, at))
          starts[index] = 0
          ends[index] = blankInstant.length
          break
        default:
          views[index] = received
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
    forget: () => {
      received = empty
      for (const [index, isOfRecord] of isView.entries()) if (isOfRecord) views[index] = empty
    },
    release: () => releaseRecords(records)
  })
}

/** The wire schema of a resource, whose members are columns. */
type RowSchema<A> = Schema.Codec<A, unknown> & { readonly fields: Readonly<Record<string, Schema.Top>> }

/** The part that records take in a statement. */
export interface RecordShape {
  /** The columns of the statement, in the order of the schema. */
  readonly columns: ReadonlyArray<RecordColumn>
  /** The records of rows `r` with these columns, in SQL. */
  readonly record: string
}

/** Rows of a statement as records, which are written without being read into objects. */
export interface RecordRows<A> extends RecordShape {
  /** Writes the rows as the schema would encode them. */
  readonly write: (records: ReadonlyArray<Uint8Array>) => WrittenRows<A>
  /** Decodes what was written, for callers that need the rows as values. */
  readonly read: (written: WrittenRows<A>) => ReadonlyArray<A>
}

interface Member extends RecordColumn {
  readonly form: JsonForm
}

const isInteger = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNumber(ast) &&
  (ast.checks ?? []).some(({ annotations }) => annotations?.["representation"]?.["id"] === "effect/schema/isInt")

const isText = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) || (SchemaAST.isLiteral(ast) && typeof ast.literal === "string") ||
  (SchemaAST.isUnion(ast) && ast.types.every(isText))

const isOfAnyMembers = (ast: SchemaAST.AST): boolean => SchemaAST.isObjects(ast) && ast.propertySignatures.length === 0

/** JSON as a column has it, in the form of the wire: PostgreSQL has spaces between, and an order of its own. */
const jsonForm = (schema: Schema.Top): (text: string) => string => {
  const codec = schema as Schema.Codec<unknown, unknown>
  const decode = Schema.decodeUnknownSync(codec, { onExcessProperty: "error" })
  const encode = Schema.encodeUnknownSync(codec)
  const ordered = isOfAnyMembers(schema.ast) ? (value: unknown) => value : (value: unknown) => encode(decode(value))
  return (text) => text === "{}" || text === "[]" ? text : JSON.stringify(ordered(JSON.parse(text)))
}

/** How a member is read from its column, and written. What is no text, integer or boolean is JSON. */
const memberOf = (key: string, schema: Schema.Top): Member => {
  const { ast } = schema
  if (isText(ast)) {
    if (ast.encoding !== undefined) throw new TypeError(`${key} is not sent as it is stored`)
    const isInstant = SchemaAST.resolve(ast)?.["format"] === "date-time"
    return { key, type: isInstant ? "timestamp" : "text", form: "string" }
  }
  if (SchemaAST.isBoolean(ast)) return { key, type: "boolean", form: "bare" }
  if (isInteger(ast)) return { key, type: "integer", form: "bare" }
  return { key, type: "json", form: jsonForm(schema) }
}

const comma = 0x2c

/** Where rows are written before they are copied out: for a page of the usual size, and never more. */
const usual: Uint8Array = new Uint8Array(256 * 1024)

/** A longer buffer with the same beginning. */
const grown = (buffer: Uint8Array, length: number): Uint8Array => {
  const longer = new Uint8Array(Math.max(length, 2 * buffer.length))
  longer.set(buffer)
  return longer
}

/**
 * Rows of a schema as a hot list answers them: the bytes of the cells, as PostgreSQL sends them, are written as JSON in the
 * order of the schema. A page of 100 licenses takes 0.2 ms so, and 2 ms as objects that are decoded, encoded and written.
 * Nothing is checked: a test compares every schema of a list with what is written of its rows. `without` names members that
 * the statement does not select.
 */
export const recordRows = <A>(schema: RowSchema<A>, without: ReadonlyArray<string> = []): RecordRows<A> => {
  const columns = Object.entries(schema.fields)
    .filter(([key]) => !without.includes(key))
    .map(([key, member]) => memberOf(key, member))
  const read = recordReader(columns)
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(schema)))
  const row = jsonRow(columns.map(({ form, key }, index) => ({ form, index, key })))
  return {
    columns,
    record: `ROW(${columns.map((column) => recordMember(column, "r.")).join(", ")})`,
    write: (records) => {
      const block = read(records)
      let buffer = usual
      let at = 0
      for (let index = 0; index < block.length; index++) {
        const cells = block.row(index)
        const needed = at + row.most(cells) + 1
        if (needed > buffer.length) buffer = grown(buffer, needed)
        if (index > 0) buffer[at++] = comma
        at = row.write(cells, buffer, at)
      }
      block.forget()
      return { bytes: buffer.slice(0, at) }
    },
    read: ({ bytes }) => decode(`[${new TextDecoder().decode(bytes)}]`)
  }
}
