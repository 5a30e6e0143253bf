import { createIndex } from "../OnlineMigration.ts"

/**
 * Events of a kind by a type of actor, which may be few or none where each of the two alone has millions. Metered uses by
 * licenses, most of the log, are left out: a use writes nothing here.
 */
export default createIndex(
  "event_places_by_kind_and_actor",
  `ON event_places ((hashtextextended(event_type, hashtextextended(actor_type, 0))), sequence)
   WHERE event_type <> 'license.usage_recorded' OR actor_type <> 'license'`
)
