import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The life of a license after it was issued: replaced keys, announced crossings of its expiry, container bindings that
 * lapse, and the part of the event log that gives the state of a license at an instant.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE license_keys (
      key_hash bytea PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      expires_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
  yield* sql`COMMENT ON COLUMN license_keys.expires_at IS
    'until when a replaced key works; NULL for the one key that is in use'`
  yield* sql`
    INSERT INTO license_keys (key_hash, license_id, created_at) SELECT key_hash, id, created_at FROM licenses`
  yield* sql`CREATE UNIQUE INDEX license_keys_in_use ON license_keys (license_id) WHERE expires_at IS NULL`
  yield* sql`CREATE INDEX license_keys_replaced ON license_keys (license_id) WHERE expires_at IS NOT NULL`
  yield* sql`ALTER TABLE licenses DROP COLUMN key_hash`

  // An announced license leaves the indexes that the sweeper reads, so a sweep costs only what there is to announce.
  yield* sql`
    ALTER TABLE licenses ADD COLUMN announced text NOT NULL DEFAULT 'nothing'
      CHECK (announced IN ('nothing', 'expiring', 'grace_period', 'expired'))`
  yield* sql`COMMENT ON COLUMN licenses.announced IS
    'the last crossing of expires_at that has an event; whoever changes expires_at sets it back to nothing'`
  // One index for each stage: the planner takes the smallest that fits, while one for both loses to licenses_by_expiry.
  yield* sql`
    CREATE INDEX licenses_to_warn ON licenses (expires_at)
      WHERE state = 'active' AND announced = 'nothing' AND expires_at IS NOT NULL`
  yield* sql`
    CREATE INDEX licenses_to_end ON licenses (expires_at) WHERE state = 'active' AND announced = 'expiring'`
  // The end of a grace period depends on the policy, so these licenses are found policy by policy.
  yield* sql`
    CREATE INDEX licenses_past_expiry ON licenses (policy_id, announced, expires_at)
      WHERE state = 'active' AND announced IN ('grace_period', 'expired')`

  // last_seen_at changes at every validation: an index on it would prevent HOT updates.
  yield* sql`ALTER TABLE devices ADD COLUMN idle_check_at timestamptz`
  yield* sql`COMMENT ON COLUMN devices.idle_check_at IS
    'when the sweeper looks at last_seen_at of a container binding next; NULL: as soon as it can'`
  yield* sql`
    CREATE INDEX devices_to_check ON devices (idle_check_at NULLS FIRST)
      WHERE binding_kind = 'container' AND status = 'active'`

  // Metered use writes most of the log, and does not change the state of a license.
  yield* sql`
    CREATE INDEX events_of_state ON events (resource_id, sequence)
      WHERE event_type NOT IN ('license.usage_recorded', 'license.quota_reached', 'lease.checked_out',
        'lease.checked_in', 'lease.expired', 'offline.issued')`
})
