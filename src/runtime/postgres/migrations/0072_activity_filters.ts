import { Effect } from "effect"
import { createIndex } from "../OnlineMigration.ts"

/**
 * Activities by who did it and to what. What licenses do, nearly all of the table, is left out: it is found by the license,
 * so an activation writes none of these.
 */
export default Effect.gen(function*() {
  yield* createIndex(
    "activities_by_actor_id",
    "ON activities (actor_id, occurred_at) WHERE source = 'management'"
  )
  yield* createIndex(
    "activities_by_actor_type",
    "ON activities (actor_type, occurred_at) WHERE source = 'management'"
  )
  // What people and keys were refused is little among what they did, and among what apps were refused.
  yield* createIndex(
    "activities_refused_to_management",
    "ON activities (occurred_at) WHERE source = 'management' AND result_class = 'refused'"
  )
  yield* createIndex(
    "activities_by_resource_id",
    "ON activities (resource_id, occurred_at) WHERE resource_type <> 'license'"
  )
  yield* createIndex(
    "activities_by_resource_type",
    "ON activities (resource_type, occurred_at) WHERE resource_type <> 'license'"
  )
})
