import { Effect } from "effect"
import type { Policy } from "../../domain/catalog/Policy.ts"
import { catalogCounts } from "../../domain/catalog/Product.ts"
import type { Product, ProductCounts } from "../../domain/catalog/Product.ts"
import { countedUpTo } from "../../domain/ground/wire/Page.ts"
import { lackedScopes } from "../log/Provenance.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { countOfPolicies, countOfProducts } from "./CatalogCountSql.ts"
import type { ProductCountRow } from "./CatalogCountSql.ts"

const most = catalogCounts.licenses

const seesLicenses = Effect.map(lackedScopes(["license:read"]), (lacked) => lacked.length === 0)

const countsOf = (row: ProductCountRow, hasLicenses: boolean): ProductCounts => {
  const inUse = countedUpTo(row.in_use, most)
  return {
    policies: row.policies,
    ...(hasLicenses
      ? {
        licenses: countedUpTo(row.licenses, most),
        licenses_in_use: { ...inUse, has_more: inUse.has_more || row.has_unseen }
      }
      : {}),
    ...(row.newest_version === null ? {} : { newest_version: row.newest_version })
  }
}

/** Products with what belongs to them, as far as the caller may see it. */
export const countedProducts = Effect.fnUntraced(function*(sql: Database, products: ReadonlyArray<Product>) {
  const hasLicenses = yield* seesLicenses
  const rows = yield* countOfProducts(sql, products.map(({ id }) => id), hasLicenses)
  const byId = new Map(rows.map((row) => [row.id, countsOf(row, hasLicenses)]))
  return products.map((product): Product => ({ ...product, counts: byId.get(product.id)! }))
})

/** Policies with how many licenses were issued under them; without, where the caller may not see licenses. */
export const countedPolicies = Effect.fnUntraced(function*(sql: Database, policies: ReadonlyArray<Policy>) {
  if (!(yield* seesLicenses)) return policies
  const rows = yield* countOfPolicies(sql, policies.map(({ id }) => id))
  const byId = new Map(rows.map(({ id, licenses }) => [id, { licenses: countedUpTo(licenses, most) }]))
  return policies.map((policy): Policy => ({ ...policy, counts: byId.get(policy.id)! }))
})
