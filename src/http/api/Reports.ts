import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { defaultWindowDays, maximumHourlyDays, maximumWindowDays, reportFilters } from "../../domain/reports/Report.ts"
import type { ReportKind } from "../../domain/reports/Report.ts"
import {
  CustomerSummary,
  LicenseAudit,
  maximumSummaryRows,
  SubscriptionSettlement,
  UsageEntry,
  UsageSummary
} from "../../domain/reports/ReportDocument.ts"
import { InvalidQuery } from "../../domain/wire/Errors.ts"
import { Envelope, Management } from "./Middleware.ts"
import { declare, listErrors, one, page, resourceErrors } from "./Operation.ts"
import { listQuery } from "./Parameters.ts"

const scope = { scope: "report:read" } as const

const { limit } = listQuery

const windowed = (kind: Exclude<ReportKind, "usage-ledger">) =>
  `The window is [from, to): without \`to\` it ends now, without \`from\` it begins ${defaultWindowDays} days before, ` +
  `and it is at most ${maximumWindowDays[kind]} days long. Read live, in one snapshot of the database. Where what it ` +
  "counts was deleted by age, as configured, it is INVALID_QUERY with `pruned` at `from`."

export class Reports extends HttpApiGroup.make("reports").add(
  HttpApiEndpoint.get("getUsageSummary", "/api/v1/reports/usage-summary", {
    query: reportFilters["usage-summary"].fields,
    success: one(UsageSummary),
    error: [InvalidQuery]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Sum up usage",
    description: "Adds up metered use. " +
      `Over time in buckets of an hour (${maximumHourlyDays} days at most) or a day, both in UTC, and by ` +
      `what \`group_by\` names. Corrections are not use: the ledger has them. ${windowed("usage-summary")} At most ` +
      `${maximumSummaryRows} rows; an export has all.`
  })),
  HttpApiEndpoint.get("listUsageLedger", "/api/v1/reports/usage-ledger", {
    query: { ...listQuery, ...reportFilters["usage-ledger"].fields },
    success: page(UsageEntry),
    error: listErrors
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "List the usage ledger",
    description: "Metered use and its corrections, newest first. " +
      "Each entry has the id of its event in the audit-backed feed. Amounts of a feature of a license add " +
      "up to its total. Product, customer, order and subscription are those of the license at that time. The window " +
      "is [from, to), by default all that is kept: all time unless it is configured otherwise."
  })),
  HttpApiEndpoint.get("getLicenseAudit", "/api/v1/reports/license-audit", {
    query: { ...reportFilters["license-audit"].fields, limit },
    success: one(LicenseAudit),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Audit a license",
    description: "What happened to a license, newest first. " +
      `What was refused included. ${windowed("license-audit")}`
  })),
  HttpApiEndpoint.get("getCustomerSummary", "/api/v1/reports/customer-summary", {
    query: { ...reportFilters["customer-summary"].fields, limit },
    success: one(CustomerSummary),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Sum up a customer",
    description: "What a customer has and used. " +
      "A row for each license that the customer has, or used in the window before it became another's. " +
      windowed("customer-summary")
  })),
  HttpApiEndpoint.get("getSubscriptionSettlement", "/api/v1/reports/subscription-settlement", {
    query: { ...reportFilters["subscription-settlement"].fields, limit },
    success: one(SubscriptionSettlement),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    summary: "Settle a subscription",
    description: "Adds up what was used on the licenses of a subscription or an order. " +
      "Exactly one of `subscription_id` and `order_id`. Without a window it is the period of the " +
      `subscription or the order, where it has one. Grouped by feature unless \`group_by\` says otherwise. ${
        windowed("subscription-settlement")
      }`
  }))
).middleware(Management).middleware(Envelope) {}
