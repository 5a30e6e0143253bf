import { Schema } from "effect"
import { Dimensions } from "../../catalog/Dimensions.ts"
import { dryRun } from "../../ground/wire/Action.ts"
import { ErrorEnvelope, FieldFinding } from "../../ground/wire/Errors.ts"
import {
  bigCount,
  count,
  documentedAs,
  exampleOf,
  field,
  inThousands,
  optional,
  text,
  Timestamp,
  TimestampInput
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { lateDays } from "./LateUse.ts"

/** The most uses that one request reports. */
const usesLimit = 1000

/** How far the clock of a backend may be ahead: what it reports of the future is taken to be of now. */
export const skewMillis = 5 * 60_000

const namesOwner = Schema.makeFilter((use: {
  readonly license_id?: string
  readonly license_key?: string
  readonly customer_id?: string
}) =>
  [use.license_id, use.license_key, use.customer_id].filter((name) => name !== undefined).length === 1
    ? undefined
    : { path: ["license_id"], issue: "or license_key or customer_id is required, exactly one of them" }
)

const useExample = {
  license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
  feature_code: "export-pdf",
  amount: 3,
  event_id: "job-2026-11-21-0001",
  used_at: "2026-11-21T10:30:00Z"
}

/** A use of a metered feature that a backend reports: of no device. */
export const ReportedUse = Schema.Struct({
  license_id: optional(text(1, 64), "The ID of the license."),
  license_key: optional(text(1, 128), "The license key, in place of the ID."),
  customer_id: optional(
    text(1, 64),
    "The ID of the customer, in place of a license: exactly one license of the customer must grant the feature at that time."
  ),
  product_code: optional(
    text(1, 128),
    "The code, or a former code, of the product that was used. A license of another product is refused."
  ),
  feature_code: field(text(1, 128), "The code of the feature that was used."),
  amount: optional(
    bigCount(0),
    "Amount that was used. Default: 1. If less is left, the row is refused and counts nothing. 0 is for a feature whose `meter` is " +
      "`max` or `last` alone."
  ),
  event_id: field(
    text(1, 128),
    "Your ID of this usage event. It counts once per license and feature, without a time limit, also if an app consumes it."
  ),
  used_at: optional(
    TimestampInput,
    `The time of the use, which decides its period. Default: now. Up to ${lateDays} days ago; see \`late_uses\`.`
  ),
  dimensions: Schema.optionalKey(Dimensions)
}).annotate({
  description: "A usage event. Send exactly one of `license_id`, `license_key` and `customer_id`.",
  examples: [useExample]
}).check(namesOwner).annotate({ identifier: "ReportedUseRequest" })
export type ReportedUse = typeof ReportedUse.Type

/** A row as it comes, whatever it is: what is wrong with one does not refuse the others. */
const AnyUse = Schema.declare((_row): _row is typeof ReportedUse.Encoded => true, { toCodecJson: () => undefined })
  .annotate(documentedAs({
    $ref: "#/components/schemas/ReportedUseRequest",
    description: "A usage event. Each is judged separately."
  }))

const rowsOf = <S extends Schema.Top>(row: S) =>
  field(
    Schema.Array(row).check(Schema.isBetweenLength(1, usesLimit)),
    `The usage events, 1 to ${inThousands(usesLimit)}. Each is counted or refused by itself.`
  )

export const UsageReport = Schema.Struct({
  late_uses: optional(
    Schema.Literals(["refuse", "count_now"]),
    `The treatment of a usage event that is too late for its own period: more than ${lateDays} days old, or of a period that is no ` +
      "longer known. `refuse`, the default, refuses it; `count_now` counts it in the running period."
  ),
  dry_run: dryRun,
  uses: rowsOf(AnyUse)
}).annotate({
  identifier: "UsageReportRequest",
  description: "Usage events that a backend reports.",
  examples: [{ uses: [useExample] }]
})
export type UsageReport = typeof UsageReport.Type

/** The same with rows that are judged with the rest of the body. */
export const WholeUsageReport = Schema.Struct({ ...UsageReport.fields, uses: rowsOf(ReportedUse) })

const index = count(0).annotate({ description: "The position of the row in the request, from 0." })

export const ReportedUseCounted = Schema.Struct({
  index,
  license_id: Id.text("lic"),
  feature_id: Id.text("feat"),
  event_id: field(Schema.String, "Your ID of the usage event."),
  amount: field(bigCount(0), "Amount of the usage event."),
  over_quota: optional(bigCount(1), "How much of the amount is overage."),
  used_at: field(Timestamp, "The time of the use, by which reports count it."),
  period_start: optional(Timestamp, "When the period of the quota began that it counts in; absent without a period."),
  repeated: optional(Schema.Literal(true), "Whether it had been counted before; absent if this request counted it.")
}).annotate({
  identifier: "ReportedUseCounted",
  description: "A usage event that counts.",
  examples: [{
    index: 0,
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    event_id: "job-2026-11-21-0001",
    amount: 3,
    used_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type ReportedUseCounted = typeof ReportedUseCounted.Type

const RowError = Schema.Struct({
  code: ErrorEnvelope.fields.error.fields.code,
  message: field(Schema.String, "The message for people. The wording may change."),
  detail: optional(Schema.String, "More about this case."),
  fields: optional(Schema.Array(FieldFinding), "The invalid fields of the row.")
})

const ReportedUseRefused = Schema.Struct({
  index,
  error: field(RowError, "The error, as of a request that reports this usage event alone.")
}).annotate({
  identifier: "ReportedUseRefused",
  description: "A usage event that was refused, and counts nothing.",
  examples: [{ index: 1, error: { code: "NOT_FOUND", message: "No license has this id." } }]
})
export const UsageReported = Schema.Struct({
  counted: field(count(0), "How many usage events were counted; with `dry_run`, how many would be."),
  repeated: field(count(0), "How many had been counted before."),
  refused: field(count(0), "How many were refused."),
  results: field(Schema.Array(Schema.Union([ReportedUseCounted, ReportedUseRefused])), "In the order of the rows.")
}).annotate({
  identifier: "UsageReportResponse",
  description: "The result of each usage event.",
  examples: [{ counted: 1, repeated: 0, refused: 0, results: [exampleOf(ReportedUseCounted)] }]
})
export type UsageReported = typeof UsageReported.Type
