import { Schema } from "effect"
import { LicenseStatus } from "../licenses/License.ts"
import { anyBigCount, bigCount, Timestamp } from "../wire/Fields.ts"
import { LedgerAction, reportFilters, reportKinds, reportSchemaOf } from "./Report.ts"
import type { ReportKind } from "./Report.ts"

/** The reports as they are answered live: a head, a bounded number of rows, and how many there are. */

const optionalText = Schema.optionalKey(Schema.String)
const optionalTime = Schema.optionalKey(Timestamp)
const whole = bigCount(0)

/** The sum of uses; it saturates at 2^53 - 1. */
const use = {
  uses: whole,
  amount: whole,
  overage: Schema.optionalKey(
    bigCount(1).annotate({ description: "How much of the amount lies over quotas; absent where none does." })
  ),
  first_at: optionalTime,
  last_at: optionalTime
}

const ids = {
  product_id: optionalText,
  customer_id: optionalText,
  order_id: optionalText,
  subscription_id: optionalText
}

/** The filters as applied: what the caller left out, above all the window, is filled in. */
const window = {
  from: Timestamp,
  to: Timestamp,
  product_ids: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The products that the report tells of: those that the management key is limited to."
    })
  )
}

const document = <
  Kind extends ReportKind,
  Filters extends Schema.Top,
  Summary extends Schema.Top,
  Row extends Schema.Top
>(
  kind: Kind,
  filters: Filters,
  summary: Summary,
  row: Row
) => ({
  schema: Schema.Literal(reportSchemaOf(kind)).annotate({
    description: "Changes when a reader of the report would have to change."
  }),
  report_kind: Schema.Literal(kind),
  filters,
  summary,
  rows: Schema.Array(row),
  total_rows: bigCount(0).annotate({ description: "How many rows there are; an export has them all." }),
  truncated: Schema.Boolean.annotate({ description: "Whether there are more rows than these." })
})

const example = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" }
const used = {
  uses: 42,
  amount: 1337,
  first_at: "2026-11-02T08:00:00.000Z",
  last_at: "2026-11-20T17:30:00.000Z"
}

/** Metered use added up, optionally grouped and in buckets of time. */
export const UsageSummary = Schema.Struct({
  ...document(
    "usage-summary",
    Schema.Struct({ ...reportFilters["usage-summary"].fields, ...window }),
    Schema.Struct(use),
    Schema.Struct({
      bucket: optionalTime.annotate({ description: "Where the bucket starts." }),
      group: Schema.optionalKey(Schema.String.annotate({
        description: "What `group_by` names; absent for use that has none."
      })),
      label: Schema.optionalKey(Schema.String.annotate({ description: "A name of the group, for people." })),
      ...use
    })
  ),
  series: Schema.optionalKey(
    Schema.Array(Schema.Struct({ bucket: Timestamp, value: whole })).annotate({
      description: "The amount in every bucket of the window, those without use included."
    })
  )
}).annotate({
  identifier: "UsageSummaryReport",
  examples: [{
    schema: "countersign/report/usage-summary/v1",
    report_kind: "usage-summary",
    filters: { ...example, group_by: "feature_code" },
    summary: used,
    rows: [{ group: "export-pdf", ...used }],
    total_rows: 1,
    truncated: false
  }]
})
export type UsageSummary = typeof UsageSummary.Type

