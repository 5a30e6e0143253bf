import { Effect } from "effect"
import { addColumns, briefly, replaceIndex } from "../OnlineMigration.ts"

/** Floating seats of processes: what takes one, and one open lease for each process of a device. */
export default Effect.gen(function*() {
  yield* addColumns("policies", { lease_unit: { type: "text", check: "lease_unit IN ('device', 'process')" } })
  yield* addColumns("leases", { process_id: "text NOT NULL DEFAULT ''" })
  yield* briefly(
    "COMMENT ON COLUMN leases.process_id IS 'the process that it is of; empty where it is the device''s, or unnamed'"
  )
  yield* replaceIndex(
    "leases_one_open",
    "ON leases (license_id, device_id, process_id) WHERE ended_at IS NULL",
    "UNIQUE"
  )
})
