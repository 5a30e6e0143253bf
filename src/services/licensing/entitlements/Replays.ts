import { Context, Effect, Layer } from "effect"
import type { LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import type { HeldSeat, SeatOffered } from "../../../domain/licensing/entitlements/Activation.ts"
import { decideReplay } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals, RuntimeWrite } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import type { ConsumeRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import { readSelfService } from "../../catalog/terms/FeatureTerms.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { knownAs, knownComponents, namedComponents } from "../licenses/DeviceBindings.ts"
import { EntitlementState, leaseTokenHash, licenseQuestion, questionOf } from "./EntitlementState.ts"
import type { RuntimeCredential } from "./EntitlementState.ts"
import { listOfflineDevices, listSeatHolders, updateCounters } from "./SeatSql.ts"
import type { SeatWanted } from "./SeatSql.ts"

/** Reads {@link SeatOffered}, by license: of each license one seat is wanted, now or at an instant. */
export const readSeatsOffered = (
  sql: Database,
  wanted: ReadonlyArray<SeatWanted>,
  at?: Date
): Effect.Effect<ReadonlyMap<string, SeatOffered>> => {
  const licenseIds = wanted.map(({ licenseId }) => licenseId)
  return Effect.map(
    Effect.all([
      readSelfService(sql, licenseIds, at),
      listSeatHolders(sql, wanted, at)
    ]),
    ([terms, holders]) => {
      const byLicense = new Map(holders.map((holder) => [holder.license_id, holder]))
      return new Map(
        [...terms].map(([id, selfService]) => {
          const holder = byLicense.get(id)
          return [id, {
            selfService,
            kind: holder?.binding_kind,
            ownerId: holder?.owner_id ?? undefined,
            offlineUntil: holder?.offline_until?.getTime()
          }]
        })
      )
    }
  )
}

/** Reads the seats of licenses, by license, that stay taken after their devices gave them back: now, or at an instant. */
export const readHeldSeats = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  at?: Date
): Effect.Effect<ReadonlyMap<string, ReadonlyArray<HeldSeat>>> =>
  licenseIds.length === 0
    ? Effect.succeed(new Map())
    : Effect.map(listOfflineDevices(sql, licenseIds, at), (devices) =>
      new Map(
        [...Map.groupBy(devices.filter(({ seated }) => !seated), ({ license_id }) => license_id)].map(([id, rows]) => [
          id,
          rows.map((row) => ({ deviceId: row.device_id, kind: row.binding_kind, until: row.until.getTime() }))
        ])
      ))

/** By how much the counters of a license change. */
interface SeatChange {
  readonly devices: number
  readonly activations: number
}

/** The counters of licenses, as decisions change them one after the other. */
export class SeatCounts {
  readonly #licenses: Map<string, License>
  readonly #changes = new Map<string, SeatChange>()

  constructor(licenses: ReadonlyMap<string, License>) {
    this.#licenses = new Map(licenses)
  }

  /** The license as the decisions so far leave it. */
  of(licenseId: string): License {
    return this.#licenses.get(licenseId)!
  }

  /** Changes the counters; answers the license after that. */
  change(licenseId: string, { activations, devices }: SeatChange, at: Date): License {
    const before = this.of(licenseId)
    const sum = this.#changes.get(licenseId) ?? { devices: 0, activations: 0 }
    this.#changes.set(licenseId, { devices: sum.devices + devices, activations: sum.activations + activations })
    const after = {
      ...before,
      active_device_count: before.active_device_count + devices,
      times_activated: before.times_activated + activations,
      updated_at: at.toISOString()
    }
    this.#licenses.set(licenseId, after)
    return after
  }

  /** Notes a seat that another statement frees, so that later events show it. */
  freed(licenseId: string): void {
    const before = this.of(licenseId)
    this.#licenses.set(licenseId, { ...before, active_device_count: before.active_device_count - 1 })
  }

