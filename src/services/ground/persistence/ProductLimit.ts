import { Context } from "effect"
import type { Statement } from "effect/sql"
import type { Fragments } from "./Database.ts"

/** The products that an API key is limited to; undefined where it may do all. */
export type ProductLimit = ReadonlyArray<string> | undefined

/**
 * The limit of the current work. Whoever lists or looks up what a caller names puts it into the statement; work of the
 * service's own has none.
 */
export const CurrentProducts = Context.Reference<ProductLimit>(
  "countersign/services/ground/persistence/CurrentProducts",
  {
    defaultValue: () => undefined
  }
)

/** Whether a column is one of these products. One alone is compared in the form that an index keeps in order. */
export const isOfProducts = (
  sql: Fragments,
  column: string,
  products: ReadonlyArray<string>
): Statement.Fragment =>
  products.length === 1
    ? sql`${sql.literal(column)} = ${products[0]!}`
    : sql`${sql.literal(column)} = ANY(${products}::text[])`

/** The same as conditions beside others: none where there is no limit. */
export const withinProducts = (
  sql: Fragments,
  column: string,
  products: ProductLimit
): ReadonlyArray<Statement.Fragment> => products === undefined ? [] : [isOfProducts(sql, column, products)]

/** The same at the end of a WHERE clause. */
export const andWithinProducts = (sql: Fragments, column: string, products: ProductLimit): Statement.Fragment =>
  products === undefined ? sql`` : sql`AND ${isOfProducts(sql, column, products)}`

/** Whether what has an array of products, such as a limited key, reaches no further than these. */
export const isOnlyOfProducts = (
  sql: Fragments,
  column: string,
  products: ReadonlyArray<string>
): Statement.Fragment => sql`${sql.literal(column)} <@ ${products}::text[]`

/**
 * The customers of products, as ids: who has a license, an order or a subscription of one, and whom a key made that
 * is limited to one.
 */
export const customersOfProducts = (sql: Fragments, products: ReadonlyArray<string>): Statement.Fragment => {
  const of = (table: string) =>
    sql`
    SELECT customer_id FROM ${sql(table)}
    WHERE ${isOfProducts(sql, "product_id", products)} AND customer_id IS NOT NULL`
  return sql`${of("licenses")} UNION ALL ${of("orders")} UNION ALL ${of("subscriptions")}
    UNION ALL SELECT id FROM customers WHERE product_ids && ${products}::text[]`
}

/** Whether the customer of a row of `customers` is one of {@link customersOfProducts}. */
export const isCustomerOfProducts = (sql: Fragments, products: ReadonlyArray<string>): Statement.Fragment =>
  sql.or([
    ...["licenses", "orders", "subscriptions"].map((table) =>
      sql`EXISTS (SELECT FROM ${sql(table)} o
        WHERE o.customer_id = customers.id AND ${isOfProducts(sql, "o.product_id", products)})`
    ),
    sql`customers.product_ids && ${products}::text[]`
  ])

/**
 * Whether the customer of a row of `customers` has something of other products too: a license, an order, a subscription, a
 * value of a custom field, or a maker who is limited to one of them. A customer whom a key without a limit made is nobody's.
 */
export const hasOtherProducts = (sql: Fragments, products: ReadonlyArray<string>): Statement.Fragment =>
  sql.or([
    ...["licenses", "orders", "subscriptions"].map((table) =>
      sql`EXISTS (SELECT FROM ${sql(table)} o
        WHERE o.customer_id = customers.id AND o.product_id <> ALL(${products}::text[]))`
    ),
    sql`EXISTS (SELECT FROM custom_field_values v JOIN custom_field_definitions d ON d.id = v.definition_id
      WHERE v.customer_id = customers.id AND d.product_id <> ALL(${products}::text[]))`,
    // A product that was deleted is nobody's.
    sql`EXISTS (SELECT FROM products p
      WHERE p.id = ANY(customers.product_ids) AND p.id <> ALL(${products}::text[]))`
  ])
