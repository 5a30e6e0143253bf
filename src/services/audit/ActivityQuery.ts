import type { Statement } from "effect/sql"
import type { ActivityAction, ActivityResult, ActivitySource } from "../../domain/audit/Activity.ts"
import { placedOnly } from "../events/FeedPosition.ts"
import type { FeedPlace } from "../events/FeedPosition.ts"
import type { UsageFilters } from "../metering/UsageQuery.ts"
import { usageConditions } from "../metering/UsageQuery.ts"
import type { Fragments } from "../persistence/Database.ts"
import type { TimedPosition } from "../persistence/KeysetPagination.ts"
import type { ProductLimit } from "../persistence/ProductLimit.ts"

/** Which activities. Instants are RFC 3339; the window is [from, to). */
export interface ActivityFilters extends UsageFilters {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly action?: ActivityAction | undefined
  readonly source?: ActivitySource | undefined
  readonly request_id?: string | undefined
  readonly result_class?: ActivityResult | undefined
  readonly status_code?: number | undefined
}

const ownColumns = `id, occurred_at, action, source, actor_type, actor_id, result_class, status_code, code,
  resource_type, resource_id, product_id, customer_id, license_id, order_id, subscription_id, device_id, feature_code,
  NULL::bigint AS amount, request_id, audit_event_id, reason`

// A metered use is shown from the usage ledger: what else its activity says is the same for every use.
const usageColumns = `'act_' || substr(id, 5), created_at, 'license.usage_recorded', 'runtime', 'license', license_id,
  'success', 200, NULL, 'license', license_id, product_id, customer_id, license_id, order_id, subscription_id,
  device_id, feature_code, amount, request_id, id, NULL`

/** Whether a metered use could be among the activities of these filters. */
const takesUsage = ({ action, result_class, source, status_code }: ActivityFilters): boolean =>
  (action === undefined || action === "license.usage_recorded") &&
  (result_class === undefined || result_class === "success") &&
  (source === undefined || source === "runtime") &&
  (status_code === undefined || status_code === 200)

/**
 * The activities of these filters, newest first, of the products of a `limit` alone: all of them, or `page.limit` rows after `page.after`. With a `place`
 * of the feed, only those whose events have theirs. Its two halves are in order by themselves, so that they are merged
 * as they are read and stop at the limit.
 */
export const activityQuery = (
  sql: Fragments,
  filters: ActivityFilters,
  { limit, page, place }: {
    readonly limit: ProductLimit
    readonly page?: { readonly limit: number; readonly after: TimedPosition | undefined }
    readonly place?: FeedPlace | undefined
  }
): Statement.Fragment => {
  const half = (
    columns: string,
    table: string,
    time: string,
    more: ReadonlyArray<Statement.Fragment>,
    type: string
  ) => {
    const { from, to } = filters
    const after = page?.after
    const conditions = [
      ...more,
      ...usageConditions(sql, filters, limit),
      ...(filters.request_id === undefined ? [] : [sql`request_id = ${filters.request_id}`]),
      ...(from === undefined ? [] : [sql`${sql(time)} >= ${from}::text::timestamptz`]),
      ...(to === undefined ? [] : [sql`${sql(time)} < ${to}::text::timestamptz`]),
      // The index finds the time; only among the rows of that one instant does the id decide.
      ...(after === undefined ? [] : [
        sql`${sql(time)} <= ${new Date(after.at)}`,
        sql`(${sql(time)} < ${new Date(after.at)} OR id < ${`${type}_${after.id.slice(4)}`})`
      ])
    ]
    const order = sql`
      ORDER BY ${sql(time)} DESC, id DESC ${page === undefined ? sql`` : sql`LIMIT ${page.limit}`}`
    return sql`
      SELECT ${sql.literal(columns)} FROM ${sql(table)}
      ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`} ${order}`
  }
  const own = half(
    ownColumns,
    "activities",
    "occurred_at",
    [
      ...(["action", "source", "result_class", "status_code"] as const).flatMap((column) =>
        filters[column] === undefined ? [] : [sql`${sql(column)} = ${filters[column]}`]
      ),
      ...placedOnly(sql, place, "occurred_at", "audit_event_id")
    ],
    "act"
  )
  const usage = takesUsage(filters)
    ? half(usageColumns, "usage_records", "created_at", placedOnly(sql, place, "created_at", "id"), "evt")
    : undefined
  if (usage === undefined) return own
  return sql`
    (${own}) UNION ALL (${usage}) ORDER BY occurred_at DESC, id DESC
    ${page === undefined ? sql`` : sql`LIMIT ${page.limit}`}`
}
