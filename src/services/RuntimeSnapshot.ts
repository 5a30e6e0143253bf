import { Context, Effect, Layer, Random, Scheduler } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { signedJson } from "../domain/CanonicalJson.ts"
import { findings } from "../domain/Decision.ts"
import type { DecisionInput, Refusals, RuntimeOperation } from "../domain/Decision.ts"
import type { DeviceStatus } from "../domain/Device.ts"
import type { DeviceBinding } from "../domain/DeviceBinding.ts"
import { failing, LicenseKeyInvalid } from "../domain/Errors.ts"
import type { LicenseState, LicenseStatus } from "../domain/License.ts"
import { hasNotStarted, servesUntil, statusOf } from "../domain/LicenseStanding.ts"
import type { LicenseType } from "../domain/Policy.ts"
import type { Deactivation, Entitlement, FeatureEntitlement, RuntimeRequest, Signature } from "../domain/Runtime.ts"
import { Cryptography } from "./Cryptography.ts"
import { Signing } from "./Signing.ts"

/** Everything one runtime answer depends on, read in one statement on the database's clock. */
export interface Snapshot {
  readonly now: Date
  readonly kid: string
  readonly license_id: string
  readonly state: LicenseState
  readonly starts_at: Date | null
  readonly expires_at: Date | null
  readonly entitlement_version: bigint
  readonly product_id: string
  readonly product_code: string
  readonly policy_code: string
  readonly license_type: LicenseType
  readonly max_activations: number
  readonly max_container_instances: number | null
  readonly grace_period_days: number
  readonly validation_interval_minutes: number
  readonly allow_vm: boolean
  readonly allow_container: boolean
  readonly device_id: string | null
  readonly device_status: DeviceStatus | null
  readonly features:
    | ReadonlyArray<{
      readonly code: string
      readonly enabled: boolean
      readonly quota: number | null
      readonly consumed: number
    }>
    | null
}

/** A signed answer: the canonical bytes of `data` as text, and the signature over them. */
export interface SignedAnswer {
  readonly data: string
  readonly signature: Signature
}

/** A license key as a caller proved to have it: its keyed hash. */
export interface RuntimeCredential {
  readonly keyHash: Uint8Array
}

/**
 * The one statement behind every runtime answer. Its parameters are the binding's kind and key and the hash of the
 * license key. The benchmark's limit runs the very same text.
 */
export const snapshotQuery = `
  SELECT clock_timestamp() AS now, (SELECT id FROM signing_keys WHERE status = 'active') AS kid,
    l.id AS license_id, l.state, l.starts_at, l.expires_at, l.entitlement_version,
    r.id AS product_id, r.code AS product_code, p.code AS policy_code, p.license_type, p.max_activations,
    p.max_container_instances, p.grace_period_days, p.validation_interval_minutes, p.allow_vm,
    p.allow_container, d.id AS device_id, d.status AS device_status,
    (SELECT json_agg(json_build_object(
        'code', f.code,
        'enabled', a.enabled AND (a.expires_at IS NULL OR a.expires_at > clock_timestamp()),
        'quota', a.max_consumptions, 'consumed', a.total_consumptions) ORDER BY f.code)
      FROM license_features a JOIN features f ON f.id = a.feature_id WHERE a.license_id = l.id) AS features
  FROM licenses l
  JOIN policies p ON p.id = l.policy_id
  JOIN products r ON r.id = l.product_id
  LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = $1 AND d.binding_key = $2
  WHERE l.key_hash = $3`

const minute = 60_000

