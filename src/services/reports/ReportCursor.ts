import { Effect, Option, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportRow } from "../../domain/reports/Report.ts"
import type { Database } from "../persistence/Database.ts"
import { toWire } from "../persistence/RowToWire.ts"

/** Rows fetched and held at once: about two milliseconds of work for the event loop. */
const chunk = 500

/** The rows of a query, read from a cursor of the surrounding transaction. */
interface CursorRows {
  readonly total: number
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
}

let opened = 0

/**
 * Opens a cursor over `query` and returns its rows in chunks. `total` is the number of rows. Without it, each row must
 * carry it in a column `total_rows`; that suits aggregates, which the database holds in full anyway.
 */
export const openRows = Effect.fnUntraced(function*(
  sql: Database,
  query: Statement.Fragment,
  total?: number
) {
  // A name that no other report in the same transaction has.
  const name = `report_${++opened % 1_000_000}`
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
