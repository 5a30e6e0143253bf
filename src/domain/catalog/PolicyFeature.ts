import { Schema, Struct } from "effect"
import type { FieldFinding } from "../ground/wire/Errors.ts"
import { bigCount, field, Metadata, optional } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { DurationInput, DurationText } from "./terms/Duration.ts"
import { FeatureValue, FeatureValueInput } from "./terms/FeatureValue.ts"
import { Decimals, meterFields } from "./terms/Measure.ts"
import { OverageText } from "./terms/Overage.ts"
import { Period } from "./terms/Period.ts"
import { QuotaThresholds, RemainingThresholds } from "./terms/QuotaThresholds.ts"
import { Rollover } from "./terms/Rollover.ts"
import { nullable } from "./terms/Rules.ts"

/** What a feature's quota may say of its period and of use beyond it. */
export const quotaTerms = {
  period: field(Period, "The period after which the quota resets. Without it, the quota never resets."),
  overage: field(
    OverageText,
    "Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`."
  )
}

/** Percentages of a quota that are announced, with their description. */
export const thresholds = QuotaThresholds.annotate({
  description: "Percentages of the quota, such as 50, 80 and 100. When usage reaches one, the event " +
    "`license.quota_threshold` tells. Default: none.",
  examples: [[50, 80, 100]]
})

/** Numbers of units left that are announced, with their description. */
export const remainingThresholds = RemainingThresholds.annotate({
  description:
    "Numbers of units, such as 100 and 10. When no more are left of the quota and its grants together, the event " +
    "`license.quota_threshold` tells. Default: none.",
  examples: [[100, 10]]
})

const rolloverText = {
  description:
    "How much of the quota that is unused at the end of a period can be used later: at most `cap` units of each period, " +
    "for `periods` more. Default: none. Needs a `period` other than `subscription`.",
  examples: [{ cap: 200, periods: 1 }]
}
const rollover = Rollover.annotate({ ...rolloverText, identifier: "QuotaRollover" })
// Answers may gain members, and a request has none that is not known.
const requestedRollover = Rollover.annotate({ ...rolloverText, identifier: "QuotaRolloverRequest" })

const expiresAfterText = {
  description: "How long after its start a license has the feature, ISO 8601. Without it, as long as the license."
}

/** A feature as the licenses under a policy have it, unless they have it otherwise themselves. */
export const PolicyFeature = Schema.Struct({
  policy_id: Id.text("pol"),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  feature_name: field(Schema.String, "The name of the feature."),
  enabled: field(Schema.Boolean, "Whether the license may use the feature. Default: `true`."),
  value: Schema.optionalKey(FeatureValue),
  decimals: Schema.optionalKey(Decimals),
  ...meterFields,
  max_consumptions: optional(bigCount(0), "The quota. Without it, usage is counted but not limited."),
  period: Schema.optionalKey(quotaTerms.period),
  overage: Schema.optionalKey(quotaTerms.overage),
  quota_thresholds: Schema.optionalKey(thresholds),
  remaining_thresholds: Schema.optionalKey(remainingThresholds),
  rollover: Schema.optionalKey(rollover),
  expires_after: Schema.optionalKey(DurationText.annotate(expiresAfterText)),
  metadata: Metadata
}).annotate({
  identifier: "PolicyFeature",
  description: "A feature that a policy grants to each of its licenses.",
  examples: [{
    policy_id: "pol_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "render",
    feature_name: "Renders",
    enabled: true,
    max_consumptions: 1000,
    period: "month",
    overage: "10%",
    metadata: {}
  }]
})
export type PolicyFeature = typeof PolicyFeature.Type

export const PolicyFeatureAssign = Schema.Struct({
  feature_id: Id.reference("feat"),
  enabled: optional(Schema.Boolean, "Whether the license may use the feature. Default: `true`."),
  value: optional(
    Schema.NullOr(FeatureValueInput),
    "The value for the app, of the feature's `value_type`. `null` removes it."
  ),
  max_consumptions: optional(Schema.NullOr(bigCount(0)), "The quota. Without it, usage is counted but not limited."),
  period: Schema.optionalKey(nullable(quotaTerms.period)),
  overage: Schema.optionalKey(nullable(quotaTerms.overage)),
  quota_thresholds: Schema.optionalKey(nullable(thresholds)),
  remaining_thresholds: Schema.optionalKey(nullable(remainingThresholds)),
  rollover: Schema.optionalKey(nullable(requestedRollover)),
  expires_after: Schema.optionalKey(nullable(DurationInput.annotate(expiresAfterText))),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "PolicyFeatureAssignRequest",
  description:
    "A feature to assign to a policy. If it is assigned already, omitted fields keep their values; `null` clears one.",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", max_consumptions: 1000, period: "month" }]
})
export type PolicyFeatureAssign = typeof PolicyFeatureAssign.Type

/** Another quota of a feature that a policy grants, to try. */
export const PolicyQuotaChange = Schema.Struct(
  Struct.pick(PolicyFeatureAssign.fields, ["feature_id", "max_consumptions", "overage"])
).annotate({
  identifier: "PolicyQuotaChangeRequest",
  description: "Another quota of a feature that the policy grants. Omitted fields stay as they are; `null` clears one.",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", max_consumptions: 500 }]
})

/** What contradicts itself in how a feature would be granted. */
export const grantFindings = (
  left: {
    readonly max_consumptions?: number
    readonly overage?: string
    readonly period?: Period
    readonly rollover?: object
  }
): ReadonlyArray<FieldFinding> => [
  ...(left.overage !== undefined && left.max_consumptions === undefined
    ? [{ path: "overage", code: "contradiction", message: "needs max_consumptions, the quota that it goes beyond" }]
    : []),
  ...(left.rollover !== undefined && left.max_consumptions === undefined
    ? [{ path: "rollover", code: "contradiction", message: "needs max_consumptions, the quota that is carried" }]
    : []),
  ...(left.rollover !== undefined && (left.period === undefined || left.period === "subscription")
    ? [{
      path: "rollover",
      code: "contradiction",
      // Of a subscription only the running period is known.
      message: "needs a period whose ends are known: a day, week, month, year, or month of the license"
    }]
    : [])
]
