import { Schema } from "effect"
import { reasoned } from "../ground/wire/Action.ts"
import type { Warning } from "../ground/wire/Errors.ts"
import {
  bigCount,
  Code,
  CreatedAt,
  field,
  Metadata,
  Name,
  optional,
  ShownCode,
  ShownName,
  text,
  Timestamp,
  TimestampInput,
  UpdatedAt
} from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"
import { DimensionName } from "./Dimensions.ts"
import { quotaTerms, remainingThresholds, thresholds } from "./PolicyFeature.ts"
import { FeatureValue, FeatureValueInput, FeatureValueOptions, FeatureValueType } from "./terms/FeatureValue.ts"
import { Decimals, DecimalsInput, meterFields, MeterInput } from "./terms/Measure.ts"

/** Something a license can grant, such as a module or a metered quota. */
export const Feature = Schema.Struct({
  id: Id.text("feat"),
  product_id: Id.text("prod"),
  code: ShownCode,
  name: ShownName,
  value_type: optional(FeatureValueType, "The type of the feature's values; absent if it has none."),
  enum_options: optional(Schema.Array(Schema.String), "The texts that a value of an `enum` or `list` may have."),
  decimals: Schema.optionalKey(Decimals),
  ...meterFields,
  metadata: Metadata,
  /** There while the feature is archived. */
  archived_at: optional(Timestamp, "Time when the feature was archived; absent while it is not."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "Feature",
  description: "Something that a license can grant, such as a module or a quota.",
  examples: [{
    id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
    code: "export-pdf",
    name: "PDF export",
    metadata: {},
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type Feature = typeof Feature.Type

const valued = {
  value_type: optional(
    FeatureValueType,
    "The type of the feature's values, which policies and licenses set and signed responses carry. Default: none."
  ),
  enum_options: optional(
    FeatureValueOptions,
    "The texts that a value may have: required for an `enum`, allowed for a `list`."
  )
}

export const FeatureCreate = Schema.Struct({
  name: Name,
  code: Code,
  ...valued,
  decimals: Schema.optionalKey(DecimalsInput),
  meter: Schema.optionalKey(MeterInput),
  meter_dimension: optional(
    DimensionName,
    "The dimension whose values a `unique` meter counts; required for it alone."
  ),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "FeatureCreateRequest",
  description: "A feature to create.",
  examples: [{ name: "PDF export", code: "export-pdf" }]
})
export type FeatureCreate = typeof FeatureCreate.Type

export const FeatureUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  code: Schema.optionalKey(Code),
  ...valued,
  metadata: Schema.optionalKey(Metadata),
  is_archived: optional(
    Schema.Boolean,
    "`true` archives the feature: it can no longer be assigned. `false` restores it."
  )
}).annotate({
  identifier: "FeatureUpdateRequest",
  description: "Changes of a feature. Omitted fields stay as they are.",
  examples: [{ name: "Export to PDF" }]
})
export type FeatureUpdate = typeof FeatureUpdate.Type

/**
 * Warns who gives a feature another code. No former code stays for it, as one does for a product: a signed answer lists
 * what the license has under the codes of today, and would have to list one feature twice.
 */
export const warningsAboutFeature = (before: Feature, after: Feature): ReadonlyArray<Warning> =>
  before.code === after.code ? [] : [{
    code: "FEATURE_CODE_REPLACED",
    message:
      `Installed apps ask for the feature by ${before.code}, and are refused with FEATURE_NOT_ENTITLED from now on. ` +
      "Give the code back, or keep it and change the name alone, unless no app has the code.",
    field: "code"
  }]

/** Units of earlier periods that are no grant yet. */
const CarriedQuota = Schema.Struct({
  amount: field(bigCount(1), "The number of units."),
  starts_at: field(Timestamp, "The end of the period that they were left from."),
  expires_at: field(Timestamp, "The time when they end.")
}).annotate({
  identifier: "CarriedQuota",
  description: "Unused units of the quota of an earlier period.",
  examples: [{ amount: 200, starts_at: "2026-11-01T00:00:00.000Z", expires_at: "2026-12-01T00:00:00.000Z" }]
})

const ownText = "Thresholds of the license, in place of the policy's."

/** A feature as one license has it. */
export const LicenseFeature = Schema.Struct({
  license_id: Id.text("lic"),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  feature_name: field(Schema.String, "The name of the feature."),
  enabled: field(Schema.Boolean, "Whether the license may use the feature. Default: `true`."),
  value: Schema.optionalKey(FeatureValue),
  value_from: optional(Schema.Literals(["policy", "license"]), "Whose value it is; there with `value`."),
  decimals: Schema.optionalKey(Decimals),
  ...meterFields,
  max_consumptions: optional(bigCount(0), "The quota. Without it, usage is counted but not limited."),
  credits: optional(
    bigCount(1),
    "Credits added to the quota with `add_credits`; included in `max_consumptions`. If the quota has a " +
      "period, they end with it."
  ),
  credits_start: optional(Timestamp, "When the period began that the credits are for; absent without a period."),
  quota_from: optional(
    Schema.Literals(["policy", "license"]),
    "Whose quota the credits are added to; there with `credits`."
  ),
  granted_remaining: optional(
    bigCount(0),
    "How much is left of grants; included in `max_consumptions` and `remaining`."
  ),
  next_grant_expires_at: optional(Timestamp, "The time when the next of the grants ends."),
  pool_remaining: optional(
    bigCount(0),
    "How much of the pools of its customer and those above the license may still use; included in the quota and `remaining`."
  ),
  carried: optional(
    Schema.Array(CarriedQuota),
    "Unused units of earlier periods that can still be used; included in `granted_remaining`. The next usage event or change of " +
      "the license lists them as grants."
  ),
  total_consumptions: field(bigCount(0), "Total usage."),
  granted_consumptions: optional(bigCount(0), "How much of the total usage grants served."),
  remaining: optional(bigCount(0), "How much of the quota is left."),
  over: optional(bigCount(1), "The overage: usage above the quota."),
  period: Schema.optionalKey(quotaTerms.period),
  period_start: optional(Timestamp, "When the period of the quota began."),
  period_consumptions: optional(bigCount(0), "Usage in that period."),
  granted_period_consumptions: optional(bigCount(0), "How much of the usage in that period grants served."),
  period_ends_at: optional(Timestamp, "The time of the next reset of the quota."),
  overage: Schema.optionalKey(quotaTerms.overage),
  quota_thresholds: Schema.optionalKey(thresholds.annotate({ description: `${ownText} Percentages of the quota.` })),
  remaining_thresholds: Schema.optionalKey(
    remainingThresholds.annotate({ description: `${ownText} Numbers of units left.` })
  ),
  from: optional(
    Schema.Literals(["policy", "both"]),
    "The source: the `policy`, or `both` the policy and an assignment. The fields that the assignment sets " +
      "take precedence."
  ),
  expires_at: optional(Timestamp, "Time when the feature ends; absent if it lasts as long as the license."),
  metadata: Metadata
}).annotate({
  identifier: "LicenseFeature",
  description: "A feature of one license.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c",
    feature_code: "export-pdf",
    feature_name: "PDF export",
    enabled: true,
    max_consumptions: 1000,
    total_consumptions: 0,
    remaining: 1000,
    metadata: {}
  }]
})
export type LicenseFeature = typeof LicenseFeature.Type

/** The quota that a license has of its own; undefined where it is the policy's, or there is none. */
export const ownQuota = (
  { credits = 0, max_consumptions, quota_from }: {
    readonly credits?: number
    readonly max_consumptions?: number
    readonly quota_from?: "policy" | "license"
  }
): number | undefined =>
  max_consumptions === undefined || quota_from === "policy" ? undefined : max_consumptions - credits

export const LicenseFeatureAssign = Schema.Struct({
  feature_id: Id.reference("feat"),
  enabled: optional(Schema.Boolean, "Whether the license may use the feature. Default: `true`."),
  value: optional(
    Schema.NullOr(FeatureValueInput),
    "The value for the app, in place of the policy's, of the feature's `value_type`. `null` removes it, and the policy's applies."
  ),
  max_consumptions: optional(bigCount(0), "The quota. Without it, usage is counted but not limited."),
  period: Schema.optionalKey(quotaTerms.period),
  overage: Schema.optionalKey(quotaTerms.overage),
  quota_thresholds: optional(
    Schema.NullOr(thresholds),
    "Percentages of the quota at which the event `license.quota_threshold` tells, in place of the policy's. `null` removes them, and the " +
      "policy's apply."
  ),
  remaining_thresholds: optional(
    Schema.NullOr(remainingThresholds),
    "Numbers of units left at which the event tells, in place of the policy's. `null` removes them, and the policy's apply."
  ),
  expires_at: optional(
    Schema.NullOr(TimestampInput),
    "Time when the feature ends. `null` removes it, and the end of the policy's feature applies."
  ),
  metadata: Schema.optionalKey(Metadata)
}).annotate({
  identifier: "LicenseFeatureAssignRequest",
  description: "A feature to assign to a license. If it is assigned already, omitted fields keep their values.",
  examples: [{ feature_id: "feat_06eqpx1trxz3h94vqjm3a6kz7c", max_consumptions: 1000 }]
})
export type LicenseFeatureAssign = typeof LicenseFeatureAssign.Type

/**
 * A correction of what a license may use, or has used, of one metered feature. The members that are given are applied
 * together: a new quota first, then the credits that are added to it.
 */
export const LicenseFeatureUsageReset = Schema.Struct({
  feature_id: optional(text(1, 64), "The ID of the feature. Send either this or `feature_code`."),
  feature_code: optional(Code, "The code of the feature. Send either this or `feature_id`."),
  add_credits: optional(
    bigCount(1),
    "Amount to add to the quota. With a quota period, it counts for the current period only. Send an " +
      "Idempotency-Key, so that a retry counts once."
  ),
  max_consumptions: optional(bigCount(0), "The new quota, set before `add_credits` is added."),
  total_consumptions: optional(
    bigCount(0),
    "The new usage that counts against the quota: of the running period, where the quota has one; the total usage then changes by " +
      "as much."
  ),
  reset_consumed: optional(
    Schema.Boolean,
    "`true` sets the usage that counts against the quota to 0: of the running period, where the quota has one. Usage of earlier " +
      "periods stays in the total."
  ),
  ...reasoned
}).annotate({
  // Behind the checks the example would not reach the contract.
  description: "A correction of one metered feature. Send either `feature_id` or `feature_code`, and at least one " +
    "change. A new quota is set first, then the credits are added.",
  examples: [{ feature_code: "export-pdf", add_credits: 500 }]
}).check(
  Schema.makeFilter((input: { readonly feature_id?: string; readonly feature_code?: string }) =>
    (input.feature_id === undefined) === (input.feature_code === undefined)
      ? { path: ["feature_id"], issue: "is required without feature_code, and excluded with it" }
      : undefined
  ),
  Schema.makeFilter((input: {
    readonly add_credits?: number
    readonly max_consumptions?: number
    readonly total_consumptions?: number
    readonly reset_consumed?: boolean
  }) => {
    if (input.reset_consumed === true && (input.total_consumptions ?? 0) !== 0) {
      return { path: ["total_consumptions"], issue: "must be 0 or omitted with reset_consumed: true" }
    }
    return input.add_credits === undefined && input.max_consumptions === undefined &&
        input.total_consumptions === undefined && input.reset_consumed !== true
      ? {
        path: ["add_credits"],
        issue: "is required without max_consumptions, total_consumptions and reset_consumed: true"
      }
      : undefined
  })
).annotate({ identifier: "LicenseFeatureUsageResetRequest" })
export type LicenseFeatureUsageReset = typeof LicenseFeatureUsageReset.Type
