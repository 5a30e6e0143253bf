import { Schema } from "effect"
import { SignedFields } from "../../catalog/CustomField.ts"
import { Overage } from "../../catalog/terms/Overage.ts"
import { LeaseUnit } from "../../catalog/terms/Rules.ts"
import type { Rules } from "../../catalog/terms/Rules.ts"
import { VersionEligibility } from "../../catalog/VersionEligibility.ts"
import { echoed, field, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { userTokenLength } from "../users/UserToken.ts"
import type { LeaseStanding, RuntimeOperation } from "./DecisionInput.ts"
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
const LeaseStatus = Schema.Literals(["active", ...LeaseEnd.literals]).annotate({
  identifier: "LeaseStatus",
  description: "`active` is in use. The other values name how the seat ended; `released` means by an operator."
})

/** A floating seat as management sees it. */
export const Lease = Schema.Struct({
  id: Id.text("lease"),
  license_id: Id.text("lic"),
  device_id: Id.text("dev"),
  product_id: optional(
    Schema.String,
    "The product of the seat, if it is a further product of the license."
  ),
  process_id: optional(
    Schema.String,
    "The process that holds the seat, where each process has one and it gave its name."
  ),
  status: LeaseStatus,
  checked_out_at: field(Timestamp, "Time when the seat was checked out."),
  last_heartbeat_at: optional(Timestamp, "Time of the last heartbeat of the holder."),
  expires_at: field(Timestamp, "Time when the seat becomes free without a heartbeat."),
  ended_at: optional(Timestamp, "Time when the seat became free; absent while it is in use.")
}).annotate({
  identifier: "FloatingLease",
  description: "A floating seat, as management sees it.",
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

/** What a lease was taken by, as it is signed: only where that is not the device. */
const unit = {
  lease_unit: optional(
    LeaseUnit,
    "`process` if each process of a device takes its seat; absent if the device takes one."
  )
}

const token = "csl_4f9Yq0V7mZ2nK8sD1xT6bL3wR5hJ0cG9aPuEiOyQkXr"

/** Heartbeat and checkin: the lease by its newest token. */
export const LeaseRequest = Schema.Struct({
  lease_token: field(
    text(1, 255),
    "The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest."
  ),
  user_token: optional(
    text(1, userTokenLength),
    "The `user_token` of the person who is signed in. Required for a heartbeat if the license has users."
  ),
  nonce: optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot " +
      "be replayed to you. Alternative: the header x-nonce."
  )
}).annotate({
  identifier: "FloatingLeaseRequest",
  description: "A floating seat, identified by its newest token.",
  examples: [{ lease_token: token }]
})
export type LeaseRequest = typeof LeaseRequest.Type

const example = { ...subjectExample, lease_expires_at: "2026-11-21T10:45:00.000Z" }

/** What checkout answers, signed. */
export const Checkout = Schema.Struct({
  ...subject,
  lease_token: field(
    Schema.String,
    "The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest."
  ),
  lease_expires_at: field(Timestamp, "Time when the seat becomes free without a heartbeat."),
  ...unit,
  features: field(Schema.Array(FeatureEntitlement), "The features that the license grants."),
  custom_fields: Schema.optionalKey(SignedFields),
  version_eligibility: Schema.optionalKey(VersionEligibility),
  overage: Schema.optionalKey(Overage)
}).annotate({
  identifier: "FloatingCheckoutResponseData",
  description: "A floating seat that was checked out, and what it grants.",
  examples: [{ ...example, lease_token: token, features: [] }]
})
export type Checkout = typeof Checkout.Type

/** What heartbeat and checkin answer, signed. A heartbeat carries the token to use from now on. */
export const LeaseAnswer = Schema.Struct({
  ...subject,
  lease_token: optional(
    Schema.String,
    "The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest."
  ),
  lease_expires_at: field(Timestamp, "Time when the seat becomes free without a heartbeat."),
  ...unit,
  features: optional(Schema.Array(FeatureEntitlement), "The features that the license grants."),
  custom_fields: Schema.optionalKey(SignedFields),
  version_eligibility: Schema.optionalKey(VersionEligibility)
}).annotate({
  identifier: "FloatingLeaseResponseData",
  description: "A floating seat after a heartbeat or a checkin.",
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
  ...(token === undefined ? {} : {
    lease_token: token,
    ...(snapshot.lease_unit === "process" ? { lease_unit: snapshot.lease_unit } : {}),
    ...grantsOf(snapshot, appVersion)
  })
})

/** The rule that says what takes a floating seat. */
interface Unit {
  readonly lease_unit?: Rules["lease_unit"] | undefined
}

/** Who checks out, beside the device. */
interface Caller {
  readonly process_id?: string | undefined
}

/** What a lease is of, beside its device: its process by the terms, and empty for the device or a process without a name. */
export const processOf = ({ lease_unit }: Unit, { process_id = "" }: Caller): string =>
  lease_unit === "process" ? process_id : ""

/**
 * The lease that a checkout keeps, of those that its device holds, the newest first. By the terms it is that of the process
 * or of the device. A device whose processes had leases before the terms said otherwise keeps that of this process, or
 * the newest; the others go on until they end.
 */
export const heldBy = <Lease extends { readonly process_id: string }>(
  held: ReadonlyArray<Lease> | undefined,
  unit: Unit,
  { process_id = "" }: Caller
): Lease | undefined => {
  const own = held?.find((lease) => lease.process_id === process_id)
  return own === undefined && unit.lease_unit !== "process" ? held?.[0] : own
}

/** A lease as it stands at an instant. */
export interface StandingLease {
  readonly process_id: string
  readonly live: boolean
}

const standing = (lease: StandingLease | undefined): LeaseStanding =>
  lease === undefined ? "unknown" : lease.live ? "live" : "expired"

/**
 * How the lease stands that a call is about, of those of its device, and whether any of them lives. A heartbeat and a checkin
 * are known by their token, which nobody has here: they are about the lease of the process that is named, or any.
 */
export const standingOfLeases = (
  held: ReadonlyArray<StandingLease>,
  unit: Unit,
  { operation = "validate", process_id }: Caller & { readonly operation?: RuntimeOperation | undefined }
): { readonly lease: LeaseStanding; readonly isAnyLive: boolean } => {
  const living = held.find(({ live }) => live)
  const isNamed = operation === "checkout" || process_id !== undefined
  const lease = isNamed ? heldBy(held, unit, { process_id }) : living ?? held[0]
  return { lease: standing(lease), isAnyLive: living !== undefined }
}
