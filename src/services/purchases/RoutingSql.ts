import type { Link } from "../../domain/providers/Fact.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** The links that lead to a purchase, whatever the number of steps. */
export const listLinksTo = (sql: Database, connectionId: string, purchase: string): Query<Link> =>
  sql<Link>`
    -- name: billing_links.list to purchase
    WITH RECURSIVE reached (object) AS (
      SELECT ${purchase}::text COLLATE "C"
      UNION SELECT l.about FROM reached r JOIN billing_links l
        ON l.connection_id = ${connectionId} AND l.target = r.object
    )
    SELECT 'link' AS kind, l.about, l.target AS "to" FROM reached r JOIN billing_links l
      ON l.connection_id = ${connectionId} AND l.target = r.object`

/** An event as it is shown. */
export interface EventShown {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly received_at: Date
  readonly api_version: string | null
}

/** The last events about objects, as they are shown, in the order of their provider's clock. */
export const listShownAbout = (
  sql: Database,
  { connectionId, limit, objects }: {
    readonly connectionId: string
    readonly objects: ReadonlyArray<string>
    readonly limit: number
  }
): Query<EventShown> =>
  sql<EventShown>`
    -- name: billing_events.list shown
    SELECT * FROM (
      SELECT e.event_id AS id, e.type, e.occurred_at, e.received_at, e.api_version FROM billing_events e
      WHERE e.sequence IN (SELECT o.sequence FROM billing_event_objects o
        WHERE o.connection_id = ${connectionId} AND o.object = ANY(${objects}::text[]))
      ORDER BY e.occurred_at DESC, e.sequence DESC LIMIT ${limit}
    ) latest ORDER BY occurred_at, id`
