import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** Management keys that are limited to products, and what such a key made. */
export default Effect.gen(function*() {
  const products = { type: `text[] COLLATE "C"`, check: "cardinality(product_ids) > 0" }
  yield* addColumns("management_keys", { product_ids: products })
  yield* briefly("COMMENT ON COLUMN management_keys.product_ids IS 'the products it is limited to; NULL: all'")
  yield* addColumns("customers", { product_ids: products })
  yield* briefly(
    "COMMENT ON COLUMN customers.product_ids IS 'those of the limited key that made it; NULL: another made it'"
  )
  yield* createIndex("customers_by_product", "ON customers USING gin (product_ids) WHERE product_ids IS NOT NULL")
  yield* addColumns("report_exports", { product_ids: products })
  yield* briefly(
    "COMMENT ON COLUMN report_exports.product_ids IS 'all that it may tell of: those of the limited key that made it; NULL: all'"
  )
})
