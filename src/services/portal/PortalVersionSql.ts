import type { VersionLink } from "../../domain/catalog/ProductVersion.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

/** A version that a customer may run: a hot row, which is cast. */
interface CoveredVersion {
  readonly version: string
  readonly released_at: Date
  readonly links: ReadonlyArray<VersionLink> | null
}

/** The versions of a product that were released by now, and by the end of maintenance of a license if it has one; newest first. */
export const listCovered = (
  sql: Database,
  { limit, maintenanceEnd, productId }: {
    readonly productId: string
    readonly maintenanceEnd: Date | null
    readonly limit: number
  }
): Query<CoveredVersion> =>
  sql<CoveredVersion>`
    -- name: product_versions.list covered
    SELECT version, released_at, links FROM product_versions
    WHERE product_id = ${productId} AND released_at <= least(now(), ${maintenanceEnd}::timestamptz)
    ORDER BY released_at DESC, id DESC LIMIT ${limit}`
