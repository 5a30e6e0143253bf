import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { storedTag } from "../../../domain/ground/wire/Action.ts"
import { License } from "../../../domain/licensing/licenses/License.ts"
import type { LicenseState, LicenseStatus } from "../../../domain/licensing/licenses/License.ts"
import { statusOf } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { effectiveGrace, effectiveGraceDays, licenseStatus } from "../../catalog/terms/TermsSql.ts"
import { customersFoundBy, isCustomerLike } from "../../customers/Customers.ts"
import type { SearchReach } from "../../customers/Customers.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { runningDevices } from "../../ground/persistence/RunningDeviceSql.ts"
import { beginsWith, hasMember, hasWords, isText, searched } from "../../ground/persistence/StatementParts.ts"
import { recordRows } from "../../ground/records/RecordCells.ts"
import { CurrentActor, lackedScopes } from "../../log/Provenance.ts"

/** A row that {@link licenseColumns} selects. */
export interface LicenseRow {
  readonly id: string
  readonly state: LicenseState
  readonly awaits_activation: boolean | null
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  readonly grace_period_days: number
  readonly now: Date
}

/** The members of licenses `l` that are columns. */
const memberColumns = `
  l.id, l.product_id, l.product_ids, l.policy_id, l.customer_id, l.order_id, l.subscription_id, l.license_key_prefix,
    l.license_key_last4, l.customer_email, l.customer_name, l.active_device_count, l.times_activated,
    l.times_transferred, l.total_consumptions, l.entitlement_version, l.starts_at, l.expires_at, l.term_anchor,
    l.maintenance_expires_at, l.awaits_activation, l.follows_subscription, l.suspended_by, l.ends_without_grace,
    l.overrides, l.trusted_issuer, l.tags, l.metadata, l.created_at, l.updated_at`

/** Selects licenses `l` with their policies `p`, in the form that {@link toLicense} reads. */
export const licenseColumns =
  `${memberColumns}, l.state, ${effectiveGraceDays} AS grace_period_days, clock_timestamp() AS now`

/** Selects licenses `l` with their policies `p` as they are on the wire, for {@link licenseRows}. */
export const listedColumns = `${memberColumns}, ${licenseStatus} AS status,
    CASE WHEN l.awaits_activation THEN l.expires_at END AS activate_before`

/** Selects, beside the columns of a license, what the ids in a license stand for: each is one look into a primary key. */
export const licenseNames = `
  jsonb_strip_nulls(jsonb_build_object(
    'product', (SELECT name FROM products WHERE id = l.product_id),
    'policy', p.name,
    'customer', (SELECT name FROM customers WHERE id = l.customer_id),
    'order', (SELECT external_id FROM orders WHERE id = l.order_id),
    'subscription', (SELECT external_id FROM subscriptions WHERE id = l.subscription_id),
    'purchase', (SELECT purchase_id FROM purchase_licenses WHERE license_id = l.id AND NOT is_adopted LIMIT 1)
  )) AS names`

/** Rows of {@link listedColumns}; of a list that does not say what ids stand for, and of one that does. */
export const licenseRows = recordRows(License, ["terms", "names"])
export const namedLicenseRows = recordRows(License, ["terms"])

const readLicense = rowReader(License)

/** Converts a row of `licenses`, joined with its policy's grace period and the database's clock, to its wire form. */
export const toLicense = (row: LicenseRow): License => {
  const { grace_period_days, now, state, ...rest } = row
  const status = statusOf({
    state,
    starts_at: row.starts_at?.getTime(),
    expires_at: row.expires_at?.getTime(),
    grace_period_days,
    now: now.getTime()
  })
  return readLicense({
    status,
    ...rest,
    ...(row.awaits_activation === true && row.expires_at !== null ? { activate_before: row.expires_at } : {})
  })
}

/** Filters of the list; instants are RFC 3339. */
export interface LicenseFilters {
  readonly product_id?: string
  readonly policy_id?: string
  readonly customer_id?: string
  readonly order_id?: string
  readonly subscription_id?: string
  readonly purchase_id?: string
  readonly status?: LicenseStatus
  readonly expires_before?: string
  readonly expires_after?: string
  /** The email address of the license or of its customer; upper and lower case are alike. */
  readonly customer_email?: string
  readonly key_last4?: string
  readonly tag?: string
  readonly device_fingerprint?: string
  /** The version of a device that has a seat; `1.x` is any version that begins so. */
  readonly app_version?: string
  /** The beginning of the system of a device that has a seat, the same device as that of `app_version`. */
  readonly os?: string
  /** The text to search for, whatever a person knows of a license; see {@link licensesFoundBy}. */
  readonly q?: string
}

