import { Context, Effect, Layer, Scheduler } from "effect"
import type { SqlClient } from "effect/sql"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { Snapshot } from "../../domain/entitlements/Snapshot.ts"
import { isLeaseToken } from "../../domain/security/Credential.ts"
import { failing, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { FairShares } from "../admission/FairShare.ts"
import { KnownCredentials } from "../admission/KnownCredentials.ts"
import { Database } from "../persistence/Database.ts"
import { QuestionSql } from "../platform/QuestionSql.ts"
import type { Vault } from "../security/Vault.ts"
import {
  leaseSnapshotQuery,
  lockFreeQuery,
  lockQuery,
  snapshotQuery,
  snapshotsQuery,
  versionSnapshotQuery
} from "./EntitlementStateSql.ts"
import type { LeaseSnapshot, LockedRow, QuestionSnapshot } from "./EntitlementStateSql.ts"

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

/** The hash that a lease is found by; of what cannot be a token, one that no lease has. */
export const leaseTokenHash = ({ keyedHash }: Vault["Service"], token: string): Uint8Array =>
  isLeaseToken(token) ? keyedHash("lease-token-hash", token) : new Uint8Array(32)

/** The refusal of a key that no license has. */
export const unknownKey = failing(LicenseKeyInvalid, "No license has this key.")

/** Locks and reads the state that a runtime call is decided on and answered from. */
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
}>()("countersign/services/entitlements/EntitlementState") {
  static readonly layer = Layer.effect(
    EntitlementState,
    Effect.gen(function*() {
      const sql = yield* Database
      const known = yield* KnownCredentials
      const questions = yield* QuestionSql
      const shares = yield* FairShares

      // Requests arrive one socket after the other, and each would make a write to the database of its own. Those that
      // wait for the end of the turn share one: a fifth more requests a second under 64 callers.
      const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
      const together = Effect.callback<void>((resume) => dispatcher.scheduleTask(() => resume(Effect.void), 0))

      const lock = (credential: RuntimeCredential) =>
        Effect.asVoid(sql`
          SELECT 1 FROM licenses l JOIN license_keys k ON k.license_id = l.id
          WHERE k.key_hash = ${credential.keyHash} FOR NO KEY UPDATE OF l`)

      const lockAll = (credentials: ReadonlyArray<RuntimeCredential>, { wait }: { readonly wait: boolean }) =>
        Effect.map(
          sql.unsafe<LockedRow>(wait ? lockQuery : lockFreeQuery, [credentials.map(({ keyHash }) => keyHash)]),
          (rows) => rows.map(({ key_hash }) => key_hash)
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
        const [row] = yield* Effect.orDie(ask(sql.client, credential, binding, appVersion))
        return yield* found(credential, row)
      })

      const readAll = (questions: ReadonlyArray<SnapshotQuestion>) =>
        Effect.map(
          sql.unsafe<QuestionSnapshot>(snapshotsQuery, [
            questions.map(({ binding }) => binding.kind),
            questions.map(({ binding }) => binding.key),
            questions.map(({ credential }) => credential.keyHash),
            questions.map(({ appVersion }) => appVersion ?? "")
          ]),
          (rows) => {
            const found: Array<Snapshot | undefined> = questions.map(() => undefined)
            for (const { question, ...snapshot } of rows) found[question - 1] = snapshot
            return found
          }
        )

      const readLease = Effect.fnUntraced(function*(credential: RuntimeCredential, tokenHash: Uint8Array) {
        const [row] = yield* sql.unsafe<LeaseSnapshot>(leaseSnapshotQuery, [tokenHash, credential.keyHash])
        return yield* found(credential, row)
      })

      return EntitlementState.of({ lock, lockAll, read, readLocked, readAll, readLease })
    })
  )
}
