import type { Statement } from "effect/sql"
import type { Database } from "../persistence/Database.ts"
import { beginsWith, hasMember, hasWords } from "../persistence/TextSearch.ts"

/**
 * The extent of a search: `named` leaves out the metadata. Whoever may not read it must not find out by guesses what
 * it holds.
 */
export type SearchReach = "all" | "named"

/**
 * The ids of the customers that a person looks for: by id, by code, by the ID in a billing system, by how the name or the
 * e-mail address begins, by their words, or by a value of the metadata. Each of them is a search in an index.
 */
export const customersFoundBy = (sql: Database, text: string, reach: SearchReach = "all"): Statement.Fragment =>
  sql`
  SELECT id FROM customers WHERE id = ${text} OR code = ${text} OR external_id = ${text}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "name", text)}
  UNION ALL SELECT id FROM customers WHERE ${beginsWith(sql, "email", text)}
  UNION ALL SELECT id FROM customers WHERE ${hasWords(sql, ["name", "email"], text)}
  ${reach === "named" ? sql`` : sql`UNION ALL SELECT id FROM customers WHERE ${hasMember(sql, "metadata", text)}`}`

/** Whether a customer of `alias`, such as `c.`, is one of {@link customersFoundBy}. */
export const isCustomerLike = (
  sql: Database,
  alias: string,
  text: string,
  reach: SearchReach = "all"
): Statement.Fragment =>
  sql`(${sql.literal(`${alias}id`)} = ${text} OR ${sql.literal(`${alias}code`)} = ${text}
    OR ${sql.literal(`${alias}external_id`)} = ${text}
    OR ${beginsWith(sql, `${alias}name`, text)} OR ${beginsWith(sql, `${alias}email`, text)}
    OR ${hasWords(sql, [`${alias}name`, `${alias}email`], text)}
    ${reach === "named" ? sql`` : sql`OR ${hasMember(sql, `${alias}metadata`, text)}`})`
