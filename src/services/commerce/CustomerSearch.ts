import type { Statement } from "effect/sql"
import type { Database } from "../persistence/Database.ts"
import { beginsWith } from "../persistence/TextSearch.ts"

/** The ids of the customers that a person looks for: by id, by code, or by how the name or the e-mail address begins. */
export const customersFoundBy = (sql: Database, text: string): Statement.Fragment =>
  sql`
  SELECT id FROM customers WHERE id = ${text} OR code = ${text}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "name", text)}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "email", text)}`

/** Whether a customer of `alias`, such as `c.`, is one of {@link customersFoundBy}. */
export const isCustomerLike = (sql: Database, alias: string, text: string): Statement.Fragment =>
  sql`(${sql.literal(`${alias}id`)} = ${text} OR ${sql.literal(`${alias}code`)} = ${text}
    OR ${beginsWith(sql, `${alias}name`, text)} OR ${beginsWith(sql, `${alias}email`, text)})`
