import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Floating leases. Every change of a seat's holder happens under the row lock of the license. Only a heartbeat does not
 * take it, and it touches nothing but its own lease. A lease is open until `ended_at`; readers see at once that its
 * time has run out, and a sweep records it later.
 *
 * A binding made by a checkout is `floating`: it takes no activation seat and is active only while its lease lives.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE devices ADD COLUMN floating boolean NOT NULL DEFAULT false`
  yield* sql`ALTER TABLE devices ADD COLUMN offline_counter bigint NOT NULL DEFAULT 0`
  yield* sql`COMMENT ON COLUMN devices.offline_counter IS 'the number of the last offline envelope of this device'`

  yield* sql`
    CREATE TABLE leases (
      id text COLLATE "C" PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      device_id text COLLATE "C" NOT NULL REFERENCES devices,
      generation bigint NOT NULL DEFAULT 1 CHECK (generation >= 1),
      token_hash bytea NOT NULL,
      previous_token_hash bytea,
      rotated_at timestamptz NOT NULL,
      checked_out_at timestamptz NOT NULL,
      last_heartbeat_at timestamptz,
      expires_at timestamptz NOT NULL,
      ended_at timestamptz,
      end_reason text CHECK (end_reason IN
        ('checked_in', 'released', 'expired', 'deactivated', 'reset', 'blacklisted', 'transferred', 'revoked')),
      CHECK ((ended_at IS NULL) = (end_reason IS NULL))
    ) WITH (fillfactor = 70)`
  yield* sql`COMMENT ON COLUMN leases.generation IS 'how many tokens the lease has had; a token is derived from it'`
  yield* sql`CREATE UNIQUE INDEX leases_by_token ON leases (token_hash)`
  yield* sql`
    CREATE INDEX leases_by_previous_token ON leases (previous_token_hash) WHERE previous_token_hash IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX leases_one_open ON leases (license_id, device_id) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX leases_by_license ON leases (license_id, id DESC)`
  yield* sql`CREATE INDEX leases_due ON leases (expires_at) WHERE ended_at IS NULL`

  // The signed revocation list is read from this index alone.
  yield* sql`CREATE INDEX licenses_revoked ON licenses (id) WHERE state = 'revoked'`
})
