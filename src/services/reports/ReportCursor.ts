import { Effect, Option, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportRow } from "../../domain/reports/Report.ts"
import type { Database } from "../persistence/Database.ts"
import { toWire } from "../persistence/RowToWire.ts"

/** Rows that are fetched, and so held, at once: some two milliseconds of work for the event loop. */
const chunk = 500

/** The rows of a query, read from a cursor of the surrounding transaction. */
interface CursorRows {
  readonly total: number
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
}

let opened = 0

/**
 * Opens a cursor over `query` and answers its rows in chunks. `total` is how many there are; where it is not given, the
 * query has a column `total_rows` that says it in each row, which is fit for what is added up and so held anyway.
 */
export const openRows = Effect.fnUntraced(function*(
  sql: Database,
  query: Statement.Fragment,
  total?: number
) {
  // Not a name that a second report in the same transaction could have.
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
