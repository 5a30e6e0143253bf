import type { Statement } from "effect/sql"
import type { Fragments } from "./Database.ts"

/**
 * The columns that an UPDATE sets, made from a record: PostgreSQL refuses a statement that assigns a column twice, and
 * a list of fragments can do so as soon as two rules set the same one.
 */
export const assignments = (
  sql: Fragments,
  values: Readonly<Record<string, Statement.Fragment>>
): Statement.Fragment => sql.csv(Object.entries(values).map(([column, value]) => sql`${sql(column)} = ${value}`))
