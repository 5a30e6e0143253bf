import { Statement } from "effect/sql"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { Counted, SortedClauses } from "../ground/persistence/KeysetPagination.ts"
import { assignments, integers } from "../ground/persistence/StatementParts.ts"
import type { RecordShape } from "../ground/records/RecordCells.ts"

/** The table of a resource. */
export interface ResourceTable {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  /** Its rows as a list writes them. */
  readonly rows: RecordShape
  /** Columns that hold instants, written as RFC 3339. */
  readonly instants: ReadonlyArray<string>
}

/** The values to write, by column: values, or fragments of SQL. */
export type Values = Readonly<Record<string, unknown>>

/** A row of a resource, as it is stored. */
export type Row = Readonly<Record<string, unknown>>

const columnsOf = (sql: Database, { columns }: ResourceTable) => sql.csv(columns.map((column) => sql`${sql(column)}`))

// Objects are stored as jsonb. Column names come from closed request schemas, never from a caller's text.
const cell = (sql: Database, { instants }: ResourceTable, column: string, value: unknown): Statement.Fragment => {
  if (Statement.isFragment(value)) return value
  if (instants.includes(column)) return sql`${value as string | null}::text::timestamptz`
  if (Array.isArray(value)) {
    return value.length > 0 && value.every((entry) => typeof entry === "number")
      ? sql`${integers(value)}::int[]`
      : sql`${value}::text[]`
  }
  return typeof value === "object" && value !== null
    ? sql`${JSON.stringify(value)}::jsonb`
    : sql`${value as string}`
}

const cells = (sql: Database, of: ResourceTable, values: Values): Readonly<Record<string, Statement.Fragment>> =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [column, cell(sql, of, column, value)]))

/** Whether a row has these values. */
export const isWith = (sql: Database, values: Values): ReadonlyArray<Statement.Fragment> =>
  Object.entries(values).map(([column, value]) => sql`${sql(column)} = ${value as string}`)

/** A page of a resource. */
export const listResources = (
  sql: Database,
  of: ResourceTable,
  { asRecords, limit, orderBy, place, where }: SortedClauses
): Query<object> =>
  sql`
    -- name: ${sql.literal(`${of.table}.list`)}
    ${
    asRecords(
      of.rows,
      sql`SELECT ${columnsOf(sql, of)} ${place} FROM ${sql(of.table)} ${where} ${orderBy} ${limit}`
    )
  }`

/** How many rows of a resource have these conditions, counted no further than `most`. */
export const countResources = (
  sql: Database,
  { table }: ResourceTable,
  where: Statement.Fragment,
  most: Statement.Fragment
): Query<Counted> =>
  sql<Counted>`
    -- name: ${sql.literal(`${table}.count matching`)}
    SELECT count(*)::int AS n FROM (SELECT FROM ${sql(table)} ${where} ${most}) matching`

/** A resource. */
export const findResource = (sql: Database, of: ResourceTable, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.find`)}
    SELECT ${columnsOf(sql, of)} FROM ${sql(of.table)} WHERE id = ${id}`

/** Locks a resource against changes. */
export const lockResource = (sql: Database, of: ResourceTable, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.lock for a change`)}
    SELECT ${columnsOf(sql, of)} FROM ${sql(of.table)} WHERE id = ${id}
    -- guard: changes of a resource wait for each other
    FOR NO KEY UPDATE`

/** Locks a resource against deletion. */
export const lockHeld = (sql: Database, of: ResourceTable, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.lock held`)}
    SELECT id FROM ${sql(of.table)} WHERE id = ${id}
    -- guard: a resource that is held is not deleted
    FOR KEY SHARE`

/** Locks a resource against new references, before it is deleted. */
export const lockToDelete = (sql: Database, of: ResourceTable, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.lock to delete`)}
    SELECT id FROM ${sql(of.table)} WHERE id = ${id}
    -- guard: a resource that is deleted gets no reference
    FOR UPDATE`

/** The resource that has these values in the columns that are unique together. */
export const findIdentical = (sql: Database, of: ResourceTable, values: Values): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.find identical`)}
    SELECT ${columnsOf(sql, of)} FROM ${sql(of.table)} WHERE ${sql.and(isWith(sql, values))}`

/** The same, locked against changes. */
export const lockIdentical = (sql: Database, of: ResourceTable, values: Values): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.lock identical`)}
    SELECT ${columnsOf(sql, of)} FROM ${sql(of.table)} WHERE ${sql.and(isWith(sql, values))}
    -- guard: whoever goes by a name waits for who takes it away
    FOR NO KEY UPDATE`

/** Writes a new resource; none where another one has what is unique of it. */
export const insertResource = (sql: Database, of: ResourceTable, values: Values): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.insert`)}
    INSERT INTO ${sql(of.table)} (${sql.csv(Object.keys(values).map((column) => sql`${sql(column)}`))})
    VALUES (${sql.csv(Object.values(cells(sql, of, values)))})
    -- guard: two resources of one identity are not made
    ON CONFLICT DO NOTHING RETURNING ${columnsOf(sql, of)}`

/** Writes a change of a resource. */
export const updateResource = (sql: Database, of: ResourceTable, id: string, changes: Values): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.update`)}
    UPDATE ${sql(of.table)} SET ${assignments(sql, { ...cells(sql, of, changes), updated_at: sql`now()` })}
    WHERE id = ${id} RETURNING ${columnsOf(sql, of)}`

/** Deletes a resource; returns it as it was. */
export const deleteResource = (sql: Database, of: ResourceTable, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${of.table}.delete`)}
    DELETE FROM ${sql(of.table)} WHERE id = ${id} RETURNING ${columnsOf(sql, of)}`

/** A row of another table that refers to a resource by a column; one whose name is plural holds an array. */
export const findUser = (sql: Database, table: string, column: string, id: string): Query<Row> =>
  sql`
    -- name: ${sql.literal(`${table}.find user by ${column.replaceAll("_", " ")}`)}
    SELECT 1 FROM ${sql(table)} WHERE ${
    column.endsWith("_ids") ? sql`${sql(column)} @> ARRAY[${id}::text]` : sql`${sql(column)} = ${id}`
  } LIMIT 1`
