import type { Statement } from "effect/sql"
import { License } from "../../domain/licenses/License.ts"
import type { LicenseState } from "../../domain/licenses/License.ts"
import { statusOf } from "../../domain/licenses/LicenseStatus.ts"
import type { DerivedChange } from "../../domain/lifecycle/LicenseChange.ts"
import { assignments } from "../persistence/Assignments.ts"
import type { Database, Member } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { effectiveGraceDays } from "../terms/TermsSql.ts"

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

/** Selects licenses `l` with their policies `p`, in the form that {@link toLicense} reads. */
export const licenseColumns = `
  l.id, l.product_id, l.product_ids, l.policy_id, l.customer_id, l.order_id, l.subscription_id, l.state, l.license_key_prefix,
    l.license_key_last4, l.customer_email, l.customer_name, l.active_device_count, l.times_activated,
    l.times_transferred, l.total_consumptions, l.entitlement_version, l.starts_at, l.expires_at, l.term_anchor,
    l.maintenance_expires_at, l.awaits_activation, l.follows_subscription, l.suspended_by, l.ends_without_grace,
    l.overrides, l.metadata, l.created_at, l.updated_at, ${effectiveGraceDays} AS grace_period_days,
    clock_timestamp() AS now`

/** Selects, beside {@link licenseColumns}, what the ids in a license stand for: each is one look into a primary key. */
export const licenseNames = `
  jsonb_strip_nulls(jsonb_build_object(
    'product', (SELECT name FROM products WHERE id = l.product_id),
    'policy', p.name,
    'customer', (SELECT name FROM customers WHERE id = l.customer_id),
    'order', (SELECT external_id FROM orders WHERE id = l.order_id),
    'subscription', (SELECT external_id FROM subscriptions WHERE id = l.subscription_id)
  )) AS names`

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

/** The SQL type of each column that a change of a license sets. */
const types: Readonly<
  Record<keyof DerivedChange, "text" | "text[]" | "int" | "bigint" | "boolean" | "jsonb" | "instant">
> = {
  policy_id: "text",
  product_ids: "text[]",
  customer_id: "text",
  order_id: "text",
  subscription_id: "text",
  customer_email: "text",
  customer_name: "text",
  state: "text",
  suspended_by: "text",
  license_key_prefix: "text",
  license_key_last4: "text",
  active_device_count: "int",
  times_transferred: "int",
  starts_at: "instant",
  expires_at: "instant",
  term_anchor: "instant",
  maintenance_expires_at: "instant",
  awaits_activation: "boolean",
  follows_subscription: "boolean",
  ends_without_grace: "boolean",
  overrides: "jsonb",
  metadata: "jsonb",
  announced: "text",
  entitlement_version: "bigint"
}

/** Writes a change of a license under a policy, the one that it is under afterwards; returns the license as it is left. */
export const updateLicense = (sql: Database, id: string, policyId: string, change: DerivedChange) => {
  const value = (column: keyof DerivedChange): Statement.Fragment => {
    const given = change[column] ?? null
    const type = types[column]
    if (type === "instant") return sql`${given as Member}::text::timestamptz`
    const member = type === "jsonb" && given !== null ? JSON.stringify(given) : given as Member
    return sql`${member}::${sql.literal(type)}`
  }
  const columns = Object.keys(change) as ReadonlyArray<keyof DerivedChange>
  return sql<LicenseRow>`
    UPDATE licenses l SET ${
    assignments(sql, {
      ...Object.fromEntries(columns.map((column) => [column, value(column)])),
      updated_at: sql`now()`
    })
  }
    FROM policies p WHERE l.id = ${id} AND p.id = ${policyId} RETURNING ${sql.literal(licenseColumns)}`
}
