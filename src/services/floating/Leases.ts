import { Context, Effect, Layer } from "effect"
import type { LeaseStanding, Refusals } from "../../domain/entitlements/Decision.ts"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import { Lease } from "../../domain/entitlements/Lease.ts"
import type { LeaseRequest } from "../../domain/entitlements/Lease.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { decide } from "../../domain/entitlements/Snapshot.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import { formatLeaseToken } from "../../domain/security/Credential.ts"
import type { InvalidCursor, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { failing, LeaseExpired, NotFound } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState, leaseTokenHash } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import type { LeaseSnapshot } from "../entitlements/EntitlementStateSql.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor, licenseActor } from "../events/Provenance.ts"
import { Devices } from "../licenses/Devices.ts"
import { LeaseClosing, leaseColumns } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { keysetPage } from "../persistence/KeysetPagination.ts"
import { rowReader, toWire } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { Vault } from "../security/Vault.ts"
import { expiryFrom, extendQuery, openLeaseQuery, otherLeasesQuery, rotateQuery } from "./LeaseSql.ts"
import type { ExtendedRow, OpenLease, OtherLeases } from "./LeaseSql.ts"

const readLease = rowReader(Lease)

/** The standing of the lease whose token the caller presented. */
const standingOf = (snapshot: LeaseSnapshot): LeaseStanding => {
  if (snapshot.lease_id === null || !snapshot.lease_token_live) return "unknown"
  if (snapshot.lease_end_reason !== null) return snapshot.lease_end_reason === "expired" ? "expired" : "unknown"
  return snapshot.lease_expires_at.getTime() > snapshot.now.getTime() ? "live" : "expired"
}

/**
 * Floating seats: taken by a checkout, kept by heartbeats, given back by a checkin, and freed when the lease expires.
 * Seats are given out under the row lock of the license, and every deadline is judged on the database's clock.
 */
