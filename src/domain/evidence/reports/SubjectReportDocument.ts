import { Schema } from "effect"
import { paidPeriod, ShownExternalId, ShownExternalSystem } from "../../customers/BillingFields.ts"
import {
  anyBigCount,
  count,
  CreatedAt,
  field,
  optional,
  ShownCode,
  ShownName,
  Timestamp
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { LicenseStatus } from "../../licensing/licenses/License.ts"
import { reportFilters } from "./Report.ts"
import { document, example, ids, use, used, usedOfAll, useOfAll, whole, window } from "./ReportParts.ts"

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

/** The reports about one subject as they are answered live: a head, a bounded number of rows, and how many there are. */

const subject = {
  ...ids,
  product_id: Id.text("prod"),
  created_at: CreatedAt
}

/** Everything that happened to a license. */
export const LicenseAudit = Schema.Struct(document(
  "license-audit",
  Schema.Struct({ ...reportFilters["license-audit"].fields, ...window }),
  Schema.Struct({
    license: field(
      Schema.Struct({
        id: Id.text("lic"),
        ...subject,
        policy_id: Id.text("pol"),
        status: LicenseStatus,
        license_key_prefix: field(
          Schema.String,
          "The beginning of the license key, at most eight characters; empty for a key of 12 characters or fewer."
        ),
        license_key_last4: field(Schema.String, "The last four characters of the license key."),
        active_device_count: field(whole, "Number of devices that have a seat now."),
        times_activated: field(whole, "How often a device took a seat, in total."),
        times_transferred: field(whole, "How often the license was transferred to another owner."),
        total_consumptions: field(whole, "Total usage."),
        starts_at: optional(Timestamp, "Time from which the license works; absent if it works at once."),
        expires_at: optional(Timestamp, "Time of the end; absent if it never ends.")
      }),
      "The license."
    ),
    activities: field(whole, "Number of activities in the window."),
    actions: field(
      Schema.Array(
        Schema.Struct({
          action: field(Schema.String, "The action, or what the refused request asked for."),
          result_class: field(Schema.String, "The result."),
          count: field(whole, "The number of them.")
        })
      ),
      "How often each action occurred with each result in the window."
    ),
    features: field(
      Schema.Array(
        Schema.Struct({ feature_code: field(Schema.String, "The code of the feature."), ...use })
      ),
      "The usage of each feature in the window."
    )
  }),
  Schema.Struct({
    occurred_at: field(Timestamp, "Time when it happened."),
    action: field(Schema.String, "The action, or what the refused request asked for."),
    result_class: field(Schema.String, "The result."),
    code: optional(Schema.String, "The error code of a refusal."),
    actor_type: field(Schema.String, "The kind of actor."),
    actor_id: field(
      Schema.String,
      "The actor: the ID of the API key or of the license, or the subject of the person; `system` for the " +
        "service."
    ),
    device_id: Schema.optionalKey(Id.text("dev")),
    feature_code: optional(Schema.String, "The code of the feature."),
    amount: optional(anyBigCount, "Amount used."),
    request_id: optional(Schema.String, "The ID of the request. Include it when you contact support."),
    id: field(Schema.String, "The ID of the activity."),
    audit_event_id: optional(Schema.String, "The event of the feed; absent for a refusal."),
    reason: optional(Schema.String, "Why, as the person said who did it.")
  })
)).annotate({
  identifier: "LicenseAuditReport",
  description: "Everything that happened to a license.",
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
    customer: field(
      Schema.Struct({
        id: Id.text("cus"),
        name: ShownName,
        code: ShownCode,
        email: optional(Schema.String, "The email address, at most 320 characters."),
        created_at: CreatedAt
      }),
      "The customer."
    ),
    licenses: field(whole, "Number of licenses."),
    license_statuses: field(
      Schema.Array(
        Schema.Struct({ status: LicenseStatus, count: field(whole, "The number of them.") })
      ),
      "Number of licenses in each status."
    ),
    active_devices: field(whole, "Number of devices that have a seat on the customer's licenses now."),
    orders: field(whole, "Number of orders."),
    subscriptions: field(whole, "Number of subscriptions."),
    ...useOfAll
  }),
  Schema.Struct({
    license_id: Id.text("lic"),
    key: field(Schema.String, "A part of the license key that identifies it, never the whole key."),
    product_id: Id.text("prod"),
    product_name: field(Schema.String, "The name of the product."),
    status: LicenseStatus,
    ownership: field(
      Schema.Literals(["current", "former"]),
      "`former`: the customer used the license in the window and it is another's now."
    ),
    expires_at: optional(Timestamp, "Time of the end; absent if it never ends."),
    active_device_count: field(whole, "Number of devices that have a seat now."),
    ...use
  })
)).annotate({
  identifier: "CustomerSummaryReport",
  description: "The licenses and the usage of a customer.",
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
      ...usedOfAll
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
    subject: field(
      Schema.Struct({
        type: field(Schema.Literals(["subscription", "order"]), "The type."),
        id: field(Schema.String, "The ID of the subscription or the order."),
        product_id: Id.text("prod"),
        customer_id: Schema.optionalKey(Id.text("cus")),
        subscription_id: Schema.optionalKey(Id.text("sub")),
        external_system: ShownExternalSystem,
        external_id: ShownExternalId,
        status: field(Schema.String, "The current status."),
        ...paidPeriod
      }),
      "The subscription or the order."
    ),
    licenses: field(whole, "Number of licenses."),
    renewals: field(whole, "Number of license renewals in the window."),
    adjusted: field(anyBigCount, "The sum of the corrections in the window."),
    ...useOfAll
  }),
  Schema.Struct({
    group: field(Schema.String, "The value of `group_by`."),
    label: optional(Schema.String, "The display name of the group."),
    ...use,
    adjusted: field(anyBigCount, "Sum of the corrections in the window; negative if they reduced the usage.")
  })
)).annotate({
  identifier: "SubscriptionSettlementReport",
  description: "The usage on the licenses of a subscription or an order.",
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
      ...usedOfAll
    },
    rows: [{ group: "export-pdf", ...used, adjusted: 0 }],
    total_rows: 1,
    truncated: false
  }]
})
export type SubscriptionSettlement = typeof SubscriptionSettlement.Type
