import { Context, Effect, Exit, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { bindingOf, nobody } from "../../domain/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { snapshotOf } from "../../domain/entitlements/Snapshot.ts"
import type { Snapshot, SnapshotRow } from "../../domain/entitlements/Snapshot.ts"
import { isLeaseToken } from "../../domain/security/Credential.ts"
import { unknownKeyHint } from "../../domain/security/CredentialHint.ts"
import { failing, LicenseKeyInvalid } from "../../domain/wire/Errors.ts"
import { KnownCredentials } from "../admission/KnownCredentials.ts"
import { makeQuestionGroups } from "../admission/QuestionGroups.ts"
import { FormerCodes } from "../catalog/FormerCodes.ts"
import { Database } from "../persistence/Database.ts"
import { QuestionSql } from "../platform/QuestionSql.ts"
import type { Vault } from "../security/Vault.ts"
import {
  findLeaseSnapshot,
  findSnapshot,
  listKnownLicenses,
  listLeaseSnapshots,
  listSnapshots,
  lockLicense,
  lockLicenses
} from "./EntitlementStateSql.ts"
import type {
  Answering,
  LeaseQuestion,
  LeaseSnapshot,
  LeaseSnapshotRow,
  LockedRow,
  SnapshotQuestion
} from "./EntitlementStateSql.ts"

/** The keyed hash of the license key that a caller presented. */
export interface RuntimeCredential {
  readonly keyHash: Uint8Array
}

/** The question of a runtime request about a license. */
export const questionOf = (credential: RuntimeCredential, request: RuntimeRequest): SnapshotQuestion => ({
  credential,
  binding: bindingOf(request),
  appVersion: request.app_version,
  productCode: request.product_code
})

/** The question of a call that is about the license alone, and that no device makes. */
export const nobodyAsks = (credential: RuntimeCredential): SnapshotQuestion => ({
  credential,
  binding: nobody,
  appVersion: undefined,
  productCode: undefined
})

/** The hash that finds the lease of a token. Text that cannot be a token gets a hash that no lease has. */
export const leaseTokenHash = ({ keyedHash }: Vault["Service"], token: string): Uint8Array =>
  isLeaseToken(token) ? keyedHash("lease-token-hash", token) : new Uint8Array(32)

/** The refusal of a license key that is unknown. */
export const unknownKey = failing(LicenseKeyInvalid, unknownKeyHint)

/** Sorts the rows of a statement with many questions by what they answer; an unknown key has no row. */
const inOrderOf = <Question, Row extends SnapshotRow, Found>(
  asked: ReadonlyArray<Question>,
  rows: ReadonlyArray<Answering<Row>>,
  read: (row: Row, question: Question) => Found
): ReadonlyArray<Found | undefined> => {
  const answers: Array<Found | undefined> = asked.map(() => undefined)
  for (const row of rows) answers[row.question - 1] = read(row, asked[row.question - 1]!)
  return answers
}

/** The reads of snapshots of a kind: of one question, and of many in one statement. */
interface Reads<Question, Found> {
  readonly one: (sql: SqlClient.SqlClient, question: Question) => Effect.Effect<Found | undefined, SqlError>
  readonly many: (
    sql: SqlClient.SqlClient,
    asked: ReadonlyArray<Question>
  ) => Effect.Effect<ReadonlyArray<Found | undefined>, SqlError>
}

/** Questions that arrive in one turn of the event loop share a statement. */
const askingTogether = <Question, Found>(sql: SqlClient.SqlClient, { many, one }: Reads<Question, Found>) =>
  makeQuestionGroups<Question, Found | undefined>((asked) =>
    asked.length === 1
      ? Effect.map(Effect.exit(one(sql, asked[0]!)), (exit) => [exit])
      : Effect.matchEffect(many(sql, asked), {
        onSuccess: (answers) => Effect.succeed(answers.map(Exit.succeed)),
        // One of them may be at fault, so each gets an answer of its own.
        onFailure: () =>
          Effect.forEach(asked, (question) => Effect.exit(one(sql, question)), { concurrency: "unbounded" })
      })
  )

/** Locks and reads the state that a runtime call is decided by and answered from. */
export class EntitlementState extends Context.Service<EntitlementState, {
  /** Locks the license of a key until the surrounding transaction ends. An unknown key locks nothing. */
  readonly lock: (credential: RuntimeCredential) => Effect.Effect<void>
  /**
   * Locks the licenses of many keys, ordered by id so that callers cannot deadlock. Without `wait`, licenses that
   * another transaction has locked are skipped. Answers the licenses that this transaction holds.
   */
  readonly lockAll: (
    credentials: ReadonlyArray<RuntimeCredential>,
    options: { readonly wait: boolean }
  ) => Effect.Effect<ReadonlyArray<LockedRow>>
  /** The licenses of those of these keys that one has. */
  readonly known: (credentials: ReadonlyArray<RuntimeCredential>) => Effect.Effect<ReadonlyArray<LockedRow>>
  readonly read: (question: SnapshotQuestion) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** Locks the license, then reads. No other call can change what was read until the surrounding transaction ends. */
  readonly readLocked: (question: SnapshotQuestion) => Effect.Effect<Snapshot, LicenseKeyInvalid>
  /** Reads many snapshots in one statement. Answers them in the order of the questions, undefined for unknown keys. */
  readonly readAll: (
    questions: ReadonlyArray<SnapshotQuestion>
  ) => Effect.Effect<ReadonlyArray<Snapshot | undefined>>
  /** The same for leases. */
  readonly readAllLeases: (
    questions: ReadonlyArray<LeaseQuestion>
  ) => Effect.Effect<ReadonlyArray<LeaseSnapshot | undefined>>
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
      const formerCodes = yield* FormerCodes

      /** Notes by which code the app asked, if it is a former one. */
      const noting = <A extends Snapshot>(snapshot: A): A => {
        if (snapshot.has_former_code) formerCodes.asked(snapshot.product_id, snapshot.product_code, snapshot.now)
        return snapshot
      }

      const snapshotFor = (row: SnapshotRow, { productCode }: SnapshotQuestion): Snapshot =>
        noting(snapshotOf(row, { code: productCode }))

      const leaseSnapshotOf = (row: LeaseSnapshotRow): LeaseSnapshot =>
        noting(snapshotOf(row, { id: row.lease_product_id, code: row.lease_product_code }))

      const snapshots: Reads<SnapshotQuestion, Snapshot> = {
        one: (client, question) =>
          Effect.map(findSnapshot(client, question), ([row]) => row && snapshotFor(row, question)),
        many: (client, asked) => Effect.map(listSnapshots(client, asked), (rows) => inOrderOf(asked, rows, snapshotFor))
      }

      const leases: Reads<LeaseQuestion, LeaseSnapshot> = {
        one: (client, question) =>
          Effect.map(findLeaseSnapshot(client, question), ([row]) => row && leaseSnapshotOf(row)),
        many: (client, asked) =>
          Effect.map(listLeaseSnapshots(client, asked), (rows) => inOrderOf(asked, rows, leaseSnapshotOf))
      }

      const askTogether = yield* askingTogether(questions, snapshots)
      const askLeaseTogether = yield* askingTogether(questions, leases)

      /** Answers the row that a key found, and remembers that the key is known; fails where it found none. */
      const found = <A extends Snapshot>({ keyHash }: RuntimeCredential, snapshot: A | undefined) => {
        if (snapshot === undefined) return Effect.fail(unknownKey)
        known.learn(keyHash, snapshot.license_id)
        return Effect.succeed(snapshot)
      }

      const lock = (credential: RuntimeCredential) => Effect.asVoid(lockLicense(sql, credential))

      const read = Effect.fnUntraced(function*(question: SnapshotQuestion) {
        return yield* found(question.credential, yield* askTogether(question))
      })

      const readLocked = Effect.fnUntraced(function*(question: SnapshotQuestion) {
        yield* lock(question.credential)
        return yield* found(question.credential, yield* Effect.orDie(snapshots.one(sql.client, question)))
      })

      /** Remembers the keys that found a license. */
      const learnAll = <A extends Snapshot>(
        asked: ReadonlyArray<{ readonly credential: RuntimeCredential }>,
        answers: Effect.Effect<ReadonlyArray<A | undefined>, SqlError>
      ) =>
        Effect.orDie(Effect.tap(answers, (found) =>
          Effect.sync(() => {
            for (const [index, row] of found.entries()) {
              if (row !== undefined) known.learn(asked[index]!.credential.keyHash, row.license_id)
            }
          })))

      const readLease = Effect.fnUntraced(function*(credential: RuntimeCredential, tokenHash: Uint8Array) {
        const question = { credential, tokenHash }
        // Changes of a transaction can be read by its own connection alone.
        const isInside = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
        return yield* found(
          credential,
          yield* (isInside ? Effect.orDie(leases.one(sql.client, question)) : askLeaseTogether(question))
        )
      })

      return EntitlementState.of({
        lock,
        lockAll: (credentials, options) => lockLicenses(sql, credentials, options).asEffect(),
        known: (credentials) => listKnownLicenses(sql, credentials).asEffect(),
        read,
        readLocked,
        readAll: (asked) => learnAll(asked, snapshots.many(sql.client, asked)),
        readAllLeases: (asked) => learnAll(asked, leases.many(sql.client, asked)),
        readLease
      })
    })
  )
}
