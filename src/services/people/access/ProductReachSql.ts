import type { Statement } from "effect/sql"
import type { LimitedResource } from "../../../domain/keys/security/ProductRule.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import {
  hasOtherProducts,
  isCustomerOfProducts,
  isOfProducts,
  isOnlyOfProducts
} from "../../ground/persistence/ProductLimit.ts"

/** The tables of resources that belong to products. */
const tables: Readonly<Record<LimitedResource, string>> = {
  product: "products",
  policy: "policies",
  feature: "features",
  license: "licenses",
  customer: "customers",
  order: "orders",
  subscription: "subscriptions",
  publishable_key: "publishable_keys",
  report_export: "report_exports",
  api_key: "management_keys",
  job: "jobs"
}

/** Whether a row of a resource is within products. */
const isWithin = (sql: Database, of: LimitedResource, products: ReadonlyArray<string>): Statement.Fragment => {
  switch (of) {
    case "product":
      return isOfProducts(sql, "id", products)
    case "customer":
      return isCustomerOfProducts(sql, products)
    case "report_export":
    case "api_key":
    case "job":
      return sql`coalesce(${isOnlyOfProducts(sql, "product_ids", products)}, false)`
    default:
      return isOfProducts(sql, "product_id", products)
  }
}

/** Whether a license has the tag of a reseller, to whom there is nothing else. */
const andTagged = (sql: Database, of: LimitedResource, tag: string | undefined): Statement.Fragment => {
  if (tag === undefined) return sql``
  return of === "license" ? sql`AND coalesce(tags @> ARRAY[${tag}::text], false)` : sql`AND false`
}

/** Whether a resource is within products, and has the tag; with `whole`, also whether a customer has something of others. */
export const findReach = (
  sql: Database,
  { id, of, tag, whole }: {
    readonly of: LimitedResource
    readonly id: string
    readonly whole: boolean
    readonly tag: string | undefined
  },
  products: ReadonlyArray<string>
): Query<{ readonly within: boolean; readonly others: boolean }> =>
  sql<{ readonly within: boolean; readonly others: boolean }>`
    -- name: ${sql.literal(tables[of])}.find within products
    SELECT ${isWithin(sql, of, products)} ${andTagged(sql, of, tag)} AS within, ${
    whole ? hasOtherProducts(sql, products) : sql`false`
  } AS others
    FROM ${sql(tables[of])} WHERE id = ${id}`
