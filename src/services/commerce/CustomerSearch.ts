import type { Statement } from "effect/sql"
import type { Database } from "../persistence/Database.ts"
import { beginsWith } from "../persistence/TextSearch.ts"

/** The ids of the customers that a person looks for: by id, by code, or by how the name or the e-mail address begins. */
export const customersFoundBy = (sql: Database, text: string): Statement.Fragment =>
  sql`
  SELECT id FROM customers WHERE id = ${text} OR code = ${text}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "name", text)}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "email", text)}`