/** The window of expiry, where nothing else is asked for and it has an end. */
export const expiryAlone = ({ expires_after: after, expires_before: before, ...others }: LicenseFilters):
  | { readonly before: string; readonly after: string | undefined }
  | undefined =>
  before === undefined || Object.values(others).some((value) => value !== undefined) ? undefined : { after, before }

/** The ids of the licenses that have this e-mail address, or whose customer has it. */
const licensesOfEmail = (sql: Database, email: string): Statement.Fragment =>
  sql`
  SELECT id FROM licenses WHERE ${isText(sql, "customer_email", email)}
  UNION ALL SELECT id FROM licenses
    WHERE customer_id = ANY(ARRAY(SELECT id FROM customers WHERE ${isText(sql, "email", email)}))`

/**
 * The ids of the licenses that a person looks for: by the id of the license, of its customer, order, subscription or
 * device, by the IDs that customer, order and subscription have in a billing system, by the last four characters of the
 * key, by the fingerprint of a device, by the code of the customer, by how the name or the e-mail address of the owner
 * begins, by their words, or by a value of the metadata. Each of them is a search in an index.
 */
const licensesFoundBy = (sql: Database, text: string, customers: SearchReach): Statement.Fragment =>
  sql`
  SELECT id FROM licenses WHERE id = ${text} OR order_id = ${text} OR subscription_id = ${text}
    OR license_key_last4 = upper(${text}::text)
  UNION ALL SELECT id FROM licenses WHERE ${beginsWith(sql, "customer_email", text)}
  UNION ALL SELECT id FROM licenses WHERE ${beginsWith(sql, "customer_name", text)}
  UNION ALL SELECT id FROM licenses WHERE (customer_name IS NOT NULL OR customer_email IS NOT NULL)
    AND ${hasWords(sql, ["customer_name", "customer_email"], text)}
  UNION ALL SELECT id FROM licenses WHERE ${hasMember(sql, "metadata", text)}
  UNION ALL SELECT l.id FROM orders o JOIN licenses l ON l.order_id = o.id WHERE o.external_id = ${text}
  UNION ALL SELECT l.id FROM subscriptions s JOIN licenses l ON l.subscription_id = s.id WHERE s.external_id = ${text}
  UNION ALL SELECT l.id FROM (${customersFoundBy(sql, text, customers)}) c JOIN licenses l ON l.customer_id = c.id
  UNION ALL SELECT license_id FROM devices WHERE id = ${text} OR fingerprint = ${text}`

/** Whether a license `l` is one of {@link licensesFoundBy}. */
const isLicenseLike = (sql: Database, text: string, customers: SearchReach): Statement.Fragment =>
  sql`(l.id = ${text} OR l.order_id = ${text} OR l.subscription_id = ${text} OR l.license_key_last4 = upper(${text}::text)
    OR ${beginsWith(sql, "l.customer_email", text)} OR ${beginsWith(sql, "l.customer_name", text)}
    OR ${hasWords(sql, ["l.customer_name", "l.customer_email"], text)} OR ${hasMember(sql, "l.metadata", text)}
    OR EXISTS (SELECT FROM orders o WHERE o.id = l.order_id AND o.external_id = ${text})
    OR EXISTS (SELECT FROM subscriptions s WHERE s.id = l.subscription_id AND s.external_id = ${text})
    OR EXISTS (SELECT FROM customers c WHERE c.id = l.customer_id AND ${isCustomerLike(sql, "c.", text, customers)})
    OR EXISTS (SELECT FROM devices d WHERE d.license_id = l.id AND (d.id = ${text} OR d.fingerprint = ${text})))`

/** Whether a license `l` has one of these devices `d`. */
const hasDevice = (sql: Database, devices: Statement.Fragment): Statement.Fragment =>
  sql`EXISTS (SELECT FROM ${devices} AND d.license_id = l.id)`

type MemberFilters = Omit<LicenseFilters, "app_version" | "os" | "q">

