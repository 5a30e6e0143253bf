import { Effect, Option, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportColumn, ReportRow } from "../../domain/reports/Report.ts"
import { canonicalString } from "../../domain/wire/CanonicalJson.ts"
import type { Database } from "../persistence/Database.ts"
import { toWire } from "../persistence/RowToWire.ts"

/** Rows fetched and held at once: about two milliseconds of work for the event loop. */
const chunk = 500

/** Rows fetched at once where the database has written them already. */
const block = 1_000

/** The rows of a query, read from a cursor of the surrounding transaction. */
interface CursorRows {
  readonly total: number
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
}

let opened = 0

/** A name that no other cursor of the same transaction has. */
const cursorName = () => `report_${++opened % 1_000_000}`

/**
 * A cell as canonical JSON (RFC 8785), in SQL: PostgreSQL escapes a text as the standard asks, and a number of a report
 * is an integer that is exact in every JSON library. NULL where there is no value.
 */
const canonicalCell = ({ key, type }: ReportColumn): string => {
  switch (type) {
    case "integer":
      return `"${key}"::text`
    case "timestamp":
      return `'"' || to_char("${key}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
    default:
      return `to_json("${key}")::text`
  }
}

/**
 * The rows of a query as canonical JSON, written by the database: a block of many, without the commas between them. It is
 * opened when it is read, and while a block is worked on the next one is fetched.
 */
export const canonicalRows = (
  sql: Database,
  query: Statement.Fragment,
  columns: ReadonlyArray<ReportColumn>
): Stream.Stream<ReadonlyArray<string>> => {
  const members = columns.toSorted((one, other) => one.key < other.key ? -1 : 1)
    .map((column) => `'${canonicalString(column.key)}:' || ${canonicalCell(column)}`)
  const row = sql.literal(`'{' || concat_ws(',', ${members.join(", ")}) || '}'`)
  return Stream.unwrap(Effect.gen(function*() {
    const name = cursorName()
    yield* sql`DECLARE ${sql(name)} NO SCROLL CURSOR FOR SELECT ${row} AS row FROM (${query}) r`.unprepared
    const fetch = sql.unsafe<{ readonly row: string }>(`FETCH ${block} FROM ${name}`).unprepared
    return Stream.paginate(undefined, () =>
      Effect.map(fetch, (rows) =>
        [
          rows.length === 0 ? [] : [rows.map(({ row }) => row)],
          rows.length < block ? Option.none<undefined>() : Option.some(undefined)
        ] as const)).pipe(Stream.buffer({ capacity: 1 }))
  }))
}

/**
 * Opens a cursor over `query` and returns its rows in chunks. `total` is the number of rows. Without it, each row must
 * carry it in a column `total_rows`; that suits aggregates, which the database holds in full anyway.
 */
export const openRows = Effect.fnUntraced(function*(
  sql: Database,
  query: Statement.Fragment,
  total?: number
) {
  const name = cursorName()
  yield* sql`DECLARE ${sql(name)} NO SCROLL CURSOR FOR ${query}`.unprepared
  const fetch = sql.unsafe<Readonly<Record<string, unknown>>>(`FETCH ${chunk} FROM ${name}`).unprepared
  const first = yield* fetch
  const wire = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    rows.map(({ total_rows: _total, ...row }) => toWire<ReportRow>(row))
  const rows = Stream.paginate(
    first,
    (rows: typeof first) =>
      rows.length < chunk
        ? Effect.succeed([rows.length === 0 ? [] : [wire(rows)], Option.none<typeof first>()] as const)
        : Effect.map(fetch, (next) => [[wire(rows)], Option.some(next)] as const)
  )
  return { total: total ?? Number(first[0]?.["total_rows"] ?? 0), rows } satisfies CursorRows
})
