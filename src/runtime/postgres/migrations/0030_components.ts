import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Components of devices, by which a device is known whose fingerprint has changed. NULL for devices that named none.
 * They are pseudonyms of a machine, as its fingerprint is, and stay where that stays.
 */
export default Effect.gen(function*() {
  yield* addColumns("devices", {
    components: { type: "jsonb", check: "jsonb_typeof(components) = 'object'" },
    components_changed_at: "timestamptz"
  })
  yield* briefly("COMMENT ON COLUMN devices.components IS 'hashes by name, as of the last activation or checkout'")
  // A device of a license with many is found by one of its components. Devices without any are not in it.
  yield* createIndex(
    "devices_by_component",
    "ON devices USING gin (components jsonb_path_ops) WHERE components IS NOT NULL"
  )
})