/** Reads the state a runtime call is answered from, decides, and writes signed answers. */
export class RuntimeSnapshot extends Context.Service<RuntimeSnapshot, {
  readonly read: (
    credential: RuntimeCredential,
    binding: DeviceBinding
  ) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** The status that everyone sees at the snapshot's instant. */
  readonly status: (snapshot: Snapshot) => LicenseStatus
  /** Fails with the finding of highest rank, if there is any. */
  readonly decide: <Operation extends RuntimeOperation>(
    operation: Operation,
    snapshot: Snapshot,
    request: RuntimeRequest,
    more?: Partial<Pick<DecisionInput, "otherActiveDevices" | "consumption">>
  ) => Effect.Effect<void, Refusals[Operation]>
  /** What activate, validate and check answer. */
  readonly entitlement: (
    snapshot: Snapshot & { readonly device_id: string },
    request: RuntimeRequest,
    binding: DeviceBinding
  ) => Effect.Effect<SignedAnswer>
  /** What deactivate answers. */
  readonly deactivation: (
    snapshot: Snapshot & { readonly device_id: string },
    request: RuntimeRequest,
    binding: DeviceBinding
  ) => Effect.Effect<SignedAnswer>
}>()("countersign/services/RuntimeSnapshot") {
  static readonly layer = Layer.effect(
    RuntimeSnapshot,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const signing = yield* Signing

      // Requests arrive one socket after the other, and each would make a write to the database of its own. Those that
      // wait for the end of the turn share one: a fifth more requests a second under 64 callers.
      const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
      const together = Effect.callback<void>((resume) => dispatcher.scheduleTask(() => resume(Effect.void), 0))

      const read = Effect.fnUntraced(function*(credential: RuntimeCredential, binding: DeviceBinding) {
        yield* together
        const parameters = [binding.kind, binding.key, credential.keyHash]
        const rows = yield* Effect.orDie(sql.unsafe<Snapshot>(snapshotQuery, parameters))
        return rows[0] ?? (yield* failing(LicenseKeyInvalid, "No license has this key."))
      })

      const status = (snapshot: Snapshot): LicenseStatus =>
        statusOf({
          state: snapshot.state,
          starts_at: snapshot.starts_at?.getTime(),
          expires_at: snapshot.expires_at?.getTime(),
          grace_period_days: snapshot.grace_period_days,
          now: snapshot.now.getTime()
        })

      const decide = <Operation extends RuntimeOperation>(
        operation: Operation,
        snapshot: Snapshot,
        request: RuntimeRequest,
        more: Partial<Pick<DecisionInput, "otherActiveDevices" | "consumption">> = {}
      ): Effect.Effect<void, Refusals[Operation]> => {
        const found = findings({
          operation,
          status: status(snapshot),
          notStarted: hasNotStarted({ starts_at: snapshot.starts_at?.getTime(), now: snapshot.now.getTime() }),
          productCode: snapshot.product_code,
          requestedProductCode: request.product_code,
          bindingKind: request.is_container === true ? "container" : "hardware",
          isVm: request.is_vm === true,
          deviceStatus: snapshot.device_status ?? undefined,
          otherActiveDevices: 0,
          policy: snapshot,
          ...more
        })
        return found[0] === undefined ? Effect.void : Effect.fail(found[0])
      }

      // Two intervals, so that one missed check does no harm, but never past the end of the license. An answer about a
      // license that has ended (a deactivation) still lives for a minute, or nobody could verify it.
      const validUntil = (snapshot: Snapshot): Date => {
        const end = servesUntil({
          expires_at: snapshot.expires_at?.getTime(),
          grace_period_days: snapshot.grace_period_days
        }) ?? Infinity
        const horizon = snapshot.now.getTime() + 2 * snapshot.validation_interval_minutes * minute
        return new Date(Math.min(horizon, Math.max(end, snapshot.now.getTime() + minute)))
      }

      const subject = (
        snapshot: Snapshot & { readonly device_id: string },
        request: RuntimeRequest,
        binding: DeviceBinding
      ): Deactivation => ({
        license_id: snapshot.license_id,
        status: status(snapshot),
        license_type: snapshot.license_type,
        entitlement_version: Number(snapshot.entitlement_version),
        product_id: snapshot.product_id,
        product_code: snapshot.product_code,
        policy_code: snapshot.policy_code,
        device_id: snapshot.device_id,
        fingerprint_hash: Hex.encode(crypto.sha256(binding.key)),
        issued_at: snapshot.now.toISOString(),
        valid_until: validUntil(snapshot).toISOString(),
        ...(snapshot.expires_at === null ? {} : { expires_at: snapshot.expires_at.toISOString() }),
        ...(request.nonce === undefined ? {} : { nonce: request.nonce })
      })

      const answer = (kid: string, data: Entitlement | Deactivation): Effect.Effect<SignedAnswer> => {
        const text = signedJson(data)
        return Effect.map(signing.sign(kid, text), (signature) => ({ data: text, signature }))
      }

      const feature = (row: NonNullable<Snapshot["features"]>[number]): FeatureEntitlement => ({
        code: row.code,
        ...(row.quota === null ? {} : { consumed: row.consumed }),
        enabled: row.enabled,
        ...(row.quota === null ? {} : { quota: row.quota, remaining: Math.max(0, row.quota - row.consumed) })
      })

      const entitlement = Effect.fnUntraced(function*(
        snapshot: Snapshot & { readonly device_id: string },
        request: RuntimeRequest,
        binding: DeviceBinding
      ) {
        const issued = snapshot.now.getTime()
        const interval = snapshot.validation_interval_minutes * minute
        const valid_until = validUntil(snapshot)
        // Up to a tenth early, so that clients that started together spread out.
        const next = issued + Math.round(interval * (1 - (yield* Random.next) / 10))
        return yield* answer(snapshot.kid, {
          ...subject(snapshot, request, binding),
          next_check_at: new Date(Math.min(next, valid_until.getTime())).toISOString(),
          features: (snapshot.features ?? []).map(feature),
          ...(request.app_version === undefined
            ? {}
            : { version_eligibility: { app_version: request.app_version, is_entitled: true, enforced: false } })
        })
      })

      const deactivation = (
        snapshot: Snapshot & { readonly device_id: string },
        request: RuntimeRequest,
        binding: DeviceBinding
      ) => answer(snapshot.kid, subject(snapshot, request, binding))

      return RuntimeSnapshot.of({ read, status, decide, entitlement, deactivation })
    })
  )
}