export class Leases extends Context.Service<Leases, {
  /**
   * Takes a seat and binds the device; k seats admit exactly k of any number of callers. A device that holds a seat
   * keeps it and gets a new token.
   */
  readonly checkout: (
    credential: RuntimeCredential,
    request: RuntimeRequest
  ) => Effect.Effect<SignedAnswer, Refusals["checkout"] | LicenseKeyInvalid>
  /** Keeps the seat for another period, and answers the token to use next. */
  readonly heartbeat: (
    credential: RuntimeCredential,
    request: LeaseRequest
  ) => Effect.Effect<SignedAnswer, Refusals["heartbeat"] | LicenseKeyInvalid>
  /** Gives the seat back, whatever state the license is in. */
  readonly checkin: (
    credential: RuntimeCredential,
    request: LeaseRequest
  ) => Effect.Effect<SignedAnswer, Refusals["checkin"] | LicenseKeyInvalid>
  /** Lists leases, newest first; `live` selects those that hold a seat now, or with false those that do not. */
  readonly list: (
    licenseId: string,
    filters: { readonly live?: boolean },
    page: PageRequest
  ) => Effect.Effect<Page<Lease>, NotFound | InvalidCursor>
  /** Ends a lease on behalf of its holder. Repeatable. */
  readonly release: (licenseId: string, leaseId: string) => Effect.Effect<Lease, NotFound>
}>()("countersign/services/floating/Leases") {
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const devices = yield* Devices
      const endings = yield* LeaseClosing
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const snapshots = yield* EntitlementState
      const vault = yield* Vault
      const columns = sql.literal(leaseColumns)

      // Tokens are derived and not stored, so that the retry of a heartbeat whose answer got lost gets the same token.
      const tokenOf = (leaseId: string, generation: bigint | number) =>
        formatLeaseToken(vault.keyedHash("lease-token", `${leaseId}:${generation}`))
      const hashOf = (token: string) => leaseTokenHash(vault, token)

      const from = sql.literal(expiryFrom)

      const open = Effect.fnUntraced(function*(snapshot: Snapshot, device: Device) {
        const id = identifiers.next("lease")
        const token = tokenOf(id, 1)
        const rows = yield* sql`
          INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at)
          VALUES (${id}, ${snapshot.license_id}, ${device.id}, ${hashOf(token)}, ${from}, ${from},
            ${from} + make_interval(mins => ${snapshot.floating_timeout_minutes}::int))
          RETURNING ${columns}`
        const lease = toWire<Lease>(rows[0]!)
        yield* events.append({
          type: "lease.checked_out",
          resourceId: id,
          data: { ...lease, device },
          metadata: { license_id: lease.license_id, device_id: device.id },
          personal: ["/data/device/hostname", "/data/device/ip_address"],
          actor: licenseActor(lease.license_id)
        })
        return { token, expiresAt: new Date(lease.expires_at) }
      })

      /** Extends a live lease and replaces its token; undefined if the lease was changed since it was read. */
      const rotate = (snapshot: Snapshot, lease: OpenLease) => {
        const token = tokenOf(lease.id, lease.generation + 1n)
        return Effect.map(
          sql.unsafe<ExtendedRow>(rotateQuery, [
            hashOf(token),
            snapshot.floating_timeout_minutes,
            lease.id,
            lease.generation
          ]),
          ([row]) => row && { token, expiresAt: row.expires_at }
        )
      }

      /** The same for a holder that missed the newest token: answers that token again. */
      const extend = (snapshot: Snapshot, lease: OpenLease) =>
        Effect.map(
          sql.unsafe<ExtendedRow>(extendQuery, [snapshot.floating_timeout_minutes, lease.id, lease.generation]),
          ([row]) => row && { token: tokenOf(lease.id, lease.generation), expiresAt: row.expires_at }
        )

      const checkout = Effect.fn("Leases.checkout")((credential: RuntimeCredential, request: RuntimeRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const binding = bindingOf(request)
            const snapshot = yield* snapshots.readLocked(credential, binding, request.app_version)
            yield* endings.endExpired(snapshot.license_id)
            // Every lease that is open now takes a seat, even if it expires before this call is decided.
            const [seats] = yield* sql.unsafe<OtherLeases>(otherLeasesQuery, [snapshot.license_id, snapshot.device_id])
            // Locked, because heartbeats do not lock the license: one could replace the token before this call does.
            const [mine] = yield* sql.unsafe<OpenLease>(openLeaseQuery, [snapshot.license_id, snapshot.device_id])
            yield* decide("checkout", snapshot, request, {
              lease: mine === undefined ? "unknown" : "live",
              otherLiveLeases: seats!.others
            })
            const kept = mine === undefined ? undefined : yield* rotate(snapshot, mine)
            if (mine !== undefined && kept === undefined) yield* endings.endExpired(snapshot.license_id)
            const device = yield* devices.bind(snapshot, request, binding, { floating: true })
            const lease = kept ?? (yield* open(snapshot, device))
            return yield* answers.lease(snapshot, { deviceId: device.id, binding, request }, lease)
          })
        )
      )

      const heartbeat = Effect.fn("Leases.heartbeat")(function*(credential: RuntimeCredential, request: LeaseRequest) {
        const tokenHash = hashOf(request.lease_token)
        // A concurrent heartbeat with the same token may replace it first. Read again then, as a retry would.
        for (let attempt = 1; attempt <= 3; attempt++) {
          const snapshot = yield* snapshots.readLease(credential, tokenHash)
          const binding = { kind: snapshot.binding_kind, key: snapshot.binding_key }
          yield* decide("heartbeat", snapshot, {}, {
            lease: standingOf(snapshot),
            bindingKind: binding.kind,
            isVm: snapshot.is_vm
          })
          const lease = { id: snapshot.lease_id!, generation: snapshot.lease_generation }
          const kept = yield* (snapshot.lease_token_current ? rotate(snapshot, lease) : extend(snapshot, lease))
          if (kept !== undefined) {
            return yield* answers.lease(snapshot, { deviceId: snapshot.device_id!, binding, request }, kept)
          }
        }
        return yield* failing(LeaseExpired, "The lease ran out while it was extended. Check out anew.")
      })

      const checkin = Effect.fn("Leases.checkin")((credential: RuntimeCredential, request: LeaseRequest) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* snapshots.lock(credential)
            const snapshot = yield* snapshots.readLease(
              credential,
              hashOf(request.lease_token)
            )
            yield* decide("checkin", snapshot, {}, { lease: standingOf(snapshot) })
            const ended = yield* endings.end(
              { licenseId: snapshot.license_id, leaseId: snapshot.lease_id! },
              "checked_in"
            ).pipe(Effect.provideService(CurrentActor, licenseActor(snapshot.license_id)))
            const lease = ended[0]
            if (lease?.ended_at === undefined) {
              return yield* failing(LeaseExpired, "The lease ran out just now. Check out anew.")
            }
            return yield* answers.lease(
              snapshot,
              {
                deviceId: snapshot.device_id!,
                binding: { kind: snapshot.binding_kind, key: snapshot.binding_key },
                request
              },
              { token: undefined, expiresAt: new Date(lease.ended_at) }
            )
          })
        )
      )

      const list = Effect.fn("Leases.list")((
        licenseId: string,
        filters: { readonly live?: boolean },
        page: PageRequest
      ) =>
        Effect.andThen(
          licenses.get(licenseId),
          keysetPage({
            list: "leases",
            filters: { licenseId, ...filters },
            page,
            rows: (after, limit) =>
              sql`
                SELECT ${columns} FROM leases WHERE license_id = ${licenseId}
                  ${filters.live === true ? sql`AND ended_at IS NULL AND expires_at > clock_timestamp()` : sql``}
                  ${filters.live === false ? sql`AND (ended_at IS NOT NULL OR expires_at <= clock_timestamp())` : sql``}
                  ${after === undefined ? sql`` : sql`AND id < ${after}`}
                ORDER BY id DESC LIMIT ${limit}`.pipe(Effect.map((rows) => rows.map(readLease)))
          })
        )
      )

      const release = Effect.fn("Leases.release")((licenseId: string, leaseId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* sql`SELECT 1 FROM licenses WHERE id = ${licenseId} FOR NO KEY UPDATE`
            yield* endings.end({ licenseId, leaseId }, "released")
            const rows = yield* sql`
              SELECT ${columns} FROM leases WHERE license_id = ${licenseId} AND id = ${leaseId}`
            return rows[0] === undefined
              ? yield* failing(NotFound, "The license has no lease with this id.")
              : readLease(rows[0])
          })
        )
      )

      return Leases.of({ checkout, heartbeat, checkin, list, release })
    })
  )
}
