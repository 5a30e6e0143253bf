import { Effect } from "effect"
import type { FieldFinding } from "../../../domain/ground/wire/Errors.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { listProducts } from "./ManagementKeySql.ts"

/**
 * Findings about products that a key or a role is to be limited to, and that there are not. Of what is beyond the `limit` of
 * its maker nothing is said.
 */
export const unknownProducts = (
  sql: Database,
  ids: ReadonlyArray<string>,
  limit: ProductLimit
): Effect.Effect<ReadonlyArray<FieldFinding>> =>
  ids.length === 0 ? Effect.succeed([]) : Effect.map(listProducts(sql, ids), (rows) => {
    const known = new Set(rows.map(({ id }) => id))
    return ids.flatMap((id, index) =>
      known.has(id) || limit?.includes(id) === false
        ? []
        : [{ path: `product_ids.${index}`, code: "not_found", message: "names no product" }]
    )
  })
