import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

/**
 * Whether seats that devices give back stay taken until what the devices have for offline use has ended, until when the last envelope of a
 * device is good, and until when the seat of a file stays taken that was revoked with its owner. NULL in rows of before: what was fetched
 * until then holds no seat, and a file that is not revoked holds it until its end.
 */
export default Effect.gen(function*() {
  yield* addColumns("policies", { hold_offline_seats: "boolean" })
  yield* addColumns("devices", { envelope_until: "timestamptz" })
  yield* addColumns("offline_files", { seat_held_until: "timestamptz" })
})