/** An entry of the usage ledger: a metered use, or a correction of what was used. */
export const UsageEntry = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the event of the audit-backed feed." }),
  occurred_at: Timestamp,
  action: LedgerAction,
  license_id: Schema.String,
  feature_id: Schema.String,
  feature_code: Schema.String,
  amount: anyBigCount.annotate({ description: "By how much the total changed; only corrections may take away." }),
  total_consumptions: whole.annotate({ description: "Of this feature of the license, after the entry." }),
  max_consumptions: Schema.optionalKey(whole.annotate({ description: "The quota after a correction." })),
  device_id: optionalText,
  event_id: Schema.optionalKey(Schema.String.annotate({ description: "The caller's own id of the use." })),
  overage: Schema.optionalKey(bigCount(1).annotate({ description: "How much of the amount lies over the quota." })),
  ...ids,
  request_id: optionalText
}).annotate({
  identifier: "UsageLedgerEntry",
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

const subject = {
  ...ids,
  product_id: Schema.String,
  created_at: Timestamp
}

/** Everything that happened to a license. */
export const LicenseAudit = Schema.Struct(document(
  "license-audit",
  Schema.Struct({ ...reportFilters["license-audit"].fields, ...window }),
  Schema.Struct({
    license: Schema.Struct({
      id: Schema.String,
      ...subject,
      policy_id: Schema.String,
      status: LicenseStatus,
      license_key_prefix: Schema.String,
      license_key_last4: Schema.String,
      active_device_count: whole,
      times_activated: whole,
      times_transferred: whole,
      total_consumptions: whole,
      starts_at: optionalTime,
      expires_at: optionalTime
    }),
    activities: whole,
    actions: Schema.Array(Schema.Struct({ action: Schema.String, result_class: Schema.String, count: whole })),
    features: Schema.Array(Schema.Struct({ feature_code: Schema.String, ...use }))
  }),
  Schema.Struct({
    occurred_at: Timestamp,
    action: Schema.String,
    result_class: Schema.String,
    code: optionalText,
    actor_type: Schema.String,
    actor_id: Schema.String,
    device_id: optionalText,
    feature_code: optionalText,
    amount: Schema.optionalKey(whole),
    request_id: optionalText,
    id: Schema.String.annotate({ description: "The id of the activity." }),
    audit_event_id: optionalText,
    reason: optionalText.annotate({ description: "Why, as the person said who did it." })
  })
)).annotate({
  identifier: "LicenseAuditReport",
  examples: [{
    schema: "countersign/report/license-audit/v1",
    report_kind: "license-audit",
    filters: { ...example, license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c" },
    summary: {
      license: {
        id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
        product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
        policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
        status: "active",
        license_key_prefix: "CS-7K3Q9",
        license_key_last4: "M2XC",
        active_device_count: 1,
        times_activated: 1,
        times_transferred: 0,
        total_consumptions: 1337,
        created_at: "2026-11-01T09:00:00.000Z"
      },
      activities: 1,
      actions: [{ action: "license.activated", result_class: "success", count: 1 }],
      features: [{ feature_code: "export-pdf", ...used }]
    },
    rows: [{
      occurred_at: "2026-11-01T10:30:00.000Z",
      action: "license.activated",
      result_class: "success",
      actor_type: "license",
      actor_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
      device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
      id: "act_06eqpx1trxz3h94vqjm3a6kz7c",
      audit_event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7c"
    }],
    total_rows: 1,
    truncated: false
  }]
})
export type LicenseAudit = typeof LicenseAudit.Type

/** What a customer has and used. */
export const CustomerSummary = Schema.Struct(document(
  "customer-summary",
  Schema.Struct({ ...reportFilters["customer-summary"].fields, ...window }),
  Schema.Struct({
    customer: Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      code: Schema.String,
      email: optionalText,
      created_at: Timestamp
    }),
    licenses: whole,
    license_statuses: Schema.Array(Schema.Struct({ status: LicenseStatus, count: whole })),
    active_devices: whole,
    orders: whole,
    subscriptions: whole,
    ...use
  }),
  Schema.Struct({
    license_id: Schema.String,
    key: Schema.String.annotate({ description: "What tells the license key from others, not the key." }),
    product_id: Schema.String,
    product_name: Schema.String,
    status: LicenseStatus,
    ownership: Schema.Literals(["current", "former"]).annotate({
      description: "`former`: the customer used the license in the window and it is another's now."
    }),
    expires_at: optionalTime,
    active_device_count: whole,
    ...use
  })
)).annotate({
  identifier: "CustomerSummaryReport",
  examples: [{
    schema: "countersign/report/customer-summary/v1",
    report_kind: "customer-summary",
    filters: { ...example, customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c" },
    summary: {
      customer: {
        id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
        name: "Beispiel GmbH",
        code: "beispiel",
        created_at: "2026-01-05T09:00:00.000Z"
      },
      licenses: 1,
      license_statuses: [{ status: "active", count: 1 }],
      active_devices: 1,
      orders: 1,
      subscriptions: 0,
      ...used
    },
    rows: [{
      license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
      key: "CS-7K3Q9…M2XC",
      product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
      product_name: "Acme Studio",
      status: "active",
      ownership: "current",
      active_device_count: 1,
      ...used
    }],
    total_rows: 1,
    truncated: false
  }]
})
export type CustomerSummary = typeof CustomerSummary.Type

/** What was used on the licenses of a subscription or an order. */
export const SubscriptionSettlement = Schema.Struct(document(
  "subscription-settlement",
  Schema.Struct({ ...reportFilters["subscription-settlement"].fields, ...window }),
  Schema.Struct({
    subject: Schema.Struct({
      type: Schema.Literals(["subscription", "order"]),
      id: Schema.String,
      product_id: Schema.String,
      customer_id: optionalText,
      subscription_id: optionalText,
      external_system: Schema.String,
      external_id: Schema.String,
      status: Schema.String,
      period_start: optionalTime,
      period_end: optionalTime
    }),
    licenses: whole,
    renewals: whole,
    adjusted: anyBigCount.annotate({ description: "The sum of the corrections in the window." }),
    ...use
  }),
  Schema.Struct({
    group: Schema.String.annotate({ description: "What `group_by` names." }),
    label: optionalText,
    ...use,
    adjusted: anyBigCount
  })
)).annotate({
  identifier: "SubscriptionSettlementReport",
  examples: [{
    schema: "countersign/report/subscription-settlement/v1",
    report_kind: "subscription-settlement",
    filters: { ...example, subscription_id: "sub_06eqpx1trxz3h94vqjm3a6kz7c", group_by: "feature_code" },
    summary: {
      subject: {
        type: "subscription",
        id: "sub_06eqpx1trxz3h94vqjm3a6kz7c",
        product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
        external_system: "stripe",
        external_id: "sub_1QXyz",
        status: "active",
        period_start: example.from,
        period_end: example.to
      },
      licenses: 1,
      renewals: 0,
      adjusted: 0,
      ...used
    },
    rows: [{ group: "export-pdf", ...used, adjusted: 0 }],
    total_rows: 1,
    truncated: false
  }]
})
export type SubscriptionSettlement = typeof SubscriptionSettlement.Type

/** The reports that are answered as one object. */
export type DocumentKind = Exclude<typeof reportKinds[number], "usage-ledger">

/** A report as one object, by its kind. */
export interface ReportDocuments {
  readonly "usage-summary": UsageSummary
  readonly "license-audit": LicenseAudit
  readonly "customer-summary": CustomerSummary
  readonly "subscription-settlement": SubscriptionSettlement
}

/** Rows of a live usage summary, at most; reports about one subject take a `limit`. */
export const maximumSummaryRows = 10_000
