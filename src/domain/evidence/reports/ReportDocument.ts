import { Schema } from "effect"
import { ShownDimensions } from "../../catalog/Dimensions.ts"
import { anyBigCount, bigCount, count, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { LicenseStatus } from "../../licensing/licenses/License.ts"
import { LedgerAction, reportFilters } from "./Report.ts"
import type { reportKinds } from "./Report.ts"
import { document, example, ids, use, used, usedOfAll, useOfAll, whole, window } from "./ReportParts.ts"
import type { PurchasesReport } from "./ReportParts.ts"
import type { Statement } from "./StatementDocument.ts"
import type { AdoptionReport, CustomerSummary, LicenseAudit, SubscriptionSettlement } from "./SubjectReportDocument.ts"

const row = {
  id: Id.text("lic"),
  status: LicenseStatus,
  owner: optional(Schema.String, "The name of the owner: that of the license, or else of its customer."),
  email: optional(Schema.String, "The email address of the license."),
  product_name: field(Schema.String, "The name of the product."),
  policy_name: field(Schema.String, "The name of the policy."),
  key: field(Schema.String, "The beginning and the end of the license key."),
  issued_at: field(Timestamp, "Time when the license was issued."),
  expires_at: optional(Timestamp, "Time when the license expires; absent if it never expires."),
  active_device_count: field(count(0), "Number of devices that have a seat."),
  tags: optional(Schema.String, "The tags, separated by commas."),
  customer_id: Schema.optionalKey(Id.text("cus"))
}

/** The licenses of a filter as they are, in the order of the list. */
export const LicensesReport = Schema.Struct(document(
  "licenses",
  Schema.Struct({ ...reportFilters.licenses.fields, product_ids: window.product_ids }),
  Schema.Struct({
    licenses: field(whole, "Number of licenses."),
    statuses: field(
      Schema.Array(Schema.Struct({ status: LicenseStatus, count: field(whole, "The number of them.") })),
      "Number of licenses with each status."
    )
  }),
  Schema.Struct(row)
)).annotate({
  identifier: "LicensesReport",
  description: "The licenses that match filters, as they are now.",
  examples: [{
    schema: "countersign/report/licenses/v1",
    report_kind: "licenses",
    filters: { status: "active", order: "expires_asc" },
    summary: { licenses: 1, statuses: [{ status: "active", count: 1 }] },
    rows: [{
      id: Id.exampleOf("lic"),
      status: "active",
      owner: "Ada Lovelace",
      email: "ada@example.com",
      product_name: "Acme Draft",
      policy_name: "Team, yearly",
      key: "CS-7K3Q9…M2XC",
      issued_at: "2026-11-21T10:30:00.000Z",
      expires_at: "2027-11-21T10:30:00.000Z",
      active_device_count: 3,
      tags: "vip",
      customer_id: Id.exampleOf("cus")
    }],
    total_rows: 1,
    truncated: false
  }]
})
export type LicensesReport = typeof LicensesReport.Type

/** The reports as they are answered live: a head, a bounded number of rows, and how many there are. */

/** Metered use added up, optionally grouped and in buckets of time. */
export const UsageSummary = Schema.Struct({
  ...document(
    "usage-summary",
    Schema.Struct({ ...reportFilters["usage-summary"].fields, ...window }),
    Schema.Struct(useOfAll),
    Schema.Struct({
      bucket: optional(Timestamp, "Where the bucket starts."),
      group: optional(Schema.String, "The value of `group_by`; absent for usage without one."),
      label: optional(Schema.String, "A name of the group, for people."),
      ...use
    })
  ),
  series: optional(
    Schema.Array(
      Schema.Struct({
        bucket: field(Timestamp, "Start of the bucket, or the length of buckets, in UTC."),
        value: field(whole, "The value.")
      })
    ),
    "The amount in every bucket of the window, including those without usage."
  )
}).annotate({
  identifier: "UsageSummaryReport",
  description: "Metered usage, added up.",
  examples: [{
    schema: "countersign/report/usage-summary/v1",
    report_kind: "usage-summary",
    filters: { ...example, group_by: "feature_code" },
    summary: usedOfAll,
    rows: [{ group: "export-pdf", ...used }],
    total_rows: 1,
    truncated: false
  }]
})
export type UsageSummary = typeof UsageSummary.Type

/** An entry of the usage ledger: a metered use, or a correction of what was used. */
export const UsageEntry = Schema.Struct({
  id: field(Schema.String, "The ID of the event of the audit-backed feed."),
  occurred_at: field(Timestamp, "Time when it happened."),
  action: LedgerAction,
  license_id: Id.text("lic"),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  amount: field(
    anyBigCount,
    "By how much the total changed; only corrections, and usage events of a feature with a `meter`, may take away."
  ),
  measured: optional(bigCount(1), "The amount of the usage event as it was sent, of a feature with a `meter`."),
  total_consumptions: field(whole, "Of this feature of the license, after the entry."),
  max_consumptions: optional(whole, "The quota after a correction."),
  device_id: Schema.optionalKey(Id.text("dev")),
  event_id: optional(Schema.String, "The caller's ID of the usage event."),
  overage: optional(bigCount(1), "How much of the amount is overage."),
  dimensions: Schema.optionalKey(ShownDimensions),
  ...ids,
  request_id: optional(Schema.String, "The ID of the request. Include it when you contact support.")
}).annotate({
  identifier: "UsageLedgerEntry",
  description: "A usage event, or a correction of the usage.",
  examples: [{
    id: "evt_06eqpx1trxz3h94vqjm3a6kz7c",
    occurred_at: "2026-11-21T10:30:00.000Z",
    action: "license.usage_recorded",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    amount: 1,
    total_consumptions: 42,
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    event_id: "export-2026-11-21-0001",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    request_id: "req_06eqpx1trxz3h94vqjm3a6kz7c"
  }]
})
export type UsageEntry = typeof UsageEntry.Type

/** The reports that are answered as one object. */
export type DocumentKind = Exclude<typeof reportKinds[number], "usage-ledger" | "rehearsal">

/** A report as one object, by its kind. */
export interface ReportDocuments {
  readonly "usage-summary": UsageSummary
  readonly "license-audit": LicenseAudit
  readonly "customer-summary": CustomerSummary
  readonly "subscription-settlement": SubscriptionSettlement
  readonly purchases: PurchasesReport
  readonly licenses: LicensesReport
  readonly statement: Statement
  readonly adoption: AdoptionReport
}

/** Rows of a live usage summary, at most; reports about one subject take a `limit`. */
export const maximumSummaryRows = 10_000
