import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Units that licenses have beside their quotas, and how much of the use they served. The columns of `license_features` are
 * NULL where a feature never had a grant, so that its uses read and write nothing more than before.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS license_grants (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      amount bigint NOT NULL CHECK (amount <> 0),
      used bigint NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND greatest(amount, 0)),
      starts_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) CHECK (expires_at > starts_at),
      priority int NOT NULL,
      source text NOT NULL CHECK (source IN ('purchase', 'gift', 'correction')),
      reference text,
      is_open boolean NOT NULL DEFAULT true,
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      CHECK (NOT is_open OR (revoked_at IS NULL AND (amount < 0 OR used < amount)))
    ) WITH (fillfactor = 80)`)
  yield* briefly(`COMMENT ON COLUMN license_grants.is_open IS 'neither spent nor revoked; it may have ended'`)
  yield* createIndex("license_grants_open", "ON license_grants (license_id, feature_id) WHERE is_open")
  yield* createIndex("license_grants_by_license", "ON license_grants (license_id, id)")
  yield* createIndex("license_grants_by_feature", "ON license_grants (feature_id)")
  yield* createIndex(
    "license_grants_by_reference",
    "ON license_grants (license_id, reference) WHERE reference IS NOT NULL",
    "UNIQUE"
  )
  yield* addColumns("license_features", {
    granted_consumptions: { type: "bigint", check: "granted_consumptions >= 0" },
    granted_period_consumptions: { type: "bigint", check: "granted_period_consumptions >= 0" }
  })
  yield* addColumns("usage_records", { grants: "jsonb" })
  yield* briefly(`COMMENT ON COLUMN usage_records.grants IS 'the units that the use took of each grant'`)
})
