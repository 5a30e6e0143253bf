import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Overview, overviewDays } from "../../domain/evidence/reports/Overview.ts"
import { defaultWindowDays, reportFilters, windowFilters } from "../../domain/evidence/reports/Report.ts"
import {
  LicensesReport,
  maximumSummaryRows,
  UsageEntry,
  UsageSummary
} from "../../domain/evidence/reports/ReportDocument.ts"
import { PurchasesReport } from "../../domain/evidence/reports/ReportParts.ts"
import { Statement } from "../../domain/evidence/reports/StatementDocument.ts"
import {
  AdoptionReport,
  CustomerSummary,
  LicenseAudit,
  SubscriptionSettlement
} from "../../domain/evidence/reports/SubjectReportDocument.ts"
import { maximumHourlyDays, maximumWindowDays } from "../../domain/evidence/reports/WindowDays.ts"
import { InvalidQuery } from "../../domain/ground/wire/Errors.ts"
import { Envelope, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { listQuery } from "../ground/Parameters.ts"
import { listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const scope = { scope: "report:read" } as const

const { limit } = listQuery

const windowed = (kind: keyof typeof maximumWindowDays) =>
  `The window is [from, to): without \`to\` it ends now, without \`from\` it begins ${defaultWindowDays} days before, ` +
  `and it is at most ${maximumWindowDays[kind]} days long. Read live, in one snapshot of the database. Where what it ` +
  "counts was deleted by age, as configured, it is INVALID_QUERY with `pruned` at `from`."

export class Reports extends HttpApiGroup.make("reports").add(
  HttpApiEndpoint.get("getOverview", "/api/v1/overview", {
    query: windowFilters,
    success: one(Overview),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Read the overview",
    description:
      "The figures of today: licenses issued and in force, activations and refusals by day. Refusals by reason and quotas " +
      "that were reached are those of the window. Licenses that end soon, failing endpoints and waiting purchases are those of " +
      "now. A part that the caller may not see is absent. The window is [from, to). Without `to` it ends now. Without " +
      `\`from\` it begins ${overviewDays.usual} days before. It is at most ${overviewDays.most} days long, in days of UTC.`
  })),
  HttpApiEndpoint.get("getUsageSummary", "/api/v1/reports/usage-summary", {
    query: reportFilters["usage-summary"].fields,
    success: one(UsageSummary),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Sum up usage",
    description:
      `Adds up metered usage: over time, in buckets of an hour (at most ${maximumHourlyDays} days) or a day, both in UTC, and ` +
      `by \`group_by\`. Corrections are not included: the ledger has them. ${
        windowed("usage-summary")
      } At most ${maximumSummaryRows} rows; an export ` +
      "has all."
  })),
  HttpApiEndpoint.get("listUsageLedger", "/api/v1/reports/usage-ledger", {
    query: { ...listQuery, ...reportFilters["usage-ledger"].fields },
    success: page(UsageEntry),
    error: listErrors
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "List the usage ledger",
    description: "Usage events and corrections, newest first. Each entry has the ID of its event in the feed. The " +
      "amounts of a feature of a license add up to its total. Product, customer, order and subscription are " +
      "those of the license at that time. The window is [from, to). Default: everything stored, which is all " +
      "time unless configured otherwise."
  })),
  HttpApiEndpoint.get("getLicenseAudit", "/api/v1/reports/license-audit", {
    query: { ...reportFilters["license-audit"].fields, limit },
    success: one(LicenseAudit),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Audit a license",
    description: `The activities of a license, newest first, including refusals. ${windowed("license-audit")}`
  })),
  HttpApiEndpoint.get("getCustomerSummary", "/api/v1/reports/customer-summary", {
    query: { ...reportFilters["customer-summary"].fields, limit },
    success: one(CustomerSummary),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Sum up a customer",
    description:
      "The licenses and the usage of a customer. There is a row for each license that the customer has, or " +
      `used in the window before it was transferred. ${windowed("customer-summary")}`
  })),
  HttpApiEndpoint.get("getSubscriptionSettlement", "/api/v1/reports/subscription-settlement", {
    query: { ...reportFilters["subscription-settlement"].fields, limit },
    success: one(SubscriptionSettlement),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Settle a subscription",
    description: "Adds up the usage on the licenses of a subscription or an order. Send either `subscription_id` or " +
      "`order_id`. The default window is the period of the subscription or the order, if it has one. Rows are " +
      `grouped by feature unless \`group_by\` is set. ${windowed("subscription-settlement")}`
  })),
  HttpApiEndpoint.get("getPurchasesReport", "/api/v1/reports/purchases", {
    query: { ...reportFilters.purchases.fields, limit },
    success: one(PurchasesReport),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Report purchases",
    description:
      "The purchases at payment providers that were in effect in the window, newest first: their state, what " +
      "they give, and the time until which they are paid. Amounts are for the record, as the provider states them. An API " +
      "key that is limited to products sees the purchases whose licenses are all of these. The window is [from, to): " +
      `without \`to\` it ends now, without \`from\` it begins ${defaultWindowDays} days before, and it is at most ` +
      `${maximumWindowDays.purchases} days long. Read live, in one snapshot of the database.`
  })),
  HttpApiEndpoint.get("getLicensesReport", "/api/v1/reports/licenses", {
    query: { ...reportFilters.licenses.fields, limit },
    success: one(LicensesReport),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    alsoNeeds: ["license:read"],
    products: "narrowed",
    summary: "Report licenses",
    description:
      "The licenses that match filters as they are now, in the order of the list, and how many there are with each status. " +
      "The report has no window. An export of it is a file of all of them, whose events keep its filters: what " +
      "names a person, such as a search, is no filter. Read live, in one snapshot of the database."
  })),
  HttpApiEndpoint.get("getAdoptionReport", "/api/v1/reports/adoption", {
    query: { ...reportFilters.adoption.fields, limit },
    success: one(AdoptionReport),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Report the adoption of versions",
    description:
      "The versions of an app that devices with a seat named last, by product, version and operating system: numbers of " +
      "devices, licenses and customers, the most devices first. `app_version=1.x` selects every 1. version."
  })),
  HttpApiEndpoint.get("getStatement", "/api/v1/reports/statement", {
    query: { ...reportFilters.statement.fields, limit },
    success: one(Statement),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Make a statement",
    description:
      "The units of grants of a customer or a license, from the opening balance of the window to the closing one, and " +
      "the usage: how much the quota served, how much grants served, and overage. Send either `customer_id` or " +
      "`license_id`. There is a row for each license and feature in which anything happened or is left. A customer's " +
      `licenses are those that the customer has now. ${windowed("statement")}`
  }))
).middleware(Management).middleware(Envelope) {}
