import { replaceIndex } from "../OnlineMigration.ts"

/**
 * Less WAL for an event: the index by type of actor leaves out metered uses by licenses, which are most of the log and
 * all alike. They are found by their kind.
 */
export default replaceIndex(
  "event_places_by_actor_type",
  "ON event_places (actor_type, sequence) WHERE event_type <> 'license.usage_recorded' OR actor_type <> 'license'"
)
