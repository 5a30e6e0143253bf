import type { Statement } from "effect/sql"
import type { Database } from "../ground/persistence/Database.ts"
import { withinProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { runningDevices } from "../ground/persistence/RunningDeviceSql.ts"
import type { Running } from "../ground/persistence/RunningDeviceSql.ts"
import { beginsWith, hasMember, hasWords } from "../ground/persistence/StatementParts.ts"

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

/** The licenses that customers are found by: of a product, and with a device that has a seat and runs something. */
export interface LicensesHeld extends Running {
  readonly product_id?: string | undefined
}

/**
 * The customers with such a license, as ids, and whether a row of `customers` is one of them; undefined where nothing is asked for. A
 * caller who is limited to products learns of nobody's licenses of others.
 */
export const customersHolding = (
  sql: Database,
  { app_version, os, product_id }: LicensesHeld,
  limit: ProductLimit
): { readonly found: Statement.Fragment; readonly isLike: Statement.Fragment } | undefined => {
  const devices = runningDevices(sql, { app_version, os })
  if (devices === undefined && product_id === undefined) return undefined
  const ofProducts = [
    ...(product_id === undefined ? [] : [sql`l.product_id = ${product_id}`]),
    ...withinProducts(sql, "l.product_id", limit)
  ]
  const held = (condition: Statement.Fragment) => sql.and([condition, ...ofProducts])
  const isOwned = held(sql`l.customer_id IS NOT NULL`)
  return {
    found: devices === undefined
      ? sql`SELECT l.customer_id AS id FROM licenses l WHERE ${isOwned}`
      : sql`SELECT l.customer_id AS id FROM licenses l
          JOIN (SELECT license_id FROM ${devices}) r ON r.license_id = l.id WHERE ${isOwned}`,
    isLike: sql`EXISTS (SELECT FROM licenses l WHERE ${held(sql`l.customer_id = customers.id`)}
      ${devices === undefined ? sql`` : sql`AND EXISTS (SELECT FROM ${devices} AND d.license_id = l.id)`})`
  }
}
