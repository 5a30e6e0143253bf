import { Schema } from "effect"
import { LicenseType } from "../catalog/Policy.ts"
import { bigCount, echoed, text, Timestamp } from "../wire/Fields.ts"

/** Who asks: the members that name a device, the app's version, and what binds the answer to this question. */
const binding = {
  fingerprint: Schema.optionalKey(text(1, 255)),
  hostname: Schema.optionalKey(text(0, 255)),
  os: Schema.optionalKey(text(0, 128)),
  is_vm: Schema.optionalKey(Schema.Boolean),
  is_container: Schema.optionalKey(Schema.Boolean),
  container_id: Schema.optionalKey(text(0, 255)),
  cluster_id: Schema.optionalKey(text(0, 255)),
  namespace: Schema.optionalKey(text(0, 255)),
  pod_name: Schema.optionalKey(text(0, 255)),
  app_version: Schema.optionalKey(echoed(1, 64)),
  product_code: Schema.optionalKey(text(1, 128)),
  nonce: Schema.optionalKey(echoed(8, 128))
}

const namesDevice = Schema.makeFilter((request: {
  readonly fingerprint?: string
  readonly is_container?: boolean
  readonly cluster_id?: string
  readonly namespace?: string
  readonly pod_name?: string
  readonly container_id?: string
}) => {
  if (request.is_container === true) {
    // Blank members make no binding, so a container that has no others would be the same as any such.
    const named = [request.cluster_id, request.namespace, request.pod_name, request.container_id]
    return named.some((member) => member !== undefined && member.trim() !== "")
      ? undefined
      : {
        path: ["is_container"],
        issue: "a container needs at least one of cluster_id, namespace, pod_name and container_id"
      }
  }
  return request.fingerprint !== undefined && request.fingerprint.trim() !== ""
    ? undefined
    : { path: ["fingerprint"], issue: "required unless is_container is true" }
})

// Examples stand before the check: what is annotated after it describes the check, and reaches no document.
export const RuntimeRequest = Schema.Struct(binding).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", hostname: "studio-07", os: "linux", nonce: "n-7f3a9c21d0" }]
}).check(namesDevice).annotate({ identifier: "RuntimeBindingRequest" })
export type RuntimeRequest = typeof RuntimeRequest.Type

/** A metered use: the binding, what is used, and an id of the caller's that makes it count once for ever. */
export const ConsumeRequest = Schema.Struct({
  ...binding,
  feature_code: text(1, 128),
  amount: Schema.optionalKey(bigCount(1)),
  event_id: text(1, 128)
}).annotate({
  examples: [{ fingerprint: "b8e1c6f2d4", feature_code: "export-pdf", amount: 1, event_id: "export-2026-11-21-0001" }]
}).check(namesDevice).annotate({ identifier: "ConsumeLicenseRequest" })
export type ConsumeRequest = typeof ConsumeRequest.Type

export const FeatureEntitlement = Schema.Struct({
  code: Schema.String,
  enabled: Schema.Boolean,
  quota: Schema.optionalKey(bigCount(0)),
  consumed: Schema.optionalKey(bigCount(0)),
  remaining: Schema.optionalKey(bigCount(0))
}).annotate({ identifier: "FeatureEntitlement" })
export type FeatureEntitlement = typeof FeatureEntitlement.Type

export const VersionEligibility = Schema.Struct({
  app_version: Schema.String,
  is_entitled: Schema.Boolean,
  enforced: Schema.Boolean,
  released_at: Schema.optionalKey(Timestamp),
  eligible_through: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "VersionEligibility" })
/** Whether the version that runs is one the license covers. */
export type VersionEligibility = typeof VersionEligibility.Type

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

/** An Ed25519 signature (RFC 8032) over the canonical bytes of `data`; `value` is standard padded base64. */
export const Signature = Schema.Struct({
  alg: Schema.Literal("Ed25519"),
  algorithm: Schema.Literal("Ed25519"),
  kid: Schema.String,
  value: Schema.String
}).annotate({
  identifier: "Signature",
  examples: [{
    alg: "Ed25519",
    algorithm: "Ed25519",
    kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
    value: "SiSLNyrG7LgIYVcwTBXW6B6Oz3d5CzyE+5Z8XCvTbWJ5m1Hj6oQq1Jgqj1gUyGbdcLwO0hGXVQ8QvGxkuXnMCA=="
  }]
})
export type Signature = typeof Signature.Type
