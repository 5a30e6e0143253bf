import type { SuspensionWords } from "../../../domain/licensing/lifecycle/StateChange.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * The tag of the reseller by whose key the last event of a type came about; null where that was another actor, or none is kept any more.
 * The log knows: each event is in the feed or waits for its place there.
 */
const lastTag = (sql: Database, resourceId: string, type: string) =>
  sql`(
    SELECT k.license_tag FROM (
      (SELECT 0 AS rank, actor_type, actor_id FROM events
        WHERE resource_key = right(${resourceId}, 7) AND resource_id = ${resourceId} AND event_type = ${type}
        ORDER BY sequence DESC LIMIT 1)
      UNION ALL
      (SELECT 1, actor_type, actor_id FROM event_outbox
        WHERE resource_id = ${resourceId} AND event_type = ${type} ORDER BY ordinal DESC LIMIT 1)
      ORDER BY rank DESC LIMIT 1
    ) last
    LEFT JOIN management_keys k ON last.actor_type = 'api_key' AND k.id = last.actor_id)`

/** The words that stand about the suspension of a locked license. */
export const findSuspensionWords = (sql: Database, licenseId: string): Query<SuspensionWords> =>
  sql<SuspensionWords>`
    -- name: licenses.find words of suspension
    SELECT ${lastTag(sql, licenseId, "license.suspended")} AS tag, EXISTS (
        SELECT 1 FROM purchase_licenses WHERE license_id = l.id AND stopped IS NOT NULL
      ) AS is_stopped, (
        SELECT status FROM subscriptions WHERE id = l.subscription_id AND l.follows_subscription
      ) AS subscription
    FROM licenses l WHERE id = ${licenseId}`

/** The tag of the reseller who blocked a device of a locked license last. */
export const findBlockWord = (sql: Database, deviceId: string): Query<{ readonly tag: string | null }> =>
  sql<{ readonly tag: string | null }>`
    -- name: events.find word of block
    SELECT ${lastTag(sql, deviceId, "device.blacklisted")} AS tag`
