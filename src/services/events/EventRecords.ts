import type { Statement } from "effect/sql"
import type { Fragments } from "../persistence/Database.ts"

/**
 * The columns of `event_records` that an append fills besides the ordinal, with their types; `optional` ones are
 * nullable.
 */
const columns = {
  id: { type: "text" },
  event_type: { type: "text" },
  actor_type: { type: "text" },
  actor_id: { type: "text" },
  resource_id: { type: "text" },
  metadata: { type: "text" },
  data: { type: "text" },
  commitments: { type: "jsonb", optional: true },
  personal: { type: "jsonb", optional: true },
  request_id: { type: "text", optional: true },
  traceparent: { type: "text", optional: true }
} as const

type Column = keyof typeof columns

/** One row of `event_records`, as text. */
export type RecordValues = {
  readonly [Name in Column]: typeof columns[Name] extends { readonly optional: true } ? string | null : string
}

const names = Object.keys(columns) as ReadonlyArray<Column>

/**
 * Builds the statement that inserts rows into `event_records`. `pending` announces the rows, which assigns the
 * transaction id before an ordinal is drawn. `records` reads `pending` as a common table expression and writes the rows
 * in order.
 *
 * Nearly all appends are of one event, so that statement is the hot one: it takes its values as parameters. Several
 * events come as one array for each column and are joined to their ordinals.
 */
export const recordInsert = (sql: Fragments) => {
  const listed = sql.literal(names.join(", "))
  const types = names.map((name) => sql.literal(`::${columns[name].type}`))

  // The driver cannot infer the type of an array that holds only nulls, so an empty string stands for null.
  const elements = sql.literal(
    names.map((name) => "optional" in columns[name] ? `nullif(e.${name}, '')::${columns[name].type}` : `e.${name}`)
      .join(", ")
  )

  const one = (row: RecordValues) => ({
    pending: sql`INSERT INTO event_pending DEFAULT VALUES RETURNING ordinal`,
    selected: sql`SELECT ordinal, ${
      sql.csv(names.map((name, index) => sql`${row[name]}${types[index]!}`))
    } FROM pending`
  })

  const many = (rows: ReadonlyArray<RecordValues>) => ({
    pending: sql`
      INSERT INTO event_pending (xid) SELECT pg_current_xact_id() FROM generate_series(1, ${rows.length}::int)
      RETURNING ordinal`,
    selected: sql`
      SELECT p.ordinal, ${elements}
      FROM unnest(${sql.csv(names.map((name) => sql`${rows.map((row) => row[name] ?? "")}::text[]`))})
        WITH ORDINALITY AS e (${listed}, place)
      JOIN (SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS place FROM pending) p ON p.place = e.place
      ORDER BY p.ordinal`
  })

  return (rows: ReadonlyArray<RecordValues>): {
    readonly pending: Statement.Fragment
    readonly records: Statement.Fragment
  } => {
    const { pending, selected } = rows.length === 1 ? one(rows[0]!) : many(rows)
    return { pending, records: sql`INSERT INTO event_records (ordinal, ${listed}) ${selected}` }
  }
}
