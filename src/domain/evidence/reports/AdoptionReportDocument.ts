import { Schema } from "effect"
import { count, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { reportFilters } from "./Report.ts"
import { document, whole, window } from "./ReportParts.ts"

const row = {
  product_name: field(Schema.String, "The name of the product."),
  app_version: optional(
    Schema.String,
    "The version of the app that the devices named last; absent if they named none."
  ),
  os: optional(Schema.String, "Their operating system, without its version; absent if they named none."),
  license_id: Schema.optionalKey(Id.text("lic")),
  customer_id: Schema.optionalKey(Id.text("cus")),
  devices: field(count(0), "Number of devices that have a seat."),
  licenses: field(count(0), "Number of their licenses."),
  customers: field(count(0), "Number of the customers of these."),
  last_seen_at: field(Timestamp, "Time of the last request of any of the devices.")
}

/** The devices that have a seat as they are now, by what they run. */
export const AdoptionReport = Schema.Struct(document(
  "adoption",
  Schema.Struct({ ...reportFilters.adoption.fields, product_ids: window.product_ids }),
  Schema.Struct({
    devices: field(whole, "Number of devices."),
    licenses: field(whole, "Number of their licenses."),
    customers: field(whole, "Number of the customers of these.")
  }),
  Schema.Struct(row)
)).annotate({
  identifier: "AdoptionReport",
  description: "Which versions of an app run where, as devices named them last.",
  examples: [{
    schema: "countersign/report/adoption/v1",
    report_kind: "adoption",
    filters: { app_version: "1.x" },
    summary: { devices: 4, licenses: 3, customers: 2 },
    rows: [{
      product_name: "Acme Draft",
      app_version: "1.4.2",
      os: "Windows",
      devices: 4,
      licenses: 3,
      customers: 2,
      last_seen_at: "2026-11-21T10:30:00.000Z"
    }],
    total_rows: 1,
    truncated: false
  }]
})
export type AdoptionReport = typeof AdoptionReport.Type
