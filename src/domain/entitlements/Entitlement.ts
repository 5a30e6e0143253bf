import { Schema } from "effect"
import { LicenseType } from "../catalog/Policy.ts"
import { VersionEligibility } from "../catalog/ProductVersion.ts"
import { bigCount, Timestamp } from "../wire/Fields.ts"

export const FeatureEntitlement = Schema.Struct({
  code: Schema.String,
  enabled: Schema.Boolean,
  quota: Schema.optionalKey(bigCount(0)),
  consumed: Schema.optionalKey(bigCount(0)),
  remaining: Schema.optionalKey(bigCount(0))
}).annotate({ identifier: "FeatureEntitlement" })
export type FeatureEntitlement = typeof FeatureEntitlement.Type

/** What every signed answer says: about whom, for whom, from when and until when. */
export const subject = {
  license_id: Schema.String,
  status: Schema.String,
  license_type: LicenseType,
  entitlement_version: bigCount(1),
  product_id: Schema.String,
  product_code: Schema.String,
  policy_code: Schema.String,
  device_id: Schema.String,
  fingerprint_hash: Schema.String,
  issued_at: Timestamp,
  valid_until: Timestamp,
  expires_at: Schema.optionalKey(Timestamp),
  nonce: Schema.optionalKey(Schema.String)
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
  next_check_at: Timestamp,
  features: Schema.Array(FeatureEntitlement),
  version_eligibility: Schema.optionalKey(VersionEligibility)
}).annotate({
  identifier: "RuntimeEntitlementResponseData",
  examples: [{
    ...subjectExample,
    next_check_at: "2026-11-22T10:30:00.000Z",
    features: [{ code: "export-pdf", enabled: true, quota: 1000, consumed: 12, remaining: 988 }]
  }]
})
export type Entitlement = typeof Entitlement.Type

/** What deactivate answers, signed. */
export const Deactivation = Schema.Struct(subject).annotate({
  identifier: "DeactivationResponseData",
  examples: [subjectExample]
})
export type Deactivation = typeof Deactivation.Type
