import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/** Units that customers own and their licenses share, and what each license took of them. */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS pools (
      id text COLLATE "C" PRIMARY KEY,
      customer_id text COLLATE "C" NOT NULL REFERENCES customers,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      amount bigint NOT NULL CHECK (amount > 0),
      used bigint NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND amount),
      max_per_license bigint CHECK (max_per_license > 0),
      starts_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) CHECK (expires_at > starts_at),
      priority int NOT NULL,
      reference text,
      is_open boolean NOT NULL DEFAULT true,
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      CHECK (NOT is_open OR (revoked_at IS NULL AND used < amount))
    ) WITH (fillfactor = 80)`)
  yield* briefly(`COMMENT ON COLUMN pools.is_open IS 'neither spent nor revoked; it may have ended'`)
  // Each runtime response asks it, and it is empty for most customers.
  yield* createIndex(
    "pools_open",
    "ON pools (customer_id, coalesce(expires_at, 'infinity'::timestamptz)) WHERE is_open"
  )
  yield* createIndex("pools_by_customer", "ON pools (customer_id, id)")
  yield* createIndex("pools_by_feature", "ON pools (feature_id)")
  yield* createIndex("pools_by_reference", "ON pools (customer_id, reference) WHERE reference IS NOT NULL", "UNIQUE")
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS pool_uses (
      pool_id text COLLATE "C" NOT NULL REFERENCES pools,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      used bigint NOT NULL CHECK (used >= 0),
      PRIMARY KEY (pool_id, license_id)
    ) WITH (fillfactor = 80)`)
  yield* createIndex("pool_uses_by_license", "ON pool_uses (license_id)")
})
