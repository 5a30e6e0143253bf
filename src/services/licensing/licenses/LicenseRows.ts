import { License } from "../../../domain/licensing/licenses/License.ts"
import type { LicenseState } from "../../../domain/licensing/licenses/License.ts"
import { statusOf } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { effectiveGraceDays, licenseStatus } from "../../catalog/terms/TermsSql.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { recordRows } from "../../ground/records/RecordRows.ts"

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
