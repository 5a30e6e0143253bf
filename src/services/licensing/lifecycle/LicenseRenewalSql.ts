import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * When a locked license was renewed for an order. The log knows: each of its renewals is in the feed or waits for its
 * place there.
 */
export const findRenewalFor = (
  sql: Database,
  licenseId: string,
  orderId: string
): Query<{ readonly created_at: Date }> =>
  sql<{ readonly created_at: Date }>`
    -- name: events.find renewal for order
    SELECT created_at FROM events
    WHERE resource_key = right(${licenseId}, 7) AND resource_id = ${licenseId} AND event_type = 'license.renewed'
      AND metadata::jsonb ->> 'order_id' = ${orderId}
    UNION ALL
    SELECT created_at FROM event_outbox
    WHERE resource_id = ${licenseId} AND event_type = 'license.renewed' AND metadata::jsonb ->> 'order_id' = ${orderId}
    LIMIT 1`
