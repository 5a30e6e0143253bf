import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { Database, Fragments, Member } from "./Database.ts"

/** A column of text that is found by its beginning, upper and lower case alike; an index orders it by code points. */
const folded = (sql: Database, column: string): Statement.Fragment => sql.literal(`lower(${column}) COLLATE "C"`)

/** Whether a column is this text, upper and lower case alike. */
export const isText = (sql: Database, column: string, text: string): Statement.Fragment =>
  sql`${folded(sql, column)} = lower(${text}::text)`

/**
 * Whether a column begins with this text, upper and lower case alike. What begins with it is between it and it followed
 * by the last code point; so nothing in the text means anything but itself, as `%` would with LIKE.
 */
export const beginsWith = (sql: Database, column: string, text: string): Statement.Fragment =>
  sql`(${folded(sql, column)} >= lower(${text}::text) AND ${
    folded(sql, column)
  } < lower(${text}::text) || chr(1114111))`

/**
 * Whether each word of a text begins a word of either column, in any order; upper and lower case, composed and decomposed
 * letters, and letters with and without accents are alike (`search_folded`). Latin letters alone would be the beginning of
 * half of them, so they find nothing here, and only the first eight words count. A GIN index of the same expression serves it.
 */
export const hasWords = (
  sql: Database,
  [one, other]: readonly [string, string],
  text: string
): Statement.Fragment =>
  sql`search_words(coalesce(${sql.literal(one)}, '') || ' ' || coalesce(${sql.literal(other)}, ''))
    @@ search_query(${text}::text)`

/** Whether a member of `column`, metadata, is this text, letter for letter. A GIN index of the same expression serves it. */
export const hasMember = (sql: Database, column: string, text: string): Statement.Fragment =>
  sql`(${sql.literal(column)} <> '{}'
    AND jsonb_path_query_array(${sql.literal(column)}, '$.*') @> to_jsonb(${text}::text))`

/**
 * How many findings of a search are named one by one, and how many are found and sorted. 10,000 ids are 300 kB each way, which costs
 * less than to find them again.
 */
const few = 10_000
const many = 50_000

/**
 * The condition of a search on the rows of a list: that they are among what was `found`, ids, which may come more than once: to make them
 * different would read all of them where the first ones tell that they are too many. Where those are very
 * many and the search `isAlone`, without other filters, it is what a row that fits `isLike`: of so many, those of a page
 * are met soon on the way through the list in its order, while to find all of them and sort them takes seconds among a
 * million.
 */
export const searched = (
  sql: Database,
  { found, id, isAlone, isLike }: {
    readonly id: Statement.Fragment
    readonly found: Statement.Fragment
    readonly isLike: Statement.Fragment
    readonly isAlone: boolean
  }
): Effect.Effect<Statement.Fragment> =>
  Effect.gen(function*() {
    const amongAll = sql`${id} = ANY(ARRAY(${found}))`
    if (!isAlone) return amongAll
    // The question is asked once: counted and answered by one statement, and again only where its answer is too long to hand on.
    const [first] = yield* sql<{ readonly n: number; readonly ids: ReadonlyArray<string> | null }>`
      WITH hits AS MATERIALIZED (SELECT id FROM (${found}) found LIMIT ${many + 1})
      SELECT count(*)::int AS n, CASE WHEN count(*) <= ${few} THEN coalesce(array_agg(DISTINCT id), '{}') END AS ids FROM hits`
    const { ids, n } = first!
    return ids !== null ? sql`${id} = ANY(${ids}::text[])` : n > many ? isLike : amongAll
  })

/*
 * Arrays of numbers as parameters of statements. The driver infers the type of an array from its elements, and refuses one
 * of small whole numbers and ones beyond 2^31, or of whole and broken ones. A statement that sends plain numbers thus
 * fails for some values alone, at run time, and each repeat of it fails again. So each is sent in one form.
 */

/** Whole numbers, for `::smallint[]`, `::int[]` or `::bigint[]`. */
export const integers = (values: ReadonlyArray<number | bigint>): ReadonlyArray<bigint> => values.map(BigInt)

/** Any numbers, for `::float8[]`. */
export const floats = (values: ReadonlyArray<number>): ReadonlyArray<string> => values.map(String)

/**
 * The columns that an UPDATE sets, made from a record: PostgreSQL refuses a statement that assigns a column twice, and
 * a list of fragments can do so as soon as two rules set the same one.
 */
export const assignments = (
  sql: Fragments,
  values: Readonly<Record<string, Statement.Fragment>>
): Statement.Fragment => sql.csv(Object.entries(values).map(([column, value]) => sql`${sql(column)} = ${value}`))

/** The values of a column, by its type in PostgreSQL. */
interface ColumnTypes {
  readonly bool: boolean
  readonly float8: number
  readonly int4: number
  readonly int8: number | bigint
  readonly text: string
}

/** The values of a column as a parameter. */
const arrayOf: { readonly [Type in keyof ColumnTypes]: (values: ReadonlyArray<ColumnTypes[Type]>) => Member } = {
  bool: (values) => values,
  float8: floats,
  int4: integers,
  int8: integers,
  text: (values) => values
}

type Columns = Readonly<Record<string, keyof ColumnTypes>>

/**
 * Rows as a table `alias` inside a statement, for `FROM`: one array for each column. A column is named once, beside its
 * type, so the order of the arrays cannot differ from the order of the names.
 */
export const recordset = <const Types extends Columns>(
  sql: Database,
  alias: string,
  columns: Types,
  rows: ReadonlyArray<{ readonly [Name in keyof Types]: ColumnTypes[Types[Name]] }>
): Statement.Fragment => {
  const names = Object.keys(columns)
  const arrays = names.map((name) => {
    const type = columns[name]!
    const array = arrayOf[type] as (values: ReadonlyArray<unknown>) => Member
    return sql`${array(rows.map((row) => row[name]))}::${sql.literal(type)}[]`
  })
  return sql`unnest(${sql.csv(arrays)}) AS ${sql(alias)} (${sql.csv(names.map((name) => sql`${sql(name)}`))})`
}
