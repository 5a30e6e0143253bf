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

/** The keyed hash of the license key that a caller presented. */
export interface RuntimeCredential {
  readonly keyHash: Uint8Array
}

/** Names a snapshot to read: of which license, for which device, for which version of the product. */
export interface SnapshotQuestion {
  readonly credential: RuntimeCredential
  readonly binding: DeviceBinding
  readonly appVersion: string | undefined
}

/** The hash that finds the lease of a token. Text that cannot be a token gets a hash that no lease has. */
export const leaseTokenHash = ({ keyedHash }: Vault["Service"], token: string): Uint8Array =>
  isLeaseToken(token) ? keyedHash("lease-token-hash", token) : new Uint8Array(32)

/** The refusal of a license key that is unknown. */
export const unknownKey = failing(LicenseKeyInvalid, "No license has this key.")

/** Locks and reads the state that a runtime call is decided by and answered from. */
export class EntitlementState extends Context.Service<EntitlementState, {
  /** Locks the license of a key until the surrounding transaction ends. An unknown key locks nothing. */
  readonly lock: (credential: RuntimeCredential) => Effect.Effect<void>
  /**
   * Locks the licenses of many keys, ordered by id so that callers cannot deadlock. Without `wait`, licenses that
   * another transaction has locked are skipped. Answers the key hashes of the licenses that this transaction holds.
   */
  readonly lockAll: (
    credentials: ReadonlyArray<RuntimeCredential>,
    options: { readonly wait: boolean }
  ) => Effect.Effect<ReadonlyArray<Uint8Array>>
  readonly read: (
    credential: RuntimeCredential,
    binding: DeviceBinding,
    /** The version that the caller runs, if it says so; looked up among the versions of the product. */
    appVersion: string | undefined
  ) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** Locks the license, then reads. No other call can change what was read until the surrounding transaction ends. */
  readonly readLocked: (
    credential: RuntimeCredential,
    binding: DeviceBinding,
    appVersion: string | undefined
  ) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** Reads many snapshots in one statement. Answers them in the order of the questions, undefined for unknown keys. */
  readonly readAll: (
    questions: ReadonlyArray<SnapshotQuestion>
  ) => Effect.Effect<ReadonlyArray<Snapshot | undefined>>
  /** Reads the snapshot for the holder of a lease token, by the hash of the token. */
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

      // Each request would write to the database's socket on its own. Requests of one turn of the event loop wait for
      // its end and share a write, which serves a fifth more requests a second at 64 concurrent callers.
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

      /** Answers the row that a key found, and remembers that the key is known; fails where it found none. */
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
