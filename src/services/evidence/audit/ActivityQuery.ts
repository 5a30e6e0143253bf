import type { Statement } from "effect/sql"
import { sourceOf } from "../../../domain/evidence/audit/Activity.ts"
import type { ActivityAction, ActivityResult, ActivitySource } from "../../../domain/evidence/audit/Activity.ts"
import type { AuditActorType } from "../../../domain/log/EventKind.ts"
import type { Fragments } from "../../ground/persistence/Database.ts"
import { standingTime } from "../../ground/persistence/EventMemberSql.ts"
import type { TimedPosition } from "../../ground/persistence/KeysetPagination.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import type { UsageFilters } from "../../licensing/metering/UsageQuery.ts"
import { usageConditions } from "../../licensing/metering/UsageQuery.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"

/** Which activities. Instants are RFC 3339; the window is [from, to). */
export interface ActivityFilters extends UsageFilters {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly action?: ActivityAction | undefined
  readonly source?: ActivitySource | undefined
  readonly request_id?: string | undefined
  readonly result_class?: ActivityResult | undefined
  readonly status_code?: number | undefined
  readonly actor_type?: AuditActorType | undefined
  readonly actor_id?: string | undefined
  readonly resource_type?: string | undefined
  readonly resource_id?: string | undefined
}

const ownColumns = `id, occurred_at, action, source, actor_type, actor_id, result_class, status_code, code,
  resource_type, resource_id, product_id, customer_id, license_id, order_id, subscription_id, device_id, feature_code,
  NULL::bigint AS amount, NULL::jsonb AS dimensions, request_id, audit_event_id, reason`

// A metered use is shown from the usage ledger: what else its activity says is the same for every use.
const usageColumns = `'act_' || substr(id, 5), created_at, 'license.usage_recorded',
  CASE WHEN actor_id IS NULL THEN 'runtime' ELSE 'management' END, coalesce(actor_type, 'license'),
  coalesce(actor_id, license_id), 'success', 200, NULL, 'license', license_id, product_id, customer_id, license_id, order_id, subscription_id,
  device_id, feature_code, amount, dimensions, request_id, id, NULL`

/** Whether a metered use could be among the activities of these filters. */
const takesUsage = (
  { action, actor_type, resource_type, result_class, source, status_code }: ActivityFilters
): boolean =>
  (action === undefined || action === "license.usage_recorded") &&
  (result_class === undefined || result_class === "success") &&
  (source === undefined || source === "runtime" || source === "management") &&
  (actor_type === undefined || actor_type === "license" || actor_type === "api_key" || actor_type === "person") &&
  (resource_type === undefined || resource_type === "license") &&
  (status_code === undefined || status_code === 200)

const isLicense = (id: string | undefined): boolean => id?.startsWith("lic_") ?? false

/** A metered use is done to its license, and by it, or by whoever reported it. */
const ofLicense = (
  sql: Fragments,
  { actor_id, actor_type, resource_id, source }: ActivityFilters
): ReadonlyArray<Statement.Fragment> => {
  const isByLicense = source === "runtime" || actor_type === "license" || isLicense(actor_id)
  const isReported = source === "management" || (actor_type !== undefined && actor_type !== "license")
  return [
    ...[isLicense(actor_id) ? actor_id : undefined, resource_id].flatMap((id) =>
      id === undefined ? [] : [sql`license_id = ${id}`]
    ),
    ...(actor_id === undefined || isLicense(actor_id) ? [] : [sql`actor_id = ${actor_id}`]),
    ...(actor_type === undefined || actor_type === "license" ? [] : [sql`actor_type = ${actor_type}`]),
    ...(isByLicense ? [sql`actor_id IS NULL`] : []),
    ...(isReported ? [sql`actor_id IS NOT NULL`] : [])
  ]
}

/** Members that are asked for as they stand in `activities`. */
const ownMembers = [
  "action",
  "source",
  "result_class",
  "status_code",
  "actor_type",
  "actor_id",
  "resource_type",
  "resource_id"
] as const

/** Where an actor comes from, by what its id says. */
const sourceById = (id: string): ActivitySource =>
  isLicense(id) || id === "unknown" ? "runtime" : sourceOf(id === "countersign" || id === "cli" ? "system" : "api_key")

/**
 * The filters by members of `activities`. Those by actor and resource add what follows from them, which is what their
 * indexes are of: all but what licenses do, and the license for that.
 */
const ownConditions = (sql: Fragments, filters: ActivityFilters): ReadonlyArray<Statement.Fragment> => {
  const { actor_id, actor_type, resource_id, resource_type, source } = filters
  const sources = new Set([
    ...(source === undefined ? [] : [source]),
    ...(actor_id === undefined ? [] : [sourceById(actor_id)]),
    ...(actor_type === undefined ? [] : [sourceOf(actor_type)])
  ])
  const isOther = (resource_type !== undefined && resource_type !== "license") ||
    (resource_id !== undefined && !isLicense(resource_id))
  return [
    ...ownMembers.flatMap((column) => filters[column] === undefined ? [] : [sql`${sql(column)} = ${filters[column]}`]),
    // As text: only then does PostgreSQL know in advance that an index has them all.
    ...[...sources].map((source) => sql.literal(`source = '${source}'`)),
    ...(filters.result_class === "refused" ? [sql`result_class = 'refused'`] : []),
    ...(isOther ? [sql`resource_type <> 'license'`] : []),
    ...[actor_id, resource_id].flatMap((id) => isLicense(id) ? [sql`license_id = ${id}`] : [])
  ]
}

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
    readonly page?: { readonly limit: Statement.Fragment; readonly after: TimedPosition | undefined }
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
      ORDER BY ${sql(time)} DESC, id DESC ${page === undefined ? sql`` : page.limit}`
    return sql`
      SELECT ${sql.literal(columns)} FROM ${sql(table)}
      ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`} ${order}`
  }
  const own = half(
    ownColumns,
    "activities",
    "occurred_at",
    [
      ...ownConditions(sql, filters),
      ...placedOnly(sql, place, "occurred_at", "audit_event_id")
    ],
    "act"
  )
  const usage = takesUsage(filters)
    ? half(
      usageColumns,
      "usage_records",
      "created_at",
      [...ofLicense(sql, filters), ...placedOnly(sql, place, "created_at", "id")],
      "evt"
    )
    : undefined
  if (usage === undefined) return own
  return sql`
    (${own}) UNION ALL (${usage}) ORDER BY occurred_at DESC, id DESC
    ${page === undefined ? sql`` : page.limit}`
}

/**
 * The activity of an id, if it is of the products of a `limit`. A use has no index by its id: its event says of which license
 * it is, and when it was.
 */
export const activityById = (sql: Fragments, id: string, limit: ProductLimit): Statement.Fragment => {
  const within = andWithinProducts(sql, "product_id", limit)
  const event = `evt_${id.slice(4)}`
  const usedAt = sql.literal(standingTime)
  return sql`
    SELECT ${sql.literal(ownColumns)} FROM activities WHERE id = ${id} ${within}
    UNION ALL
    SELECT ${sql.literal(usageColumns)} FROM usage_records
    WHERE id = ${event} AND (license_id, created_at) IN (
      SELECT resource_id, ${usedAt} FROM events WHERE id = ${event}
      UNION ALL SELECT resource_id, ${usedAt} FROM event_outbox WHERE id = ${event}
    ) ${within}`
}
