import { Schema } from "effect"
import { SignedFields } from "../../catalog/CustomField.ts"
import { quotaStanding } from "../../catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { FeatureValue } from "../../catalog/terms/FeatureValue.ts"
import { grantStanding } from "../../catalog/terms/GrantStanding.ts"
import { Decimals, decimalsMember, Meter } from "../../catalog/terms/Measure.ts"
import { Overage } from "../../catalog/terms/Overage.ts"
import { Period } from "../../catalog/terms/Period.ts"
import { LicenseType } from "../../catalog/terms/Rules.ts"
import { VersionEligibility, versionEligibility } from "../../catalog/VersionEligibility.ts"
import { bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { servesUntil } from "../licenses/LicenseStatus.ts"
import { statusAt } from "./Snapshot.ts"
import type { Snapshot } from "./Snapshot.ts"

const minute = 60_000

export const FeatureEntitlement = Schema.Struct({
  code: field(Schema.String, "The code of the feature."),
  enabled: field(Schema.Boolean, "Whether the license may use the feature. Default: `true`."),
  value: Schema.optionalKey(FeatureValue),
  decimals: Schema.optionalKey(Decimals),
  meter: Schema.optionalKey(Meter),
  quota: optional(bigCount(0), "The total amount that may be used; absent if usage is not limited."),
  consumed: optional(bigCount(0), "How much of the quota is used."),
  remaining: optional(bigCount(0), "How much of the quota is left."),
  over: optional(bigCount(1), "The overage: consumption above the quota."),
  granted_remaining: optional(bigCount(0), "How much is left of grants; included in `quota` and `remaining`."),
  next_grant_expires_at: optional(Timestamp, "The time when the next of the grants ends."),
  pool_remaining: optional(
    bigCount(0),
    "How much of the pools of its customer and those above the license may still use; included in `quota` and `remaining`."
  ),
  period: optional(Period, "The period after which the quota resets."),
  period_ends_at: Schema.optionalKey(Timestamp.annotate({
    description: "The time of the next reset of the quota; `consumed` and `remaining` apply to the period until then.",
    examples: ["2026-12-01T00:00:00.000Z"]
  }))
}).annotate({ identifier: "FeatureEntitlement", description: "A feature as the license grants it." })
export type FeatureEntitlement = typeof FeatureEntitlement.Type

/** What every signed answer says: about whom, for whom, from when and until when. */
export const subject = {
  ...environmentMember,
  license_id: Id.text("lic"),
  status: field(Schema.String, "The current status."),
  license_type: LicenseType,
  entitlement_version: field(bigCount(1), "Increases with every change of what the license grants."),
  product_id: Id.text("prod"),
  product_code: field(
    Schema.String,
    "The code of the product. A response repeats the code of the request, even if the product has a new one."
  ),
  policy_code: field(Schema.String, "The code of the policy."),
  device_id: Id.text("dev"),
  user_id: optional(Id.text("usr"), "The user who is signed in; absent if the license has no users."),
  fingerprint_hash: field(Schema.String, "The SHA-256 of the device's binding key, in hex. Compare it with your own."),
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(Timestamp, "Time until which the response may be relied on without another check."),
  expires_at: optional(Timestamp, "Time of the end; absent if it never ends."),
  nonce: optional(
    Schema.String,
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot " +
      "be replayed to you. Alternative: the header x-nonce."
  )
}

/** An example of {@link subject}. */
export const subjectExample = {
  license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
  status: "active",
  license_type: "subscription" as const,
  entitlement_version: 1,
  product_id: "prod_06eqpx1trxz3h94vqjm3a6kz7c",
  product_code: "acme-studio",
  policy_code: "annual-3",
  device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
  fingerprint_hash: "5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
  issued_at: "2026-11-21T10:30:00.000Z",
  valid_until: "2026-11-23T10:30:00.000Z",
  expires_at: "2027-11-21T10:30:00.000Z",
  nonce: "n-7f3a9c21d0"
}

/** What activate, validate and check answer, signed. */
export const Entitlement = Schema.Struct({
  ...subject,
  next_check_at: field(Timestamp, "Time when the app should check again."),
  features: field(Schema.Array(FeatureEntitlement), "The features that the license grants."),
  custom_fields: Schema.optionalKey(SignedFields),
  version_eligibility: Schema.optionalKey(VersionEligibility),
  overage: Schema.optionalKey(Overage)
}).annotate({
  identifier: "RuntimeEntitlementResponseData",
  description: "The entitlement of this device, and how long the response is valid.",
  examples: [{
    ...subjectExample,
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [{ code: "export-pdf", enabled: true, quota: 1000, consumed: 12, remaining: 988 }]
  }]
})
export type Entitlement = typeof Entitlement.Type

/** What a refund of an own use answers, signed. */
export const RefundEntitlement = Schema.Struct({
  ...Entitlement.fields,
  refund: field(
    Schema.Struct({
      feature_code: field(Schema.String, "The code of the feature."),
      event_id: field(Schema.String, "Your ID of the usage event."),
      amount: field(bigCount(1), "The amount of the refund."),
      refunded: field(bigCount(1), "How much of the usage event is refunded by now.")
    }).annotate({
      identifier: "OwnUsageRefund",
      description: "A refund of a usage event by the app that made it.",
      examples: [{ feature_code: "export-pdf", event_id: "export-2026-11-21-0001", amount: 1, refunded: 1 }]
    }),
    "The refund."
  )
}).annotate({
  identifier: "RuntimeRefundResponseData",
  description: "The entitlement of this device after the refund, and what was refunded.",
  examples: [{
    ...subjectExample,
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [{ code: "export-pdf", enabled: true, quota: 1000, consumed: 12, remaining: 988 }],
    refund: { feature_code: "export-pdf", event_id: "export-2026-11-21-0001", amount: 1, refunded: 1 }
  }]
})
export type RefundEntitlement = typeof RefundEntitlement.Type

/** What deactivate answers, signed. */
export const Deactivation = Schema.Struct(subject).annotate({
  identifier: "DeactivationResponseData",
  description: "The license after the device released its seat.",
  examples: [subjectExample]
})
export type Deactivation = typeof Deactivation.Type

/** Whom an answer is for, and which question it answers. */
export interface Addressee {
  readonly deviceId: string
  /** The SHA-256 of the binding's key, in hex. */
  readonly fingerprintHash: string
  readonly nonce: string | undefined
}

/**
 * Until when an answer is good: for two intervals, so that one missed check does no harm, or until `horizon`, but never
 * past the end of the license. An answer about a license that has ended (a deactivation) still lives for a minute, or
 * nobody could verify it.
 */
export const validUntil = (
  snapshot: Snapshot,
  horizon = snapshot.now.getTime() + 2 * snapshot.validation_interval_minutes * minute
): Date => {
  const end = servesUntil({
    expires_at: snapshot.expires_at?.getTime(),
    grace_period_days: snapshot.grace_period_days
  }) ?? Infinity
  return new Date(Math.max(Math.min(horizon, end), snapshot.now.getTime() + minute))
}

/** What every answer says, and all that a deactivation says. */
export const subjectOf = (
  snapshot: Snapshot,
  { deviceId, fingerprintHash, nonce }: Addressee,
  valid_until = validUntil(snapshot)
): Deactivation => ({
  license_id: snapshot.license_id,
  status: statusAt(snapshot),
  license_type: snapshot.license_type,
  entitlement_version: Number(snapshot.entitlement_version),
  product_id: snapshot.product_id,
  product_code: snapshot.product_code,
  policy_code: snapshot.policy_code,
  device_id: deviceId,
  ...(snapshot.user?.id === undefined ? {} : { user_id: snapshot.user.id }),
  fingerprint_hash: fingerprintHash,
  issued_at: snapshot.now.toISOString(),
  valid_until: valid_until.toISOString(),
  ...(snapshot.expires_at === null ? {} : { expires_at: snapshot.expires_at.toISOString() }),
  ...(nonce === undefined ? {} : { nonce })
})

const featureOf = (feature: EffectiveFeature): FeatureEntitlement => {
  const { code, consumed, enabled, period, periodEnd, quota, value } = feature
  return {
    code,
    ...(quota === null && period === null ? {} : { consumed }),
    enabled,
    ...(value === null ? {} : { value }),
    ...decimalsMember(feature.decimals),
    ...(feature.meter === null ? {} : { meter: feature.meter }),
    ...(quota === null ? {} : { quota }),
    ...quotaStanding(feature),
    ...grantStanding(feature),
    ...(period === null ? {} : { period }),
    ...(periodEnd === undefined ? {} : { period_ends_at: new Date(periodEnd).toISOString() })
  }
}

const eligibilityOf = (snapshot: Snapshot, appVersion: string): VersionEligibility =>
  versionEligibility({
    appVersion,
    hasVersions: snapshot.has_versions,
    releasedAt: snapshot.version_released_at?.getTime(),
    maintenanceExpiresAt: snapshot.maintenance_expires_at?.getTime(),
    now: snapshot.now.getTime()
  })

/**
 * What the license grants: its features, its signed custom fields and, to a caller that says which version it runs, whether it
 * covers that.
 */
export const grantsOf = (
  snapshot: Snapshot,
  appVersion: string | undefined
): Pick<Entitlement, "custom_fields" | "features" | "version_eligibility"> => ({
  features: snapshot.features.map(featureOf),
  ...(snapshot.custom_fields === null ? {} : { custom_fields: snapshot.custom_fields }),
  ...(appVersion === undefined ? {} : { version_eligibility: eligibilityOf(snapshot, appVersion) })
})

/**
 * What activate, validate, check and consume answer. `chance`, from 0 to 1, brings the next check forward by up to a
 * tenth of the interval, so that clients that started together spread out.
 */
export const entitlementOf = (
  snapshot: Snapshot,
  addressee: Addressee,
  appVersion: string | undefined,
  chance: number
): Entitlement => {
  const valid_until = validUntil(snapshot)
  const interval = snapshot.validation_interval_minutes * minute
  const next = snapshot.now.getTime() + Math.round(interval * (1 - chance / 10))
  return {
    ...subjectOf(snapshot, addressee, valid_until),
    next_check_at: new Date(Math.min(next, valid_until.getTime())).toISOString(),
    ...grantsOf(snapshot, appVersion)
  }
}
