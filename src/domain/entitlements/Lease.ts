import { Schema } from "effect"
import { VersionEligibility } from "../catalog/ProductVersion.ts"
import { Overage } from "../terms/OverageEvent.ts"
import { echoed, text, Timestamp } from "../wire/Fields.ts"
import { FeatureEntitlement, grantsOf, subject, subjectExample, subjectOf, validUntil } from "./Entitlement.ts"
import type { Addressee } from "./Entitlement.ts"
import type { Snapshot } from "./Snapshot.ts"

/** Why a lease ended, other than that its time ran out. */
const LeaseEnd = Schema.Literals([
  "checked_in",
  "released",
  "expired",
  "deactivated",
  "reset",
  "blacklisted",
  "transferred",
  "revoked"
])
export type LeaseEnd = typeof LeaseEnd.Type

/** How a lease stands: it lives, it ran out, or what ended it. Judged on the database's clock. */
const LeaseStatus = Schema.Literals(["active", ...LeaseEnd.literals]).annotate({ identifier: "LeaseStatus" })

/** A floating seat as management sees it. */
export const Lease = Schema.Struct({
  id: Schema.String,
  license_id: Schema.String,
  device_id: Schema.String,
  product_id: Schema.optionalKey(Schema.String.annotate({
    description: "The product that the seat was taken for, where it is a further one of the license."
  })),
  status: LeaseStatus,
  checked_out_at: Timestamp,
  last_heartbeat_at: Schema.optionalKey(Timestamp),
  expires_at: Timestamp,
  ended_at: Schema.optionalKey(Timestamp)
}).annotate({
  identifier: "FloatingLease",
  examples: [{
    id: "lease_06eqpx1trxz3h94vqjm3a6kz7c",
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    device_id: "dev_06eqpx1trxz3h94vqjm3a6kz7c",
    status: "active",
    checked_out_at: "2026-11-21T10:30:00.000Z",
    last_heartbeat_at: "2026-11-21T10:35:00.000Z",
    expires_at: "2026-11-21T10:45:00.000Z"
  }]
})
export type Lease = typeof Lease.Type

const token = "csl_4f9Yq0V7mZ2nK8sD1xT6bL3wR5hJ0cG9aPuEiOyQkXr"

/** Heartbeat and checkin: the lease by its newest token. */
export const LeaseRequest = Schema.Struct({
  lease_token: text(1, 255),
  nonce: Schema.optionalKey(echoed(8, 128))
}).annotate({
  identifier: "FloatingLeaseRequest",
  examples: [{ lease_token: token }]
})
export type LeaseRequest = typeof LeaseRequest.Type

const example = { ...subjectExample, lease_expires_at: "2026-11-21T10:45:00.000Z" }

/** What checkout answers, signed. */
export const Checkout = Schema.Struct({
  ...subject,
  lease_token: Schema.String,
  lease_expires_at: Timestamp,
  features: Schema.Array(FeatureEntitlement),
  version_eligibility: Schema.optionalKey(VersionEligibility),
  overage: Schema.optionalKey(Overage)
}).annotate({
  identifier: "FloatingCheckoutResponseData",
  examples: [{ ...example, lease_token: token, features: [] }]
})
export type Checkout = typeof Checkout.Type

/** What heartbeat and checkin answer, signed. A heartbeat carries the token to use from now on. */
export const LeaseAnswer = Schema.Struct({
  ...subject,
  lease_token: Schema.optionalKey(Schema.String),
  lease_expires_at: Timestamp,
  features: Schema.optionalKey(Schema.Array(FeatureEntitlement)),
  version_eligibility: Schema.optionalKey(VersionEligibility)
}).annotate({
  identifier: "FloatingLeaseResponseData",
  examples: [{ ...example, lease_token: token, features: [] }]
})
export type LeaseAnswer = typeof LeaseAnswer.Type

/**
 * What checkout, heartbeat and checkin answer, good for as long as the lease; with a token also what the license
 * grants.
 */
export const leaseAnswerOf = (
  snapshot: Snapshot,
  addressee: Addressee,
  appVersion: string | undefined,
  { expiresAt, token }: { readonly token: string | undefined; readonly expiresAt: Date }
): LeaseAnswer => ({
  ...subjectOf(snapshot, addressee, validUntil(snapshot, expiresAt.getTime())),
  lease_expires_at: expiresAt.toISOString(),
  ...(token === undefined ? {} : { lease_token: token, ...grantsOf(snapshot, appVersion) })
})
