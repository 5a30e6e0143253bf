import { Context, Effect, Layer, Random, Scheduler } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { versionEligibility } from "../../domain/catalog/ProductVersion.ts"
import type { VersionEligibility } from "../../domain/catalog/ProductVersion.ts"
import { findings, standing } from "../../domain/entitlements/Decision.ts"
import type { DecisionInput, Refusals, RuntimeOperation } from "../../domain/entitlements/Decision.ts"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { Deactivation, Entitlement, FeatureEntitlement } from "../../domain/entitlements/Entitlement.ts"
import type { Checkout, LeaseAnswer } from "../../domain/entitlements/Lease.ts"
import type { OfflineEntitlement } from "../../domain/entitlements/Offline.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import type { LicenseStatus } from "../../domain/licenses/License.ts"
import { hasNotStarted, servesUntil, statusOf } from "../../domain/licenses/LicenseStatus.ts"
import { isLeaseToken } from "../../domain/security/Credential.ts"
import { signedJson } from "../../domain/wire/CanonicalJson.ts"
import { failing, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { FairShares } from "../admission/FairShare.ts"
import { KnownCredentials } from "../admission/KnownCredentials.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { QuestionSql } from "../platform/QuestionSql.ts"
import { Signing } from "../security/Signing.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import type { Vault } from "../security/Vault.ts"
import { leaseSnapshotQuery, snapshotQuery, snapshotsQuery, versionSnapshotQuery } from "./EntitlementStateSql.ts"
import type { LeaseSnapshot, Snapshot } from "./EntitlementStateSql.ts"

export type { LeaseSnapshot, Snapshot } from "./EntitlementStateSql.ts"

/** A license key as a caller proved to have it: its keyed hash. */
export interface RuntimeCredential {
  readonly keyHash: Uint8Array
}

/** One question of {@link EntitlementState} among many. */
export interface SnapshotQuestion {
  readonly credential: RuntimeCredential
  readonly binding: DeviceBinding
  readonly appVersion: string | undefined
}

/** A snapshot whose device is known. */
export type DeviceSnapshot = Snapshot & { readonly device_id: string }

/** What a decision needs beside the snapshot and the request. */
export type DecisionMore = Partial<
  Pick<DecisionInput, "otherActiveDevices" | "otherLiveLeases" | "lease" | "consumption" | "bindingKind" | "isVm">
>

/** The hash that a lease is found by; of what cannot be a token, one that no lease has. */
export const leaseTokenHash = ({ keyedHash }: Vault["Service"], token: string): Uint8Array =>
  isLeaseToken(token) ? keyedHash("lease-token-hash", token) : new Uint8Array(32)

/** The refusal of a key that no license has. */
export const unknownKey = failing(LicenseKeyInvalid, "No license has this key.")

const minute = 60_000
const day = 86_400_000

/** Reads the state a runtime call is answered from, decides, and writes signed answers. */
export class EntitlementState extends Context.Service<EntitlementState, {
  /** Locks the license of a key until the surrounding transaction ends; a key that no license has locks nothing. */
  readonly lock: (credential: RuntimeCredential) => Effect.Effect<void>
  /**
   * The same for the licenses of many keys, in an order that no two callers can wait for each other in a circle.
   * Without `wait` those that somebody else has locked are passed over. Answers the hashes of the keys whose licenses
   * are locked now.
   */
  readonly lockAll: (
    credentials: ReadonlyArray<RuntimeCredential>,
    options: { readonly wait: boolean }
  ) => Effect.Effect<ReadonlyArray<Uint8Array>>
  readonly read: (
    credential: RuntimeCredential,
    binding: DeviceBinding,
    /** What the caller runs, to be looked up among the product's versions. */
    appVersion: string | undefined
  ) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** Locks, then reads: what is read is what no other call can change until the surrounding transaction ends. */
  readonly readLocked: (
    credential: RuntimeCredential,
    binding: DeviceBinding,
    appVersion: string | undefined
  ) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** The snapshots of many questions in one statement, in their order; undefined where no license has the key. */
  readonly readAll: (
    questions: ReadonlyArray<SnapshotQuestion>
  ) => Effect.Effect<ReadonlyArray<Snapshot | undefined>>
  /** The snapshot for whoever holds the lease token with this hash. */
  readonly readLease: (
    credential: RuntimeCredential,
    tokenHash: Uint8Array
  ) => Effect.Effect<LeaseSnapshot, LicenseKeyInvalid>
  /** The status that everyone sees at the snapshot's instant. */
  readonly status: (snapshot: Snapshot) => LicenseStatus
  /** Fails with the finding of highest rank, if there is any. */
  readonly decide: <Operation extends RuntimeOperation>(
    operation: Operation,
    snapshot: Snapshot,
    request: RuntimeRequest,
    more?: DecisionMore
  ) => Effect.Effect<void, Refusals[Operation]>
  /** Fails with the finding of highest rank about what stands still: see `standing` of domain/Decision.ts. */
  readonly decideReplay: <Operation extends RuntimeOperation>(
    operation: Operation,
    snapshot: Snapshot,
    request: RuntimeRequest,
    more?: DecisionMore
  ) => Effect.Effect<void, Refusals[Operation]>
  /** What activate, validate, check and consume answer. */
  readonly entitlement: (
    snapshot: DeviceSnapshot,
    request: RuntimeRequest,
    binding: DeviceBinding
  ) => Effect.Effect<SignedAnswer>
  /** What deactivate answers. */
  readonly deactivation: (
    snapshot: DeviceSnapshot,
    request: RuntimeRequest,
    binding: DeviceBinding
  ) => Effect.Effect<SignedAnswer>
  /** What is sealed for a device that goes offline: it may run until the policy's offline grace days are over. */
  readonly offline: (
    snapshot: DeviceSnapshot,
    request: RuntimeRequest,
    binding: DeviceBinding,
    counter: number
  ) => Effect.Effect<SignedAnswer & { readonly validUntil: Date }>
  /** What checkout, heartbeat and checkin answer; with a token also what the license grants. */
  readonly lease: (
    snapshot: DeviceSnapshot,
    request: Pick<RuntimeRequest, "app_version" | "nonce">,
    binding: DeviceBinding,
    lease: { readonly token: string | undefined; readonly expiresAt: Date }
  ) => Effect.Effect<SignedAnswer>
}>()("countersign/services/entitlements/EntitlementState") {
  static readonly layer = Layer.effect(
    EntitlementState,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const crypto = yield* Cryptography
      const known = yield* KnownCredentials
      const questions = yield* QuestionSql
      const shares = yield* FairShares
      const signing = yield* Signing

      // Requests arrive one socket after the other, and each would make a write to the database of its own. Those that
      // wait for the end of the turn share one: a fifth more requests a second under 64 callers.
      const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
      const together = Effect.callback<void>((resume) => dispatcher.scheduleTask(() => resume(Effect.void), 0))

      const lock = (credential: RuntimeCredential) =>
        sql`
          SELECT 1 FROM licenses l JOIN license_keys k ON k.license_id = l.id
          WHERE k.key_hash = ${credential.keyHash} FOR NO KEY UPDATE OF l`.pipe(Effect.asVoid, Effect.orDie)

      const lockAll = (credentials: ReadonlyArray<RuntimeCredential>, { wait }: { readonly wait: boolean }) =>
        sql<{ readonly key_hash: Uint8Array }>`
          SELECT k.key_hash FROM licenses l JOIN license_keys k ON k.license_id = l.id
          WHERE k.key_hash = ANY(${credentials.map(({ keyHash }) => keyHash)}::bytea[])
          ORDER BY l.id FOR NO KEY UPDATE OF l ${wait ? sql`` : sql`SKIP LOCKED`}`.pipe(
          Effect.map((rows) => rows.map(({ key_hash }) => key_hash)),
          Effect.orDie
        )

      const ask = (
        client: SqlClient.SqlClient,
        { keyHash }: RuntimeCredential,
        binding: DeviceBinding,
        appVersion: string | undefined
      ) =>
        appVersion === undefined
          ? client.unsafe<Snapshot>(snapshotQuery, [binding.kind, binding.key, keyHash])
          : client.unsafe<Snapshot>(versionSnapshotQuery, [binding.kind, binding.key, keyHash, appVersion])

      /** The license that was found by a key, which is thereby known to be one. */
      const found = <A extends Pick<Snapshot, "license_id">>({ keyHash }: RuntimeCredential, row: A | undefined) => {
        if (row === undefined) return Effect.fail(unknownKey)
        known.learn(keyHash, row.license_id)
        return Effect.succeed(row)
      }

      const read = Effect.fnUntraced(function*(
        credential: RuntimeCredential,
        binding: DeviceBinding,
        appVersion: string | undefined
      ) {
        yield* together
        const [row] = yield* Effect.orDie(shares.questions.run(ask(questions, credential, binding, appVersion)))
        return yield* found(credential, row)
      })

      const readLocked = Effect.fnUntraced(function*(
        credential: RuntimeCredential,
        binding: DeviceBinding,
        appVersion: string | undefined
      ) {
        yield* lock(credential)
        const [row] = yield* Effect.orDie(ask(sql, credential, binding, appVersion))
        return yield* found(credential, row)
      })

      const readAll = Effect.fnUntraced(function*(questions: ReadonlyArray<SnapshotQuestion>) {
        const rows = yield* sql.unsafe<Snapshot & { readonly question: number }>(snapshotsQuery, [
          questions.map(({ binding }) => binding.kind),
          questions.map(({ binding }) => binding.key),
          questions.map(({ credential }) => credential.keyHash),
          questions.map(({ appVersion }) => appVersion ?? "")
        ])
        const found: Array<Snapshot | undefined> = questions.map(() => undefined)
        for (const { question, ...snapshot } of rows) found[question - 1] = snapshot
        return found
      }, Effect.orDie)

      const readLease = Effect.fnUntraced(function*(credential: RuntimeCredential, tokenHash: Uint8Array) {
        const rows = yield* sql.unsafe<LeaseSnapshot>(leaseSnapshotQuery, [tokenHash, credential.keyHash]).pipe(
          Effect.orDie
        )
        return yield* found(credential, rows[0])
      })

      const status = (snapshot: Snapshot): LicenseStatus =>
        statusOf({
          state: snapshot.state,
          starts_at: snapshot.starts_at?.getTime(),
          expires_at: snapshot.expires_at?.getTime(),
          grace_period_days: snapshot.grace_period_days,
          now: snapshot.now.getTime()
        })

      const inputOf = <Operation extends RuntimeOperation>(
        operation: Operation,
        snapshot: Snapshot,
        request: RuntimeRequest,
        more: DecisionMore = {}
      ) => ({
        operation,
        status: status(snapshot),
        notStarted: hasNotStarted({ starts_at: snapshot.starts_at?.getTime(), now: snapshot.now.getTime() }),
        productCode: snapshot.product_code,
        requestedProductCode: request.product_code,
        bindingKind: request.is_container === true ? "container" as const : "hardware" as const,
        isVm: request.is_vm === true,
        deviceStatus: snapshot.device_status ?? undefined,
        deviceFloating: snapshot.device_floating,
        otherActiveDevices: 0,
        otherLiveLeases: 0,
        lease: "unknown" as const,
        policy: snapshot,
        ...more
      })

      const first = <E>([finding]: ReadonlyArray<E>): Effect.Effect<void, E> =>
        finding === undefined ? Effect.void : Effect.fail(finding)

      const decide: EntitlementState["Service"]["decide"] = (...question) => first(findings(inputOf(...question)))
      const decideReplay: EntitlementState["Service"]["decideReplay"] = (...question) =>
        first(standing(inputOf(...question)))

      // Two intervals, so that one missed check does no harm, but never past the end of the license. An answer about a
      // license that has ended (a deactivation) still lives for a minute, or nobody could verify it.
      const validUntil = (
        snapshot: Snapshot,
        horizon = snapshot.now.getTime() + 2 * snapshot.validation_interval_minutes * minute
      ): Date => {
        const end = servesUntil({
          expires_at: snapshot.expires_at?.getTime(),
          grace_period_days: snapshot.grace_period_days
        }) ?? Infinity
        return new Date(Math.max(Math.min(horizon, end), snapshot.now.getTime() + minute))
      }

      const subject = (
        snapshot: DeviceSnapshot,
        request: Pick<RuntimeRequest, "nonce">,
        binding: DeviceBinding,
        valid_until = validUntil(snapshot)
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
        valid_until: valid_until.toISOString(),
        ...(snapshot.expires_at === null ? {} : { expires_at: snapshot.expires_at.toISOString() }),
        ...(request.nonce === undefined ? {} : { nonce: request.nonce })
      })

      const answer = (
        kid: string,
        data: Entitlement | Deactivation | OfflineEntitlement | Checkout | LeaseAnswer
      ): Effect.Effect<SignedAnswer> => {
        const text = signedJson(data)
        return Effect.map(signing.sign(kid, text), (signature) => ({ data: text, signature }))
      }

      const feature = (row: NonNullable<Snapshot["features"]>[number]): FeatureEntitlement => ({
        code: row.code,
        ...(row.quota === null ? {} : { consumed: row.consumed }),
        enabled: row.enabled,
        ...(row.quota === null ? {} : { quota: row.quota, remaining: Math.max(0, row.quota - row.consumed) })
      })

      const eligibility = (snapshot: Snapshot, appVersion: string): VersionEligibility =>
        versionEligibility({
          appVersion,
          hasVersions: snapshot.has_versions,
          releasedAt: snapshot.version_released_at?.getTime(),
          maintenanceExpiresAt: snapshot.maintenance_expires_at?.getTime(),
          now: snapshot.now.getTime()
        })

      const granted = (snapshot: Snapshot, request: Pick<RuntimeRequest, "app_version">) => ({
        features: (snapshot.features ?? []).map(feature),
        ...(request.app_version === undefined
          ? {}
          : { version_eligibility: eligibility(snapshot, request.app_version) })
      })

      const entitlement = Effect.fnUntraced(function*(
        snapshot: DeviceSnapshot,
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
          ...granted(snapshot, request)
        })
      })

      const deactivation = (snapshot: DeviceSnapshot, request: RuntimeRequest, binding: DeviceBinding) =>
        answer(snapshot.kid, subject(snapshot, request, binding))

      const offline = (
        snapshot: DeviceSnapshot,
        request: RuntimeRequest,
        binding: DeviceBinding,
        offline_counter: number
      ) => {
        const until = validUntil(snapshot, snapshot.now.getTime() + snapshot.offline_grace_days * day)
        return Effect.map(
          answer(snapshot.kid, {
            ...subject(snapshot, request, binding, until),
            next_check_at: until.toISOString(),
            offline_counter,
            ...granted(snapshot, request)
          }),
          (signed) => ({ ...signed, validUntil: until })
        )
      }

      const lease = (
        snapshot: DeviceSnapshot,
        request: Pick<RuntimeRequest, "app_version" | "nonce">,
        binding: DeviceBinding,
        { expiresAt, token }: { readonly token: string | undefined; readonly expiresAt: Date }
      ) =>
        answer(snapshot.kid, {
          // An answer about a lease is good for as long as the lease.
          ...subject(snapshot, request, binding, validUntil(snapshot, expiresAt.getTime())),
          lease_expires_at: expiresAt.toISOString(),
          ...(token === undefined ? {} : { lease_token: token, ...granted(snapshot, request) })
        })

      return EntitlementState.of({
        lock,
        lockAll,
        read,
        readLocked,
        readAll,
        readLease,
        status,
        decide,
        decideReplay,
        entitlement,
        deactivation,
        offline,
        lease
      })
    })
  )
}
