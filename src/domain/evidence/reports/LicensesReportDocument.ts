import { Schema } from "effect"
import { count, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { LicenseStatus } from "../../licensing/licenses/License.ts"
import { reportFilters } from "./Report.ts"
import { document, whole, window } from "./ReportParts.ts"

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
