import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Trials that apps open: the publishable keys that they do it with, and which devices had one. A device is told by a
 * keyed hash, so that it is known for ever and nothing of it is stored.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE publishable_keys (
      id text COLLATE "C" PRIMARY KEY,
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      policy_id text COLLATE "C" NOT NULL REFERENCES policies,
      name text NOT NULL,
      key text NOT NULL,
      key_hash bytea NOT NULL UNIQUE,
      revoked_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
  yield* sql`CREATE INDEX publishable_keys_by_product ON publishable_keys (product_id, created_at, id)`
  yield* sql`CREATE INDEX publishable_keys_by_policy ON publishable_keys (policy_id)`
  yield* sql`COMMENT ON COLUMN publishable_keys.key IS 'no secret: it stands in apps'`

  // The device comes before its license: whoever opens a trial of the same device waits here.
  yield* sql`
    CREATE TABLE trials (
      product_id text COLLATE "C" NOT NULL REFERENCES products,
      binding_hash bytea NOT NULL,
      license_id text COLLATE "C" NOT NULL UNIQUE REFERENCES licenses DEFERRABLE INITIALLY DEFERRED,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (product_id, binding_hash)
    )`
  yield* sql`COMMENT ON COLUMN trials.binding_hash IS 'keyed hash of the product, and of the kind and key of the device'`
})
