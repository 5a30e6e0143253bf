import { Schema } from "effect"
import { DimensionGroup } from "../../catalog/Dimensions.ts"
import { PolicyChange } from "../../catalog/Policy.ts"
import { runningFilters, runningLicenseFilters } from "../../catalog/ProductVersion.ts"
import { Tag } from "../../ground/wire/Action.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { Code, field, filterBy, optional, TimestampInput } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { LicenseOrder, LicenseStatus } from "../../licensing/licenses/License.ts"
import { PurchaseState, PurchaseStatus } from "../../sales/billing/Purchase.ts"
import { maximumHourlyDays, maximumWindowDays } from "./WindowDays.ts"

/** Every report. The registry is closed. */
export const reportKinds = [
  "usage-summary",
  "usage-ledger",
  "license-audit",
  "customer-summary",
  "subscription-settlement",
  "purchases",
  "licenses",
  "statement",
  "adoption",
  "rehearsal"
] as const

export const ReportKind = Schema.Literals(reportKinds).annotate({
  identifier: "ReportKind",
  description: "Which report."
})
export type ReportKind = typeof ReportKind.Type

/** The `schema` member of a report: changes when a reader of the report would have to change. */
export const reportSchemaOf = <Kind extends ReportKind>(kind: Kind): `countersign/report/${Kind}/v1` =>
  `countersign/report/${kind}/v1`

/** The half-open window of a report: from `from`, up to but not including `to`. */
export const windowFilters = {
  from: optional(TimestampInput, "Start of the window, inclusive.", "2026-11-01T00:00:00Z"),
  to: optional(TimestampInput, "End of the window, exclusive. Default: now.", "2026-12-01T00:00:00Z")
}

/** Whose use is reported; each filter narrows it. */
export const usageFilters = {
  product_id: Schema.optionalKey(Id.filter("prod")),
  customer_id: Schema.optionalKey(Id.filter("cus")),
  license_id: Schema.optionalKey(Id.filter("lic")),
  order_id: Schema.optionalKey(Id.filter("ord")),
  subscription_id: Schema.optionalKey(Id.filter("sub")),
  feature_code: optional(filterBy(Code, 128), "Only this feature.", "export-pdf")
}

/**
 * A length of time that use is added up over; buckets start at full hours, days, weeks (on Monday), months and years of
 * the calendar in UTC, as the quotas of those periods do.
 */
export const Bucket = Schema.Literals(["1h", "1d", "1w", "1mo", "1y"]).annotate({
  identifier: "ReportBucket",
  description: "The length of a bucket: an hour, a day, a week from Monday, a month or a year, all in UTC."
})
export type Bucket = typeof Bucket.Type

/** What use is grouped by. */
export const UsageGroup = Schema.Literals([
  "product_id",
  "customer_id",
  "license_id",
  "order_id",
  "subscription_id",
  "feature_code"
]).annotate({ identifier: "UsageGroup", description: "How usage is grouped." })
export type UsageGroup = typeof UsageGroup.Type

/** Whether use is grouped by what a license is or was sold by, and not by a dimension. */
export const isUsageGroup = Schema.is(UsageGroup)

/** What a settlement is grouped by. */
const SettlementGroup = Schema.Literals(["license_id", "feature_code"]).annotate({
  identifier: "SettlementGroup",
  description: "How the rows of a settlement are grouped."
})

/** What adoption is grouped by beside product, version and system. */
const AdoptionGroup = Schema.Literals(["license_id"]).annotate({
  identifier: "AdoptionGroup",
  description:
    "How the rows of the adoption of versions are grouped, in addition to product, version and operating system."
})

/** The kind of a ledger entry: that of the event from which it is read. */
export const LedgerAction = Schema.Literals([
  "license.usage_recorded",
  "license.usage_reset",
  "license.feature_removed"
]).annotate({
  identifier: "UsageLedgerAction",
  description: "Usage, a correction, or the end of the counter because the license lost the feature."
})
export type LedgerAction = typeof LedgerAction.Type

/**
 * The filters of each report, as its query and as `filters` of an export take them. All that a query takes are strings, so that both
 * are the same schema.
 */
