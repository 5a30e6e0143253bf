import { Effect, Schema } from "effect"
import { PolicyRecord } from "../../domain/catalog/Policy.ts"
import { Subscription } from "../../domain/customers/Subscription.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { andWithinProducts, isCustomerOfProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { isText } from "../ground/persistence/StatementParts.ts"

/**
 * Locks an email address until the transaction ends: whoever looks for its customer at the same moment waits, and finds the
 * one that was created meanwhile.
 */
export const lockCustomerEmail = (sql: Database, email: string): Query<object> =>
  sql`
    -- name: advisory_locks.lock customer email
    -- guard: customers of one address are found or created one after the other
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('customer email:' || lower(${email}), 0))`

/**
 * The customers with an email address, upper and lower case alike, two at most; each stays until the transaction ends. What
 * is beyond the products of a limited key is not there for it.
 */
export const lockCustomersByEmail = (
  sql: Database,
  email: string,
  limit: ProductLimit
): Query<{ readonly id: string; readonly of_limited_key: boolean }> =>
  sql`
    -- name: customers.lock by email
    SELECT id, product_ids IS NOT NULL AS of_limited_key FROM customers
    WHERE ${isText(sql, "email", email)} ${limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`}
    ORDER BY product_ids IS NOT NULL, id LIMIT 2 FOR KEY SHARE`

/** Whether a customer has a license: a row where that is so. */
export const findOwning = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: licenses.find any of customer
    SELECT 1 FROM licenses WHERE customer_id = ${customerId} LIMIT 1`

const { current_period_end, ended_at, id, product_id, status } = Subscription.fields
const Identified = Schema.Struct({ id })
const text = Schema.optionalKey(Schema.String)

/** The columns of the rows that licenses, orders and subscriptions name. */
const rows = {
  products: Identified,
  policies: PolicyRecord,
  customers: Schema.Struct({ id, email: text }),
  orders: Schema.Struct({ id, product_id, subscription_id: text }),
  subscriptions: Schema.Struct({ id, product_id, status, current_period_end, ended_at })
} as const

/** A table whose rows are named by others. */
export type NamedTable = keyof typeof rows

/** A row of such a table. */
export type NamedRow<Table extends NamedTable> = (typeof rows)[Table]["Type"]

const readers: { readonly [Table in NamedTable]: (row: object) => NamedRow<Table> } = {
  products: rowReader(rows.products),
  policies: rowReader(rows.policies),
  customers: rowReader(rows.customers),
  orders: rowReader(rows.orders),
  subscriptions: rowReader(rows.subscriptions)
}

/** The changes that a row is locked against: being deleted, or any change. */
export type NamedLock = "KEY SHARE" | "SHARE"

/**
 * Locks rows that others name until the transaction ends, so that a stored reference stays valid. What is beyond the
 * products of a limited key is not there for it.
 */
export const lockNamed = <Table extends NamedTable>(
  sql: Database,
  table: Table,
  ids: ReadonlyArray<string>,
  { limit, lock = "KEY SHARE" }: { readonly limit: ProductLimit; readonly lock?: NamedLock }
): Effect.Effect<ReadonlyArray<NamedRow<Table>>> => {
  const within = table === "customers"
    ? limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`
    : andWithinProducts(sql, table === "products" ? "id" : "product_id", limit)
  const statement = sql`
    -- name: ${sql.literal(`${table}.lock named`)}
    SELECT ${sql.literal(Object.keys(rows[table].fields).join(", "))} FROM ${sql(table)}
    WHERE id = ANY(${ids}::text[]) ${within}
    ORDER BY id
    -- guard: what is named is not deleted
    FOR ${sql.literal(lock)}`
  return Effect.map(statement, (found) => found.map(readers[table]))
}