  /** Notes what else a call has changed of a license, so that later events show it. */
  amend(licenseId: string, started: Started): void {
    const { activate_before: _until, awaits_activation: _awaits, expires_at: _end, ...before } = this.of(licenseId)
    const { expires_at, maintenance_expires_at, starts_at } = started
    this.#licenses.set(licenseId, {
      ...before,
      starts_at,
      ...(expires_at === null ? {} : { expires_at }),
      ...(maintenance_expires_at === null ? {} : { maintenance_expires_at }),
      entitlement_version: before.entitlement_version + 1
    })
  }

  /** Writes the changes. The licenses are locked. */
  written(sql: Database): Effect.Effect<void> {
    return Effect.asVoid(updateCounters(
      sql,
      [...this.#changes].map(([licenseId, { activations, devices }]) => ({
        licenseId,
        devices,
        activations,
        at: new Date(this.of(licenseId).updated_at)
      }))
    ))
  }
}

type Judge<Request, Judged extends RuntimeWrite> = <Operation extends Judged>(
  operation: Operation,
  credential: RuntimeCredential,
  request: Request
) => Effect.Effect<void, Refusals[Operation] | LicenseKeyInvalid>

/**
 * Judges stored answers before they are replayed, because an app believes what is signed. Each function fails as the
 * request would fail today, by the state of license, policy and device. Seats, quotas and leases are not judged: what
 * the first request took of them, it keeps.
 */
export class Replays extends Context.Service<Replays, {
  readonly judge: Judge<RuntimeRequest, "activate" | "deactivate" | "offline" | "checkout" | "refund">
  readonly judgeUse: Judge<ConsumeRequest, "consume">
  /** Judges the giving back of a seat. */
  readonly judgeRelease: (
    credential: RuntimeCredential
  ) => Effect.Effect<void, Refusals["release"] | LicenseKeyInvalid>
  readonly judgeLease: Judge<LeaseRequest, "heartbeat" | "checkin">
}>()("countersign/services/licensing/entitlements/Replays") {
  static readonly layer = Layer.effect(
    Replays,
    Effect.gen(function*() {
      const sql = yield* Database
      const snapshots = yield* EntitlementState
      const vault = yield* Vault

      return Replays.of({
        judge: Effect.fnUntraced(function*(operation, credential, request) {
          const question = questionOf(credential, request)
          const snapshot = yield* snapshots.read(question)
          const deviceRequest = { licenseId: snapshot.license_id, request }
          // A device that was known by its components may have another fingerprint by now.
          const known = snapshot.device_id === null
            ? knownAs(deviceRequest, yield* knownComponents(sql, namedComponents(deviceRequest))).binding
            : question.binding
          yield* Effect.fromResult(decideReplay(
            operation,
            known.key === question.binding.key ? snapshot : yield* snapshots.read({ ...question, binding: known }),
            request
          ))
        }),
        judgeUse: Effect.fnUntraced(function*(operation, credential, request) {
          const snapshot = yield* snapshots.read(questionOf(credential, request))
          const feature = snapshot.features?.find(({ code }) => code === request.feature_code)
          yield* Effect.fromResult(decideReplay(operation, snapshot, request, {
            consumption: { entitled: feature?.enabled === true, remaining: undefined, amount: 0 }
          }))
        }),
        judgeRelease: Effect.fnUntraced(function*(credential) {
          const snapshot = yield* snapshots.read(licenseQuestion(credential))
          const selfService = (yield* readSelfService(sql, [snapshot.license_id])).get(snapshot.license_id)!
          yield* Effect.fromResult(
            decideReplay("release", snapshot, {}, { selfService: { ...selfService, holdsSeat: false } })
          )
        }),
        judgeLease: Effect.fnUntraced(function*(operation, credential, { lease_token, user_token }) {
          // After later heartbeats the lease does not know this token any more; then there is no device to judge.
          const snapshot = yield* snapshots.readLease(credential, leaseTokenHash(vault, lease_token), user_token)
          yield* Effect.fromResult(decideReplay(operation, snapshot, {}, {
            bindingKind: snapshot.binding_kind,
            isVm: snapshot.is_vm
          }))
        })
      })
    })
  )
}
