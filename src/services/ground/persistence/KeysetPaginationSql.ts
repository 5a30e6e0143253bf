import type { Statement } from "effect/sql"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import type { Page, Sorting } from "../../../domain/ground/wire/Page.ts"
import type { RecordRows, RecordShape } from "../records/RecordCells.ts"
import type { Fragments } from "./Database.ts"

/** The key that the rows of a list are sorted by. Rows with the same key follow each other by their ids. */
export interface SortKey {
  /** The key of a row, which is never null. An index has it together with the id. */
  readonly key: Statement.Fragment
  /** The key as text, as a cursor has it. */
  readonly place: Statement.Fragment
  /** The key that a text of a cursor stands for; undefined where it stands for none. */
  readonly of: (place: string) => Statement.Fragment | undefined
}

/** Sort keys by the name of their orders: `expires` is the key of `expires_asc` and `expires_desc`. */
export type SortKeys = Readonly<Record<string, SortKey>>

const micros = (sql: Fragments, column: Statement.Fragment): Statement.Fragment =>
  sql`(extract(epoch FROM ${column}) * 1000000)::int8::text`

/** Microseconds that PostgreSQL has an instant for. */
const isInstant = (place: string): boolean => /^(?:-?\d{1,17}|\d{18})$/.test(place)

const instantOf = (sql: Fragments, place: string): Statement.Fragment | undefined =>
  isInstant(place) ? sql`'epoch'::timestamptz + ${place}::text::int8 * interval '1 microsecond'` : undefined

/** The key of a time; its place is microseconds since 1970, as PostgreSQL keeps them. */
const instantKey = (sql: Fragments, column: Statement.Fragment): SortKey => ({
  key: column,
  place: micros(sql, column),
  of: (place) => instantOf(sql, place)
})

const never = "never"

/** The key of an end, where no end is later than any. */
export const endKey = (sql: Fragments, column: Statement.Fragment): SortKey => ({
  key: sql`coalesce(${column}, 'infinity'::timestamptz)`,
  place: sql`coalesce(${micros(sql, column)}, ${sql.literal(`'${never}'`)})`,
  of: (place) => place === never ? sql`'infinity'::timestamptz` : instantOf(sql, place)
})

/**
 * A name as people look for it in a sorted list: upper and lower case and accents are alike. Of a longer one the first 60
 * characters count, so that a cursor has room for them.
 */
export const sortedName = (name: string): string => `left(search_folded(${name}), 60) COLLATE "C"`

/** The key of a name; `key` is a {@link sortedName}. */
export const nameKey = (sql: Fragments, key: Statement.Fragment): SortKey => ({
  key,
  place: key,
  of: (place) => sql`${place}::text`
})

/** The order of a page: by a key, or by ids alone. */
export interface RowOrder {
  readonly by: SortKey | undefined
  readonly isAscending: boolean
  /** `ASC` or `DESC`, and the comparison of a row with the one before it. */
  readonly direction: Statement.Fragment
  readonly comparison: Statement.Fragment
}

/**
 * The order that is asked for. Ids sort by the time of their making, so by creation means by id, unless a window of time
 * is asked for: then the column of the time leads, which is what an index of windows begins with.
 */
export const orderOf = (
  sql: Fragments,
  { created_from, created_to, order, updated_from }: Sorting,
  { alias, keys }: { readonly alias: string; readonly keys: SortKeys }
): RowOrder => {
  const sorted = order ?? (updated_from === undefined ? "desc" : "updated_desc")
  const name = sorted.replace(/_?(?:asc|desc)$/, "")
  const isAscending = sorted.endsWith("asc")
  const isWindow = created_from !== undefined || created_to !== undefined
  const time = (column: string) => instantKey(sql, sql.literal(`${alias}${column}`))
  const byName: SortKeys = { updated: time("updated_at"), ...keys }
  const by = name === "" ? (isWindow ? time("created_at") : undefined) : byName[name]
  if (name !== "" && by === undefined) throw new TypeError(`No list has the order ${sorted} without its key`)
  const [direction, comparison] = isAscending ? ["ASC", ">"] : ["DESC", "<"]
  return { by, isAscending, direction: sql.literal(direction!), comparison: sql.literal(comparison!) }
}

/** The conditions of a window of time on the rows of a table. */
export const windowConditions = (
  sql: Fragments,
  { created_from, created_to, updated_from }: Sorting,
  alias: string
): ReadonlyArray<Statement.Fragment> => {
  const column = (name: string) => sql.literal(`${alias}${name}`)
  const instant = (text: string) => sql`${text}::text::timestamptz`
  return [
    ...(created_from === undefined ? [] : [sql`${column("created_at")} >= ${instant(created_from)}`]),
    ...(created_to === undefined ? [] : [sql`${column("created_at")} < ${instant(created_to)}`]),
    ...(updated_from === undefined ? [] : [sql`${column("updated_at")} >= ${instant(updated_from)}`])
  ]
}

/** A row as a record, for {@link RecordRows}. */
export interface RecordRow {
  readonly record: Uint8Array
}

/** The rows of a query as records, each after the columns that tell where it stands. */
export const asRecords = (
  sql: Fragments,
  position: ReadonlyArray<string>,
  { record }: RecordShape,
  { query, returned }: { readonly query: Statement.Fragment; readonly returned: Statement.Fragment }
): Statement.Fragment =>
  sql`SELECT ${
    sql.literal([...position.map((column) => `r.${column}`), `${record} AS record`].join(", "))
  } FROM (${query}) r ${returned}`

/** A page whose rows are written from their records. */
export const writtenOf = <A>(
  rows: RecordRows<A>,
  { items, page_info }: Page<RecordRow>
): WrittenPage<A> => ({ rows: rows.write(items.map(({ record }) => record)), page_info })
