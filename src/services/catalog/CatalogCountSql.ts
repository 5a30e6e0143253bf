import { catalogCounts } from "../../domain/catalog/Product.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

/** The counts of a product. Of licenses, one more is counted than is said. */
export interface ProductCountRow {
  readonly id: string
  readonly policies: number
  readonly licenses: number
  readonly in_use: number
  /** Whether there are more licenses than were looked at for those in use. */
  readonly has_unseen: boolean
  readonly newest_version: string | null
}

/** Counts what belongs to each of these products. With `seesLicenses`, also how many licenses there are. */
export const countOfProducts = (
  sql: Database,
  ids: ReadonlyArray<string>,
  seesLicenses: boolean
): Query<ProductCountRow> => {
  const { inUseAmong, licenses } = catalogCounts
  return sql<ProductCountRow>`
    -- name: products.count parts
    SELECT p.id, (SELECT count(*)::int FROM policies WHERE product_id = p.id) AS policies,
      (SELECT count(*)::int FROM (SELECT FROM licenses WHERE product_id = p.id AND ${seesLicenses}
        LIMIT ${licenses + 1}) l) AS licenses,
      (SELECT count(*)::int FROM (
        SELECT FROM (SELECT id FROM licenses WHERE product_id = p.id AND ${seesLicenses} ORDER BY id DESC LIMIT ${inUseAmong}) l
        WHERE EXISTS (SELECT FROM devices d WHERE d.license_id = l.id AND d.last_seen_at > now() - interval '30 days')
        LIMIT ${licenses + 1}
      ) u) AS in_use,
      EXISTS (SELECT FROM licenses WHERE product_id = p.id AND ${seesLicenses} ORDER BY id DESC OFFSET ${inUseAmong}) AS has_unseen,
      (SELECT version FROM product_versions WHERE product_id = p.id ORDER BY released_at DESC, id DESC LIMIT 1) AS newest_version
    FROM unnest(${ids}::text[]) AS p (id)`
}

/** How many licenses were issued under each of these policies, counted to one more than is said. */
export const countOfPolicies = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string; readonly licenses: number }> =>
  sql<{ readonly id: string; readonly licenses: number }>`
    -- name: policies.count licenses
    SELECT p.id, (SELECT count(*)::int FROM (SELECT FROM licenses WHERE policy_id = p.id
      LIMIT ${catalogCounts.licenses + 1}) l) AS licenses
    FROM unnest(${ids}::text[]) AS p (id)`
