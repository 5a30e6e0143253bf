import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Files for machines without a network, as management issued them. What is in them is sealed under the license key and
 * not kept.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE offline_files (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      device_id text COLLATE "C" NOT NULL REFERENCES devices,
      fingerprint_hash text NOT NULL,
      offline_counter bigint NOT NULL CHECK (offline_counter > 0),
      issued_at timestamptz NOT NULL,
      valid_until timestamptz NOT NULL,
      revoked_at timestamptz
    )`
  yield* sql`CREATE INDEX offline_files_by_license ON offline_files (license_id, issued_at, id)`
  yield* sql`CREATE INDEX offline_files_by_device ON offline_files (device_id)`
  yield* sql`CREATE INDEX offline_files_revoked ON offline_files (id) WHERE revoked_at IS NOT NULL`

  // They stand in the list of revocations, which is numbered by what was ever revoked.
  yield* sql`
    CREATE CONSTRAINT TRIGGER count_revocation AFTER UPDATE OF revoked_at ON offline_files
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL) EXECUTE FUNCTION count_revocation()`
})
