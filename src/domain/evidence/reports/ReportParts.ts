import { Schema } from "effect"
import { anyBigCount, bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { reportSchemaOf } from "./Report.ts"
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