export const reportFilters = {
  "usage-summary": Schema.Struct({
    ...windowFilters,
    group_by: optional(
      Schema.Union([UsageGroup, DimensionGroup]),
      "How rows are grouped: by a property of the license, or by a dimension of usage events. Default: not grouped.",
      "feature_code"
    ),
    bucket: optional(
      Bucket,
      "Adds up over hours, days, weeks, months or years of UTC. Default: over the whole window."
    ),
    ...usageFilters
  }),
  "usage-ledger": Schema.Struct({
    ...windowFilters,
    action: optional(LedgerAction, "Only entries of this action."),
    ...usageFilters
  }),
  "license-audit": Schema.Struct({
    license_id: field(Id.filter("lic"), "The license of the report.", Id.exampleOf("lic")),
    ...windowFilters
  }),
  "customer-summary": Schema.Struct({
    customer_id: field(Id.filter("cus"), "The customer of the report.", Id.exampleOf("cus")),
    ...windowFilters
  }),
  "subscription-settlement": Schema.Struct({
    subscription_id: optional(
      Id.filter("sub"),
      "The subscription to settle. Send either this or `order_id`.",
      Id.exampleOf("sub")
    ),
    order_id: optional(
      Id.filter("ord"),
      "The order to settle. Send either this or `subscription_id`.",
      Id.exampleOf("ord")
    ),
    ...windowFilters,
    group_by: optional(SettlementGroup, "How rows are grouped. Default: by feature.")
  }),
  purchases: Schema.Struct({
    ...windowFilters,
    connection_id: Schema.optionalKey(Id.filter("bcn")),
    status: optional(PurchaseStatus, "Only purchases with this status."),
    state: optional(PurchaseState, "Only purchases in this state."),
    product_id: Schema.optionalKey(Id.filter("prod")),
    customer_id: Schema.optionalKey(Id.filter("cus"))
  }),
  // A search, which may name a person, is no filter here: the events of an export keep its filters for years.
  licenses: Schema.Struct({
    product_id: Schema.optionalKey(Id.filter("prod")),
    policy_id: Schema.optionalKey(Id.filter("pol")),
    customer_id: Schema.optionalKey(Id.filter("cus")),
    order_id: Schema.optionalKey(Id.filter("ord")),
    subscription_id: Schema.optionalKey(Id.filter("sub")),
    status: optional(LicenseStatus, "Only licenses with this status."),
    expires_before: optional(TimestampInput, "Only licenses that expire before this time.", "2027-12-01T00:00:00Z"),
    expires_after: optional(TimestampInput, "Only licenses that expire after this time.", "2026-12-01T00:00:00Z"),
    tag: optional(Tag, "Only licenses with this tag.", "vip"),
    ...runningLicenseFilters,
    order: optional(LicenseOrder, "The order of the rows, as the list of licenses takes it. Default: newest first.")
  }),
  statement: Schema.Struct({
    customer_id: optional(
      Id.filter("cus"),
      "The customer whose licenses the statement is about. Send either this or `license_id`.",
      Id.exampleOf("cus")
    ),
    license_id: optional(
      Id.filter("lic"),
      "The license that the statement is about. Send either this or `customer_id`.",
      Id.exampleOf("lic")
    ),
    ...windowFilters,
    feature_code: usageFilters.feature_code,
    group_by: optional(
      DimensionGroup,
      "Adds `groups`: the usage by a dimension of usage events.",
      "dimension.model"
    )
  }),
  adoption: Schema.Struct({
    product_id: Schema.optionalKey(Id.filter("prod")),
    policy_id: Schema.optionalKey(Id.filter("pol")),
    customer_id: Schema.optionalKey(Id.filter("cus")),
    ...runningFilters,
    group_by: optional(AdoptionGroup, "`license_id` has a row for each license, too. Default: not grouped.")
  }),
  // Only an export: live it is a question of its own, `rehearsePolicy`.
  rehearsal: Schema.Struct({
    policy_id: field(Id.filter("pol"), "The policy that would change.", Id.exampleOf("pol")),
    change: field(PolicyChange, "The change, as for `PATCH /api/v1/policies/{id}`."),
    ...windowFilters
  })
} as const satisfies Record<ReportKind, Schema.Top>

/** The filters of a report of this kind. */
export type ReportFilters<Kind extends ReportKind = ReportKind> = typeof reportFilters[Kind]["Type"]

/** A column of a report as a table. Instants are RFC 3339 in UTC with milliseconds, dates `YYYY-MM-DD`. */
export const ReportColumn = Schema.Struct({
  key: Schema.String,
  title: Schema.String,
  type: Schema.Literals(["text", "integer", "timestamp", "date"])
})
export type ReportColumn = typeof ReportColumn.Type

/** A row by the keys of its columns; a cell without a value is left out. */
export type ReportRow = Readonly<Record<string, string | number>>

/** Use in one bucket of time: RFC 3339, and the amount. */
export const SeriesPoint = Schema.Struct({ bucket: Schema.String, value: Schema.Int })
export type SeriesPoint = typeof SeriesPoint.Type

const day = 24 * 60 * 60 * 1000

/** Days that a report covers when nobody says from when on. */
export const defaultWindowDays = 30

/** A window is [from, to), RFC 3339. */
export type Window = {
  readonly from: string
  readonly to: string
}

const finding = (path: string, code: string, message: string): FieldFinding => ({ path, code, message })

/** What is wrong with a window for a report of this kind; the usage ledger may cover any. */
export const windowFindings = (
  kind: ReportKind,
  { from, to }: Window,
  bucket?: Bucket
): ReadonlyArray<FieldFinding> => {
  const length = Date.parse(to) - Date.parse(from)
  if (length <= 0) return [finding("to", "before_from", "must be later than `from`")]
  if (kind === "usage-ledger" || kind === "licenses" || kind === "adoption") return []
  const days = bucket === "1h" ? maximumHourlyDays : maximumWindowDays[kind]
  return length > days * day ? [finding("from", "window_too_long", `must be at most ${days} days before \`to\``)] : []
}

/** Reports about one of two subjects: exactly one of both filters is given. */
const subjectsOf: Readonly<Partial<Record<ReportKind, readonly [string, string]>>> = {
  "subscription-settlement": ["subscription_id", "order_id"],
  statement: ["customer_id", "license_id"]
}

/** Findings about filters in combination, which no schema of a single member sees; independent of the present time. */
export const filterFindings = (kind: ReportKind, filters: ReportFilters): ReadonlyArray<FieldFinding> => {
  const { bucket, from, to } = filters as ReportFilters<"usage-summary">
  const window = from === undefined || to === undefined ? [] : windowFindings(kind, { from, to }, bucket)
  const [one, other] = subjectsOf[kind] ?? []
  if (one === undefined || other === undefined) return window
  const given: Readonly<Record<string, unknown>> = filters
  return (given[one] === undefined) === (given[other] === undefined)
    ? [finding(one, "exactly_one", `is required without \`${other}\`, and excluded with it`), ...window]
    : window
}

/** The default start of a window that ends at `to`, RFC 3339. */
export const defaultFrom = (to: string): string =>
  new Date(Math.max(Date.parse(to) - defaultWindowDays * day, Date.parse("0001-01-01T00:00:00Z"))).toISOString()
