import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * The codes that products had before, by which installed apps go on asking, and the code by which each lease was taken:
 * its heartbeats name the lease alone. Both are NULL in the rows that are there.
 */
export default Effect.gen(function*() {
  yield* addColumns("products", { former_codes: "text[]" })
  yield* briefly(`COMMENT ON COLUMN products.former_codes IS
    'codes that the product had before, the newest first; NULL where there is none'`)
  yield* addColumns("leases", { product_code: "text" })
  yield* briefly(`COMMENT ON COLUMN leases.product_code IS
    'the code of the product that the app named when it took the lease; NULL where it named none'`)
})
