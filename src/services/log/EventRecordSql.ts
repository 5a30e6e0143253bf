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

const listed = names.join(", ")

/** The number of parameters of {@link appendOne} and {@link appendMany}; those of what follows them come after. */
export const recordParameters = names.length

// A pending row is announced first, which assigns the transaction id before an ordinal is drawn.
const appended = (qualifier: string, pending: string, selected: string, then: string | undefined): string => {
  const [before, after] = then === undefined ? [")", ""] : ["), appended AS (", `) INSERT INTO ${then}`]
  return `-- name: event_records.insert ${qualifier}
    WITH pending AS (INSERT INTO event_pending ${pending} RETURNING ordinal${before}
    INSERT INTO event_records (ordinal, ${listed}) ${selected}${after}`
}

/**
 * The statement that appends one event, as nearly all appends do. `then`: what follows the INSERT INTO of rows that are
 * inserted with it.
 */
export const appendOne = (then?: string): string =>
  appended(
    "one",
    "DEFAULT VALUES",
    `(SELECT ordinal, ${names.map((name, index) => `$${index + 1}::${columns[name].type}`).join(", ")} FROM pending)`,
    then
  )

/** The parameters of {@link appendOne}. */
export const oneParameters = (row: RecordValues): ReadonlyArray<string | null> => names.map((name) => row[name])

/**
 * The statement that appends several events, in their order: one array for each column, joined to the ordinals. An empty
 * string stands for null, because the driver cannot infer the type of an array that holds only nulls.
 */
export const appendMany = (then?: string): string =>
  appended(
    "many",
    "(xid) (SELECT pg_current_xact_id() FROM generate_series(1, cardinality($1::text[])))",
    `(SELECT p.ordinal, ${
      names.map((name) => "optional" in columns[name] ? `nullif(e.${name}, '')::${columns[name].type}` : `e.${name}`)
        .join(", ")
    }
     FROM unnest(${names.map((_, index) => `$${index + 1}::text[]`).join(", ")})
       WITH ORDINALITY AS e (${listed}, place)
     JOIN (SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS place FROM pending) p ON p.place = e.place
     ORDER BY p.ordinal)`,
    then
  )

/** The parameters of {@link appendMany}. */
export const manyParameters = (rows: ReadonlyArray<RecordValues>): ReadonlyArray<ReadonlyArray<string>> =>
  names.map((name) => rows.map((row) => row[name] ?? ""))
