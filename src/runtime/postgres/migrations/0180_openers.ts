import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

/**
 * Who made a link or an invitation, and opened a session of somebody else by it: its events say so. Who has a license key in the portal is
 * an actor of events from now on. And the licenses that a filter matched when a second person was asked about a job.
 */
export default Effect.gen(function*() {
  const opener = {
    opener_type: { type: "text", check: "opener_type IN ('api_key', 'person')" },
    opener_id: { type: `text COLLATE "C"`, check: "(opener_id IS NULL) = (opener_type IS NULL)" }
  } as const
  for (const table of ["person_invitations", "person_sessions", "portal_links", "portal_sessions"]) {
    yield* addColumns(table, opener)
  }
  yield* addColumns("approvals", { selected: "text[]" })
  yield* addColumns("event_records", {
    actor_type: {
      type: "text",
      check: "actor_type IN ('api_key', 'customer', 'license', 'license_holder', 'oidc_subject', 'person', 'system')"
    }
  })
})
