import { Schema } from "effect"
import { Decimals } from "../../catalog/terms/Measure.ts"
import { anyBigCount, bigCount, CreatedAt, field, optional, ShownCode, ShownName } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { reportFilters } from "./Report.ts"
import { document, example, whole, window } from "./ReportParts.ts"

/** The units of grants in a window, and the usage beside them. */
const figures = {
  opening: field(anyBigCount, "The units that grants had left when the window began. Grants that begin later count."),
  told_before: optional(
    bigCount(1),
    "The `told_after` of the time before the window: units that were used then and came later. The balance is less by them. Absent: 0."
  ),
  given: field(whole, "Units of purchases and gifts that were given."),
  carried: field(whole, "Units that were carried over from an earlier period."),
  corrected: field(anyBigCount, "Units of corrections; negative if they took units away."),
  refunded: field(whole, "Units that refunds returned to grants."),
  used: field(whole, "Units of grants that were used."),
  ended: field(anyBigCount, "Units that ended unused. The end of a correction that took units away counts negative."),
  revoked: field(anyBigCount, "Units that were left of grants when they were revoked."),
  told_after: optional(
    bigCount(1),
    "Used units that grants had only after the window, because usage was reported late. The balance is no less by them. Absent: 0."
  ),
  closing: field(
    anyBigCount,
    "The units that grants have left when the window ends: `opening` - `told_before` + `given` + `carried` + `corrected` + `refunded` - " +
      "`used` - `ended` - `revoked` + `told_after`."
  ),
  uses: field(whole, "Number of usage events."),
  amount: field(
    anyBigCount,
    "Sum of the usage events: what the quota served, what grants and pools served, and overage."
  ),
  within_quota: field(anyBigCount, "How much of the amount the quota itself served."),
  from_pools: field(whole, "How much of the amount pools of the customer and of those above it served."),
  overage: optional(bigCount(1), "How much of the amount is overage; absent if none is."),
  adjusted: field(anyBigCount, "Sum of the corrections of the usage, refunds included; negative if they reduced it.")
}

const shown = {
  opening: 100,
  given: 500,
  carried: 20,
  corrected: 0,
  refunded: 5,
  used: 130,
  ended: 80,
  revoked: 0,
  closing: 415,
  uses: 42,
  amount: 1130,
  within_quota: 1000,
  from_pools: 0,
  adjusted: -5
}

const of = {
  product_id: Id.text("prod"),
  feature_code: field(Schema.String, "The code of the feature."),
  decimals: Schema.optionalKey(Decimals)
}

const shownOf = { product_id: Id.exampleOf("prod"), feature_code: "export-pdf" }

/** The grants and the usage of a customer or a license in a window: what was given, used and ended, and what is left. */
export const Statement = Schema.Struct(document(
  "statement",
  Schema.Struct({ ...reportFilters.statement.fields, ...window }),
  Schema.Struct({
    customer: optional(
      Schema.Struct({
        id: Id.text("cus"),
        name: ShownName,
        code: ShownCode,
        email: optional(Schema.String, "The email address, at most 320 characters."),
        created_at: CreatedAt
      }),
      "The customer; absent in the statement of a license."
    ),
    license: optional(
      Schema.Struct({
        id: Id.text("lic"),
        product_id: Id.text("prod"),
        policy_id: Id.text("pol"),
        customer_id: Schema.optionalKey(Id.text("cus")),
        license_key_prefix: field(Schema.String, "The beginning of the license key, at most eight characters."),
        license_key_last4: field(Schema.String, "The last four characters of the license key.")
      }),
      "The license; absent in the statement of a customer."
    ),
    licenses: field(whole, "Number of licenses: those that the customer has now, or the one."),
    features: field(Schema.Array(Schema.Struct({ ...of, ...figures })), "The sums of each feature."),
    groups: optional(
      Schema.Array(Schema.Struct({
        ...of,
        group: optional(Schema.String, "The value of the dimension; absent for usage without it."),
        uses: field(whole, "Number of usage events."),
        amount: field(anyBigCount, "Sum of the usage events."),
        overage: figures.overage
      })),
      "With `group_by`, the usage by that dimension: at most 1,000 groups, those with the highest amounts."
    ),
    total_groups: optional(whole, "With `group_by`, the number of groups.")
  }),
  Schema.Struct({
    license_id: Id.text("lic"),
    key: field(Schema.String, "A part of the license key that identifies it, never the whole key."),
    ...of,
    ...figures
  })
)).annotate({
  identifier: "StatementReport",
  description: "The grants and the usage of a customer or a license, to the unit.",
  examples: [{
    schema: "countersign/report/statement/v1",
    report_kind: "statement",
    filters: { ...example, license_id: Id.exampleOf("lic") },
    summary: {
      license: {
        id: Id.exampleOf("lic"),
        product_id: Id.exampleOf("prod"),
        policy_id: Id.exampleOf("pol"),
        license_key_prefix: "CS-7K3Q9",
        license_key_last4: "M2XC"
      },
      licenses: 1,
      features: [{ ...shownOf, ...shown }]
    },
    rows: [{ license_id: Id.exampleOf("lic"), key: "CS-7K3Q9…M2XC", ...shownOf, ...shown }],
    total_rows: 1,
    truncated: false
  }]
})
export type Statement = typeof Statement.Type
