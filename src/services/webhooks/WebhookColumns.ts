import type { Statement } from "effect/sql"
import { WebhookEndpoint } from "../../domain/webhooks/Webhook.ts"
import type { Fragments } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"

/** The columns of an endpoint as it is shown, for `FROM webhook_endpoints e JOIN webhook_lanes l`. */
export const webhookColumns = (sql: Fragments): Statement.Fragment =>
  sql`e.id, e.name, e.url,
    (SELECT s.prefix FROM webhook_secrets s WHERE s.endpoint_id = e.id ORDER BY s.id DESC LIMIT 1) AS secret_prefix,
    e.event_types, e.is_active,
    CASE WHEN e.is_active THEN 'active' WHEN e.disabled_reason IS NULL THEN 'paused' ELSE 'disabled' END AS status,
    e.disabled_reason, e.disabled_at, l.failing_since, l.last_success_at AS last_delivery_at, e.created_at, e.updated_at`

/** A row of {@link webhookColumns} as the wire shows it. */
export const webhookOf: (row: object) => WebhookEndpoint = rowReader(WebhookEndpoint)
