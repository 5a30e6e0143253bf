import { Effect } from "effect"
import type { Database } from "../../ground/persistence/Database.ts"
import { limitIdleTime, readOneSnapshotLong } from "../../ground/persistence/TransactionSql.ts"

/** Rows that are fetched at once. */
const page = 500

/** Reads the rows of a query in their order, a page at a time. */
interface Reader<Row> {
  /** The row that is next, undefined at the end. */
  readonly peek: Effect.Effect<Row | undefined>
  readonly skip: () => void
}

/** Opens a reader of a query in the open transaction. `name` tells it from the others of the transaction. */
export const openReader = Effect.fnUntraced(function*<Row extends object>(sql: Database, name: string, query: string) {
  yield* sql.unsafe(`DECLARE doctor_${name} NO SCROLL CURSOR FOR ${query}`).unprepared
  let rows: ReadonlyArray<Row> = []
  let next = 0
  let isOver = false
  const peek = Effect.gen(function*() {
    if (next === rows.length && !isOver) {
      rows = yield* sql.unsafe<Row>(`FETCH ${page} FROM doctor_${name}`).unprepared
      next = 0
      isOver = rows.length < page
    }
    return rows[next]
  })
  return { peek, skip: () => void next++ } satisfies Reader<Row>
})

/** Does something with each row of a query, in their order. */
export const forEachRow = Effect.fnUntraced(function*<Row extends object>(
  sql: Database,
  name: string,
  query: string,
  told: (row: Row) => Effect.Effect<void>
) {
  const { peek, skip } = yield* openReader<Row>(sql, name, query)
  for (let row = yield* peek; row !== undefined; row = yield* peek) {
    skip()
    yield* told(row)
  }
})

/**
 * Begins a read of everything in one snapshot, in the open transaction and without a transaction id, which the
 * sequencer would wait for.
 */
export const readOnlySnapshot = Effect.fnUntraced(function*(sql: Database) {
  yield* readOneSnapshotLong(sql)
  // Between two pages it may wait for whoever takes what it found.
  yield* limitIdleTime(sql, "30s")
})
