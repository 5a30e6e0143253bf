import type { Statement } from "effect/sql"
import type { Database, Member } from "./Database.ts"
import { floats, integers } from "./NumberArrays.ts"

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
