import { dimensionOf } from "../../catalog/Dimensions.ts"
import { column, overageColumn } from "./Column.ts"
import { isUsageGroup } from "./Report.ts"
import type { ReportColumn, ReportFilters, ReportKind, UsageGroup } from "./Report.ts"
import { statementColumns } from "./StatementColumns.ts"

const groupTitles: Readonly<Record<UsageGroup, string>> = {
  product_id: "Product",
  customer_id: "Customer",
  license_id: "License",
  order_id: "Order",
  subscription_id: "Subscription",
  feature_code: "Feature"
}

const groupColumns = (group: string): ReadonlyArray<ReportColumn> =>
  isUsageGroup(group)
    ? [
      column("group", groupTitles[group]),
      ...(group === "feature_code" ? [] : [column("label", `${groupTitles[group]} name`)])
    ]
    : [column("group", dimensionOf(group) ?? group)]

/** What is shown of use; how much of it lies over quotas only where some does. */
const useColumns = (hasOverage: boolean) => [
  column("uses", "Usage events", "integer"),
  column("amount", "Amount", "integer"),
  ...(hasOverage ? [overageColumn] : []),
  column("first_at", "First used", "timestamp"),
  column("last_at", "Last used", "timestamp")
]

const ledgerColumns = (
  { hasDimensions, hasMeasured, hasOverage }: Record<"hasDimensions" | "hasMeasured" | "hasOverage", boolean>
) => [
  column("occurred_at", "Time", "timestamp"),
  column("action", "Action"),
  column("feature_code", "Feature"),
  column("amount", "Amount", "integer"),
  column("total_consumptions", "Total after", "integer"),
  column("license_id", "License"),
  column("device_id", "Device"),
  column("product_id", "Product"),
  column("customer_id", "Customer"),
  column("order_id", "Order"),
  column("subscription_id", "Subscription"),
  column("event_id", "Caller's event"),
  column("request_id", "Request"),
  column("id", "Audit event"),
  ...(hasOverage ? [overageColumn] : []),
  ...(hasDimensions ? [column("dimensions", "Dimensions")] : []),
  ...(hasMeasured ? [column("measured", "Measured", "integer")] : [])
]

const auditColumns = [
  column("occurred_at", "Time", "timestamp"),
  column("action", "Action"),
  column("result_class", "Result"),
  column("code", "Code"),
  column("actor_type", "Actor type"),
  column("actor_id", "Actor"),
  column("device_id", "Device"),
  column("feature_code", "Feature"),
  column("amount", "Amount", "integer"),
  column("request_id", "Request"),
  column("id", "Activity"),
  column("audit_event_id", "Audit event"),
  column("reason", "Reason")
]

const customerColumns = (hasOverage: boolean) => [
  column("license_id", "License"),
  column("key", "Key"),
  column("product_id", "Product"),
  column("product_name", "Product name"),
  column("status", "Status"),
  column("ownership", "Ownership"),
  column("expires_at", "Expires", "timestamp"),
  column("active_device_count", "Devices", "integer"),
  ...useColumns(hasOverage)
]

const purchaseColumns = [
  column("began_at", "Since", "timestamp"),
  column("product_name", "Product name"),
  column("policy_name", "Policy"),
  column("quantity", "Quantity", "integer"),
  column("licenses", "Licenses", "integer"),
  column("state", "State"),
  column("status", "Status"),
  column("refund", "Refund"),
  column("dispute", "Dispute"),
  column("paid", "Last payment"),
  column("refunded", "Refunded"),
  column("currency", "Currency"),
  column("paid_through", "Paid through", "timestamp"),
  column("ends_at", "Ends", "timestamp"),
  column("provider", "Provider"),
  column("connection_name", "Connection"),
  column("external_id", "External"),
  column("payer_id", "Payer"),
  column("customer_id", "Customer"),
  column("license_ids", "License IDs"),
  column("id", "Purchase")
]

const licenseColumns = [
  column("id", "License"),
  column("status", "Status"),
  column("owner", "Owner"),
  column("email", "Email"),
  column("product_name", "Product name"),
  column("policy_name", "Policy"),
  column("key", "Key"),
  column("issued_at", "Issued", "timestamp"),
  column("expires_at", "Expires", "timestamp"),
  column("active_device_count", "Devices", "integer"),
  column("tags", "Tags"),
  column("customer_id", "Customer")
]

const adoptionColumns = (isByLicense: boolean) => [
  column("product_name", "Product"),
  column("app_version", "Version"),
  column("os", "System"),
  ...(isByLicense ? [column("license_id", "License"), column("customer_id", "Customer")] : []),
  column("devices", "Devices", "integer"),
  column("licenses", "Licenses", "integer"),
  column("customers", "Customers", "integer"),
  column("last_seen_at", "Last seen", "timestamp")
]

const rehearsalColumns = [
  column("license_id", "License"),
  column("device", "Device"),
  column("outcome", "Outcome"),
  column("code", "Code"),
  column("calls", "Calls", "integer")
]

/** The columns of a report; some depend on what it is grouped by, and on whether quotas were passed, uses have dimensions or were measured, and amounts decimal places. */
export const reportColumns = (
  kind: ReportKind,
  filters: ReportFilters,
  { hasDimensions = false, hasMeasured = false, hasOverage = false, sums = [] }: {
    readonly hasDimensions?: boolean
    readonly hasMeasured?: boolean
    readonly hasOverage?: boolean
    /** Of a statement, the sums of its features. */
    readonly sums?: Parameters<typeof statementColumns>[0]
  } = {}
): ReadonlyArray<ReportColumn> => {
  const { bucket, group_by } = filters as ReportFilters<"usage-summary">
  switch (kind) {
    case "usage-summary":
      return [
        ...(bucket === undefined ? [] : [column("bucket", "Starting at", "timestamp")]),
        ...(group_by === undefined ? [] : groupColumns(group_by)),
        ...useColumns(hasOverage)
      ]
    case "usage-ledger":
      return ledgerColumns({ hasDimensions, hasMeasured, hasOverage })
    case "license-audit":
      return auditColumns
    case "customer-summary":
      return customerColumns(hasOverage)
    case "subscription-settlement":
      return [
        ...groupColumns(group_by ?? "feature_code"),
        ...useColumns(hasOverage),
        column("adjusted", "Correction", "integer")
      ]
    case "purchases":
      return purchaseColumns
    case "licenses":
      return licenseColumns
    case "adoption":
      return adoptionColumns(group_by !== undefined)
    case "rehearsal":
      return rehearsalColumns
    case "statement":
      return statementColumns(sums)
  }
}
