import { Context, Effect, Layer, Result } from "effect"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { Lease } from "../../../domain/licensing/entitlements/Lease.ts"
import type { LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import type { CheckoutRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { granted } from "../../../domain/evidence/recording/DecidedCalls.ts"
import type { InvalidCursor, LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { failing, LeaseExpired, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import type { SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { lockLicense } from "../licenses/LicenseSql.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { inTransaction } from "../../ground/persistence/Transaction.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { DecidedCalls } from "../sightings/DecidedCalls.ts"
import { makeCheckins, standingOf } from "./Checkins.ts"
import { makeCheckouts } from "./Checkouts.ts"
import { leaseCall } from "./LeaseCalls.ts"
import { makeLeaseExtensions } from "./LeaseExtensions.ts"
import { findLease, leaseConditions, listLeases } from "./LeaseSql.ts"
import type { OpenLease } from "./LeaseSql.ts"
import { makeLeaseTokens } from "./LeaseTokens.ts"

const readLease = rowReader(Lease)

/**
 * Floating seats: taken by a checkout, kept by heartbeats, given back by a checkin, and freed when the lease expires.
 * Seats are given out under the row lock of the license, and every deadline is judged on the database's clock.
 */
export class Leases extends Context.Service<Leases, {
  /**
   * Takes a seat and binds the device; k seats admit exactly k of any number of callers. A device that holds a seat, or
   * by the terms a process, keeps it and gets a new token.
   */
  readonly checkout: SubmitWrite<CheckoutRequest, Refusals["checkout"]>
  /** Keeps the seat for another period, and answers the token to use next. */
  readonly heartbeat: (
    credential: RuntimeCredential,
    request: LeaseRequest
  ) => Effect.Effect<SignedAnswer, Refusals["heartbeat"] | LicenseKeyInvalid>
  /** Gives the seat back, whatever state the license is in. */
  readonly checkin: SubmitWrite<LeaseRequest, Refusals["checkin"]>
  /** Lists leases, newest first; `live` selects those that hold a seat now, or with false those that do not. */
  readonly list: (
    licenseId: string,
    filters: { readonly live?: boolean },
    page: PageRequest
  ) => Effect.Effect<Page<Lease>, NotFound | InvalidCursor>
  /** Ends a lease on behalf of its holder. Repeatable. */
  readonly release: (licenseId: string, leaseId: string) => Effect.Effect<Lease, NotFound>
}>()("countersign/services/licensing/floating/Leases") {
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const calls = yield* DecidedCalls
      const endings = yield* LeaseClosing
      const extensions = yield* makeLeaseExtensions
      const licenses = yield* Licenses
      const snapshots = yield* EntitlementState
      const tokens = yield* makeLeaseTokens
      const checkout = yield* makeCheckouts
      const checkin = yield* makeCheckins

      /** Extends a live lease and replaces its token; undefined if the lease was changed since it was read. */
      const rotate = (snapshot: Snapshot, lease: OpenLease) => {
        const token = tokens.of(lease.id, lease.generation + 1n)
        return Effect.map(
          extensions({ lease, minutes: snapshot.floating_timeout_minutes, next: tokens.hash(token) }),
          (expiresAt) => expiresAt && { token, expiresAt }
        )
      }

      /** The same for a holder that missed the newest token: answers that token again. */
      const extend = (snapshot: Snapshot, lease: OpenLease) =>
        Effect.map(
          extensions({ lease, minutes: snapshot.floating_timeout_minutes, next: undefined }),
          (expiresAt) => expiresAt && { token: tokens.of(lease.id, lease.generation), expiresAt }
        )

      const heartbeat = Effect.fn("Leases.heartbeat")(function*(credential: RuntimeCredential, request: LeaseRequest) {
        const tokenHash = tokens.hash(request.lease_token)
        // A concurrent heartbeat with the same token may replace it first. Read again then, as a retry would.
        for (let attempt = 1; attempt <= 3; attempt++) {
          const snapshot = yield* snapshots.readLease(credential, tokenHash, request.user_token)
          const binding = { kind: snapshot.binding_kind, key: snapshot.binding_key }
          const decision = decide("heartbeat", snapshot, {}, {
            lease: standingOf(snapshot),
            bindingKind: binding.kind,
            isVm: snapshot.is_vm
          })
          const call = { ...leaseCall("heartbeat", snapshot), snapshot }
          if (Result.isFailure(decision)) {
            calls.record({ ...call, result: decision.failure._tag })
            return yield* decision.failure
          }
          const lease = { id: snapshot.lease_id!, generation: snapshot.lease_generation }
          const kept = yield* (snapshot.lease_token_current ? rotate(snapshot, lease) : extend(snapshot, lease))
          if (kept !== undefined) {
            calls.record({ ...call, result: granted })
            return yield* answers.lease(snapshot, { deviceId: snapshot.device_id!, binding, request }, kept)
          }
        }
        return yield* failing(LeaseExpired, "The lease expired before it could be extended. Check out a new one.")
      }, decided("heartbeat"))

      const list = Effect.fn("Leases.list")((
        licenseId: string,
        filters: { readonly live?: boolean },
        page: PageRequest
      ) =>
        Effect.andThen(
          licenses.get(licenseId),
          sortedPage({
            sql,
            list: "leases",
            products: "owned",
            filters: { licenseId, ...filters },
            page,
            conditions: leaseConditions(sql, licenseId, filters.live),
            rows: (clauses, limit) => listLeases(sql, clauses, limit),
            read: readLease
          })
        )
      )

      const release = Effect.fn("Leases.release")((licenseId: string, leaseId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockLicense(sql, licenseId)
            yield* endings.end({ licenseId, leaseId }, "released")
            const [row] = yield* findLease(sql, licenseId, leaseId)
            return row === undefined
              ? yield* failing(NotFound, "The license has no lease with this id.")
              : readLease(row)
          })
        )
      )

      return Leases.of({ checkout, heartbeat, checkin, list, release })
    })
  )
}
