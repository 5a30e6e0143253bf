import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** Uses that a backend reports: of no device, at a time of their own, by whoever reported them. */
export default Effect.gen(function*() {
  yield* addColumns("usage_records", { reported_at: "timestamptz(3)", actor_type: "text", actor_id: "text" })
  yield* briefly(`ALTER TABLE usage_records ALTER COLUMN device_id DROP NOT NULL`)
  yield* briefly(`COMMENT ON COLUMN usage_records.reported_at IS
    'when a use was counted whose created_at a backend has named; NULL where that is when it was counted'`)
  yield* briefly(`COMMENT ON COLUMN usage_records.actor_id IS 'who reported the use; NULL where it is the license'`)
  yield* createIndex("usage_records_by_actor", "ON usage_records (actor_id, created_at) WHERE actor_id IS NOT NULL")
})
