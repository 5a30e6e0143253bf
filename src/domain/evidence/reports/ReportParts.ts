import { Schema } from "effect"
import { anyBigCount, bigCount, field, optional, ShownName, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { PurchaseState, PurchaseStatus } from "../../sales/billing/Purchase.ts"
import { Provider } from "../../sales/providers/Provider.ts"
import { reportFilters, reportSchemaOf } from "./Report.ts"
import type { ReportKind } from "./Report.ts"

/** Parts that the documents of several reports have. */

export const whole = bigCount(0)

/** The sum of uses; it saturates at 2^53 - 1. */
export const use = {
  uses: field(whole, "Number of usage events."),
  amount: field(
    anyBigCount,
    "Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured."
  ),
  overage: optional(bigCount(1), "How much of the amount is overage; absent if none is."),
  first_at: optional(Timestamp, "Time of the first usage event."),
  last_at: optional(Timestamp, "Time of the last usage event.")
}

/** The same of all rows of a report. */
export const useOfAll = {
  ...use,
  feature_code: optional(
    Schema.String,
    "The feature of all usage, whose amounts add up; absent without usage, with usage of several features, and of buckets of an hour."
  )
}

export const ids = {
  product_id: Schema.optionalKey(Id.text("prod")),
  customer_id: Schema.optionalKey(Id.text("cus")),
  order_id: Schema.optionalKey(Id.text("ord")),
  subscription_id: Schema.optionalKey(Id.text("sub"))
}

/** The filters as applied: what the caller left out, above all the window, is filled in. */
export const window = {
  from: field(Timestamp, "Start of the window, inclusive."),
  to: field(Timestamp, "End of the window, exclusive."),
  product_ids: optional(
    Schema.Array(Schema.String),
    "The products in the report, if the API key is limited to products."
  )
}

export const document = <
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
  schema: field(
    Schema.Literal(reportSchemaOf(kind)),
    "Identifies the format of the report. It changes with every incompatible change of the format."
  ),
  report_kind: field(Schema.Literal(kind), "The type of report."),
  filters: field(filters, "The filters as applied, with all defaults."),
  summary: field(summary, "The totals of the report."),
  rows: field(Schema.Array(row), "The rows."),
  total_rows: field(bigCount(0), "Number of rows; an export has them all."),
  truncated: field(Schema.Boolean, "Whether there are more rows than in this response.")
})

export const example = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" }
export const used = {
  uses: 42,
  amount: 1337,
  first_at: "2026-11-02T08:00:00.000Z",
  last_at: "2026-11-20T17:30:00.000Z"
}
export const usedOfAll = { ...used, feature_code: "export-pdf" }

const row = {
  began_at: field(Timestamp, "Time at which the purchase began."),
  product_name: optional(Schema.String, "The products of its licenses, separated by commas."),
  policy_name: optional(Schema.String, "The policies of its licenses, separated by commas."),
  quantity: field(whole, "How many were bought, over all items that were not removed."),
  licenses: field(whole, "Number of licenses that it gives. One that a later purchase took over counts there."),
  state: Schema.optionalKey(PurchaseState),
  status: PurchaseStatus,
  refund: field(Schema.Literals(["none", "partial", "full"]), "Whether the current payment was refunded."),
  dispute: field(Schema.Literals(["none", "open", "lost"]), "Whether a payment is disputed."),
  paid: optional(Schema.String, "The amount of the last payment, in the provider's unit of the currency."),
  refunded: optional(Schema.String, "The amount of all refunds, in the provider's unit of the currency."),
  currency: optional(Schema.String, "The currency of the amounts, as the provider writes it."),
  paid_through: optional(Timestamp, "Time until which it is paid."),
  ends_at: optional(Timestamp, "Time at which it ended, or is going to end."),
  provider: Provider,
  connection_name: ShownName,
  external_id: field(Schema.String, "The ID of the subscription or order at the provider."),
  payer_id: optional(
    Schema.String,
    "The ID of the customer at the provider. Omitted while the purchase has no customer."
  ),
  customer_id: Schema.optionalKey(Id.text("cus")),
  license_ids: optional(Schema.String, "The IDs of its licenses, separated by spaces, at most 100."),
  id: Id.text("pur")
}

/** The purchases that were in effect in a window, and what they give. */
export const PurchasesReport = Schema.Struct(document(
  "purchases",
  Schema.Struct({ ...reportFilters.purchases.fields, ...window }),
  Schema.Struct({
    purchases: field(whole, "Number of purchases."),
    licenses: field(whole, "Number of licenses that they give."),
    states: field(
      Schema.Array(
        Schema.Struct({
          state: Schema.optionalKey(PurchaseState),
          count: field(whole, "The number of them.")
        })
      ),
      "Number of purchases in each state; without `state`, those that have none yet."
    ),
    statuses: field(
      Schema.Array(Schema.Struct({ status: PurchaseStatus, count: field(whole, "The number of them.") })),
      "Number of purchases with each status."
    )
  }),
  Schema.Struct(row)
)).annotate({
  identifier: "PurchasesReport",
  description: "The purchases at payment providers, and what they give.",
  examples: [{
    schema: "countersign/report/purchases/v1",
    report_kind: "purchases",
    filters: { ...example, connection_id: Id.exampleOf("bcn") },
    summary: {
      purchases: 1,
      licenses: 1,
      states: [{ state: "active", count: 1 }],
      statuses: [{ status: "done", count: 1 }]
    },
    rows: [{
      began_at: "2026-11-02T08:00:00.000Z",
      product_name: "Acme Studio",
      policy_name: "Pro",
      quantity: 5,
      licenses: 1,
      state: "active",
      status: "done",
      refund: "none",
      dispute: "none",
      paid: "4900",
      currency: "eur",
      paid_through: "2026-12-02T08:00:00.000Z",
      provider: "stripe",
      connection_name: "Stripe",
      external_id: "sub_1QXyz",
      payer_id: "cus_QXyz",
      customer_id: Id.exampleOf("cus"),
      license_ids: Id.exampleOf("lic"),
      id: Id.exampleOf("pur")
    }],
    total_rows: 1,
    truncated: false
  }]
})
export type PurchasesReport = typeof PurchasesReport.Type
