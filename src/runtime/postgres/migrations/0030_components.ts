import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Components of devices, by which a device is known whose fingerprint has changed. NULL for devices that named none.
 * They are pseudonyms of a machine, as its fingerprint is, and stay where that stays.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE devices
      ADD COLUMN components jsonb CHECK (jsonb_typeof(components) = 'object'),
      ADD COLUMN components_changed_at timestamptz`
  yield* sql`COMMENT ON COLUMN devices.components IS 'hashes by name, as of the last activation or checkout'`
  // A device of a license with many is found by one of its components. Devices without any are not in it.
  yield* sql`CREATE INDEX devices_by_component ON devices USING gin (components jsonb_path_ops)
    WHERE components IS NOT NULL`
})
