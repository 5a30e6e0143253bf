import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Licenses of several products under one key, and leases that were taken for one of them. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE licenses ADD COLUMN product_ids text[] COLLATE "C" CHECK (cardinality(product_ids) > 0)`
  yield* sql`COMMENT ON COLUMN licenses.product_ids IS 'further products, beside product_id'`
  yield* sql`CREATE INDEX licenses_by_further_product ON licenses USING gin (product_ids) WHERE product_ids IS NOT NULL`
  yield* sql`ALTER TABLE leases ADD COLUMN product_id text COLLATE "C"`
  yield* sql`COMMENT ON COLUMN leases.product_id IS 'the further product that it was taken for; NULL for the first'`
})
