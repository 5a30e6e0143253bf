import { Schema } from "effect"
import { ShownDimensions } from "../../catalog/Dimensions.ts"
import { Decimals } from "../../catalog/terms/Measure.ts"
import { Period } from "../../catalog/terms/Period.ts"
import { anyBigCount, bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { UnitsOfGrant } from "../grants/Grant.ts"

/** A metered use as its event tells of it. */
export const UsageInEvent = Schema.Struct({
  license_id: Id.text("lic"),
  device_id: Schema.optionalKey(Id.text("dev")),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  event_id: field(Schema.String, "The caller's ID of the usage event."),
  amount: field(
    anyBigCount,
    "Amount of this usage event: at least 1, but where the feature has a `meter`. There it is by how much the usage event changed what " +
      "is measured: 0 if it did not, less than 0 if it lowered it."
  ),
  measured: optional(bigCount(0), "The amount as it was sent, of a feature with a `meter`."),
  decimals: Schema.optionalKey(Decimals),
  total_consumptions: field(bigCount(0), "Total usage."),
  max_consumptions: optional(bigCount(0), "The quota. Without it, usage is counted but not limited."),
  remaining: optional(bigCount(0), "How much of the quota is left."),
  over_quota: optional(bigCount(1), "How much of the amount is overage."),
  // Elsewhere `overage` is the rule, a text such as "10%". The number stays for those who have read it so far.
  overage: optional(bigCount(1), "The same as `over_quota`, by its former name."),
  period: optional(Period, "The period after which the quota resets."),
  period_start: optional(Timestamp, "When the period of the quota began."),
  period_consumptions: optional(bigCount(1), "Usage in the period."),
  period_ends_at: optional(Timestamp, "The time of the next reset of the quota."),
  grants: optional(
    Schema.Array(UnitsOfGrant),
    "Units of grants that the usage event used; the rest is of the quota, or overage."
  ),
  granted_consumptions: optional(bigCount(0), "How much of the total usage grants served."),
  granted_period_consumptions: optional(bigCount(0), "How much of the usage in the period grants served."),
  dimensions: Schema.optionalKey(ShownDimensions),
  used_at: optional(
    Timestamp,
    "The time of the use, of a usage event that a backend reported; otherwise that of the event."
  ),
  is_late: optional(
    Schema.Boolean,
    "`true` if the period of the usage event had been over: the counter of the running period stays as it is."
  )
}).annotate({
  identifier: "UsageEventData",
  description: "A usage event.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    event_id: "export-2026-11-21-0001",
    amount: 1,
    total_consumptions: 42,
    max_consumptions: 1000,
    remaining: 958
  }]
})
