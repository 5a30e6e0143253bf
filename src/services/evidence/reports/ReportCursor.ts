import { Effect, Option, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportColumn, ReportRow } from "../../../domain/evidence/reports/Report.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { recordMember, recordReader } from "../../ground/records/RecordCells.ts"

/** Rows fetched and held at once: about two milliseconds of work for the event loop. */
const chunk = 500

/** Rows fetched at once where they are not decoded. */
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
 * The rows of a query, a block of many at once, as the database sends them: nothing is decoded but what a file is
 * written from. The cursor is opened when it is read, and while a block is worked on the next one is fetched.
 */
export const blockRows = (
  sql: Database,
  query: Statement.Fragment,
  columns: ReadonlyArray<ReportColumn>
): Stream.Stream<RowBlock> => {
  const record = sql.literal(`ROW(${columns.map((column) => recordMember(column)).join(", ")})`)
  return Stream.unwrap(Effect.gen(function*() {
    const name = cursorName()
    yield* sql`DECLARE ${sql(name)} NO SCROLL CURSOR FOR SELECT ${record} AS record FROM (${query}) r`.unprepared
    const fetch = sql.unsafe<{ readonly record: Uint8Array }>(`FETCH ${block} FROM ${name}`).unprepared
    const read = recordReader(columns)
    return Stream.paginate(undefined, () =>
      Effect.map(fetch, (rows) =>
        [
          rows.length === 0 ? [] : [read(rows.map(({ record }) => record))],
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
