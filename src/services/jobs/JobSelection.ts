import { Effect } from "effect"
import type { JobSelection } from "../../domain/jobs/LicenseJob.ts"
import { licenseConditions } from "../licensing/licenses/LicenseSearch.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { withinProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"

/** The conditions of a filter on licenses `l` with their policies `p`, within the products of whoever asks. */
export const conditionsOf = (
  sql: Database,
  filter: NonNullable<JobSelection["filter"]>,
  limit: ProductLimit
) =>
  Effect.map(licenseConditions(sql, filter), (conditions) => [
    ...conditions,
    ...withinProducts(sql, "l.product_id", limit)
  ])
