import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** Licenses of several products under one key, and leases that were taken for one of them. */
export default Effect.gen(function*() {
  yield* addColumns("licenses", {
    product_ids: { type: `text[] COLLATE "C"`, check: "cardinality(product_ids) > 0" }
  })
  yield* briefly("COMMENT ON COLUMN licenses.product_ids IS 'further products, beside product_id'")
  yield* createIndex(
    "licenses_by_further_product",
    "ON licenses USING gin (product_ids) WHERE product_ids IS NOT NULL"
  )
  yield* addColumns("leases", { product_id: `text COLLATE "C"` })
  yield* briefly(
    "COMMENT ON COLUMN leases.product_id IS 'the further product that it was taken for; NULL for the first'"
  )
})
