import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * The units that purchases have bought. What was paid is named as the provider names it, whichever connection was told of it, so that the
 * primary key gives each payment its units once. `number` counts how often they were given: again where they had been taken back.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS purchase_units (
      system text COLLATE "C" NOT NULL,
      bill text COLLATE "C" NOT NULL,
      part text COLLATE "C" NOT NULL,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      number integer NOT NULL,
      purchase_id text COLLATE "C" NOT NULL REFERENCES purchases,
      license_id text COLLATE "C" REFERENCES licenses,
      customer_id text COLLATE "C" REFERENCES customers,
      grant_id text COLLATE "C" NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      taken_by text COLLATE "C" REFERENCES purchases,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (system, bill, part, feature_id, number),
      CHECK ((license_id IS NULL) <> (customer_id IS NULL))
    )`)
  yield* briefly(`COMMENT ON COLUMN purchase_units.taken_by IS
    'the purchase that took back what was left, because the money was back'`)
  yield* createIndex("purchase_units_by_purchase", "ON purchase_units (purchase_id)")
  yield* createIndex("purchase_units_by_license", "ON purchase_units (license_id)")
  yield* createIndex("purchase_units_by_customer", "ON purchase_units (customer_id)")
  yield* createIndex("purchase_units_by_feature", "ON purchase_units (feature_id)")
})