/** The filters that name members of a license. */
const memberConditions = (
  sql: Database,
  filters: MemberFilters
): ReadonlyArray<Statement.Fragment> => {
  const graceEnd = sql`l.expires_at + ${sql.literal(effectiveGrace)}`
  const hasStatus: Record<LicenseStatus, Statement.Fragment> = {
    active: sql`(l.state = 'active' AND (l.expires_at IS NULL OR l.expires_at > now()))`,
    grace_period: sql`(l.state = 'active' AND l.expires_at <= now() AND ${graceEnd} > now())`,
    expired: sql`(l.state = 'active' AND l.expires_at <= now() AND ${graceEnd} <= now())`,
    suspended: sql`l.state = 'suspended'`,
    revoked: sql`l.state = 'revoked'`
  }
  return [
    ...(filters.product_id === undefined ? [] : [sql`l.product_id = ${filters.product_id}`]),
    ...(filters.policy_id === undefined ? [] : [sql`l.policy_id = ${filters.policy_id}`]),
    ...(filters.customer_id === undefined ? [] : [sql`l.customer_id = ${filters.customer_id}`]),
    ...(filters.order_id === undefined ? [] : [sql`l.order_id = ${filters.order_id}`]),
    ...(filters.subscription_id === undefined ? [] : [sql`l.subscription_id = ${filters.subscription_id}`]),
    ...(filters.purchase_id === undefined
      ? []
      : [sql`l.id IN (SELECT license_id FROM purchase_licenses WHERE purchase_id = ${filters.purchase_id})`]),
    ...(filters.status === undefined ? [] : [hasStatus[filters.status]]),
    ...(filters.expires_before === undefined
      ? []
      : [sql`l.expires_at < ${filters.expires_before}::text::timestamptz`]),
    ...(filters.expires_after === undefined
      ? []
      : [sql`l.expires_at > ${filters.expires_after}::text::timestamptz`]),
    ...(filters.key_last4 === undefined ? [] : [sql`l.license_key_last4 = upper(${filters.key_last4}::text)`]),
    ...(filters.tag === undefined ? [] : [sql`l.tags @> ARRAY[${storedTag(filters.tag)}::text]`]),
    ...(filters.customer_email === undefined
      ? []
      : [sql`l.id = ANY(ARRAY(${licensesOfEmail(sql, filters.customer_email)}))`]),
    ...(filters.device_fingerprint === undefined
      ? []
      : [
        sql`l.id = ANY(ARRAY(SELECT license_id FROM devices WHERE fingerprint = ${filters.device_fingerprint}))`
      ])
  ]
}

/** The condition that keeps a reseller to the licenses with its tag; none for others. */
export const ofReseller = (
  sql: Database,
  column: "tags" | "l.tags"
): Effect.Effect<ReadonlyArray<Statement.Fragment>> =>
  Effect.map(
    CurrentActor,
    ({ reseller }) => reseller === undefined ? [] : [sql`${sql.literal(column)} @> ARRAY[${reseller.tag}::text]`]
  )

/** The filters as conditions on licenses `l` and their policies `p`, within what the caller may see. */
export const licenseConditions = Effect.fnUntraced(function*(
  sql: Database,
  { app_version, os, q, ...filters }: LicenseFilters
): Effect.fn.Return<ReadonlyArray<Statement.Fragment>> {
  const conditions = [...memberConditions(sql, filters), ...yield* ofReseller(sql, "l.tags")]
  const devices = runningDevices(sql, { app_version, os })
  const running = devices === undefined ? [] : [
    yield* searched(sql, {
      id: sql`l.id`,
      found: sql`SELECT license_id AS id FROM ${devices}`,
      isLike: hasDevice(sql, devices),
      // Whether one license has such a device is looked up at once, whatever else is asked for.
      isAlone: true
    })
  ]
  if (q === undefined) return [...conditions, ...running]
  const lacked = yield* lackedScopes(["customer:read"])
  const customers = lacked.length === 0 ? "all" : "named"
  const found = yield* searched(sql, {
    id: sql`l.id`,
    found: licensesFoundBy(sql, q, customers),
    isLike: isLicenseLike(sql, q, customers),
    isAlone: conditions.length === 0 && devices === undefined
  })
  return [...conditions, ...running, found]
})

/** The same for one license, which is looked at and not searched for. */
export const licenseJudged = (
  sql: Database,
  { app_version, os, q, ...filters }: LicenseFilters
): Effect.Effect<ReadonlyArray<Statement.Fragment>> =>
  Effect.map(lackedScopes(["customer:read"]), (lacked) => {
    const devices = runningDevices(sql, { app_version, os })
    return [
      ...memberConditions(sql, filters),
      ...(devices === undefined ? [] : [hasDevice(sql, devices)]),
      ...(q === undefined ? [] : [isLicenseLike(sql, q, lacked.length === 0 ? "all" : "named")])
    ]
  })
