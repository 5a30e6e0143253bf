import type { Statement } from "effect/sql"
import type { Database } from "./Database.ts"

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
