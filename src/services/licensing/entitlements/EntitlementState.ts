import { Context, Effect, Exit, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { failing, LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { isLeaseToken } from "../../../domain/keys/security/Credential.ts"
import { unknownKeyHint } from "../../../domain/keys/security/CredentialHint.ts"
import { bindingOf, nobody } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { snapshotOf } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { Snapshot, SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { FormerCodes } from "../../catalog/FormerCodes.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { makeQuestionGroups } from "../../ground/admission/QuestionGroups.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { QuestionSql } from "../../ground/platform/DatabaseHealthSql.ts"
import type { Vault } from "../../keys/security/Vault.ts"
import { makeUserStandings } from "../standings/UserStandings.ts"
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

/** The refusal of a license key that is unknown. */
export const unknownKey = failing(LicenseKeyInvalid, unknownKeyHint)

/** The statements that read a kind of snapshot, and the snapshot of a row. */
interface SnapshotStatements<Question, Row extends SnapshotRow, Found extends Snapshot> {
  readonly find: (sql: SqlClient.SqlClient, question: Question) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly list: (
    sql: SqlClient.SqlClient,
    questions: ReadonlyArray<Question>
  ) => Effect.Effect<ReadonlyArray<Answering<Row>>, SqlError>
  readonly snapshotOf: (row: Row, question: Question) => Found
}

/**
 * Reads snapshots of a kind: each of its own statement, or several of one. Every read remembers which license keys are
 * known, and which former codes of products are still in use.
 */
const makeSnapshotReads = Effect.fnUntraced(function*<
  Question extends Pick<SnapshotQuestion, "credential">,
  Row extends SnapshotRow,
  Found extends Snapshot
>({ find, list, snapshotOf }: SnapshotStatements<Question, Row, Found>) {
  const sql = yield* Database
  const questionSql = yield* QuestionSql
  const known = yield* KnownCredentials
  const formerCodes = yield* FormerCodes

  const read = (row: Row, question: Question): Found => {
    const snapshot = snapshotOf(row, question)
    if (snapshot.has_former_code) formerCodes.noteUse(snapshot.product_id, snapshot.product_code, snapshot.now)
    return snapshot
  }

  const one = (client: SqlClient.SqlClient, question: Question): Effect.Effect<Found | undefined, SqlError> =>
    Effect.map(find(client, question), ([row]) => row && read(row, question))

  const many = (client: SqlClient.SqlClient, questions: ReadonlyArray<Question>) =>
    Effect.map(list(client, questions), (rows): ReadonlyArray<Found | undefined> => {
      const snapshots: Array<Found | undefined> = questions.map(() => undefined)
      for (const row of rows) snapshots[row.question - 1] = read(row, questions[row.question - 1]!)
      return snapshots
    })

  const readGrouped = yield* makeQuestionGroups<Question, Found | undefined>((questions) =>
    questions.length === 1
      ? Effect.map(Effect.exit(one(questionSql, questions[0]!)), (exit) => [exit])
      : Effect.matchEffect(many(questionSql, questions), {
        onSuccess: (snapshots) => Effect.succeed(snapshots.map(Exit.succeed)),
        // One of them may be at fault, so each is read by itself.
        onFailure: () =>
          Effect.forEach(questions, (question) => Effect.exit(one(questionSql, question)), { concurrency: "unbounded" })
      })
  )

  const found = ({ credential }: Question, snapshot: Found | undefined) => {
    if (snapshot === undefined) return Effect.fail(unknownKey)
    known.learn(credential.keyHash, snapshot.license_id)
    return Effect.succeed(snapshot)
  }

  return {
    /** Reads a snapshot outside of transactions. Questions of one turn of the event loop share a statement. */
    grouped: (question: Question) => Effect.flatMap(readGrouped(question), (snapshot) => found(question, snapshot)),
    /** Reads a snapshot on the connection of the surrounding transaction, which alone sees its changes. */
    inTransaction: (question: Question) =>
      Effect.flatMap(Effect.orDie(one(sql.client, question)), (snapshot) => found(question, snapshot)),
    /** Reads many snapshots in one statement, in the order of the questions; undefined for unknown keys. */
    all: (questions: ReadonlyArray<Question>): Effect.Effect<ReadonlyArray<Found | undefined>> =>
      Effect.orDie(Effect.tap(many(sql.client, questions), (snapshots) =>
        Effect.sync(() => {
          for (const [index, snapshot] of snapshots.entries()) {
            if (snapshot !== undefined) known.learn(questions[index]!.credential.keyHash, snapshot.license_id)
          }
        })))
  }
})

/** The keyed hash of the license key that a caller presented. */
export interface RuntimeCredential {
  readonly keyHash: Uint8Array
}

/** The question of a runtime request about a license. */
export const questionOf = (credential: RuntimeCredential, request: RuntimeRequest): SnapshotQuestion => ({
  credential,
  binding: bindingOf(request),
  appVersion: request.app_version,
  productCode: request.product_code,
  userToken: request.user_token
})

/** The question of a call that is about the license alone, and that no device makes. */
export const licenseQuestion = (credential: RuntimeCredential): SnapshotQuestion => ({
  credential,
  binding: nobody,
  appVersion: undefined,
  productCode: undefined,
  userToken: undefined
})

/** The hash that finds the lease of a token. Text that cannot be a token gets a hash that no lease has. */
export const leaseTokenHash = ({ keyedHash }: Vault["Service"], token: string): Uint8Array =>
  isLeaseToken(token) ? keyedHash("lease-token-hash", token) : new Uint8Array(32)

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
    tokenHash: Uint8Array,
    userToken?: string
  ) => Effect.Effect<LeaseSnapshot, LicenseKeyInvalid>
}>()("countersign/services/licensing/entitlements/EntitlementState") {
  static readonly layer = Layer.effect(
    EntitlementState,
    Effect.gen(function*() {
      const sql = yield* Database
      const users = yield* makeUserStandings

      const snapshots = yield* makeSnapshotReads({
        find: findSnapshot,
        list: listSnapshots,
        snapshotOf: (row: SnapshotRow, { productCode }: SnapshotQuestion) => snapshotOf(row, { code: productCode })
      })

      const leases = yield* makeSnapshotReads({
        find: findLeaseSnapshot,
        list: listLeaseSnapshots,
        snapshotOf: (row: LeaseSnapshotRow): LeaseSnapshot =>
          snapshotOf(row, { id: row.lease_product_id, code: row.lease_product_code })
      })

      const lock = (credential: RuntimeCredential) => Effect.asVoid(lockLicense(sql, credential))

      /** A snapshot with its user: no further step where the terms have none. */
      const withUser = <Found extends Snapshot, E>(read: Effect.Effect<Found, E>, token: string | undefined) =>
        Effect.flatMap(read, (snapshot) =>
          snapshot.max_users === undefined
            ? Effect.succeed(snapshot)
            : Effect.map(users.withUsers([snapshot], [token]), ([found]) => found!))

      const readLease = Effect.fnUntraced(
        function*(credential: RuntimeCredential, tokenHash: Uint8Array, userToken?: string) {
          const isInside = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
          const read = (isInside ? leases.inTransaction : leases.grouped)({ credential, tokenHash })
          return yield* withUser(read, userToken)
        }
      )

      const tokensOf = (questions: ReadonlyArray<{ readonly userToken?: string | undefined }>) =>
        questions.map(({ userToken }) => userToken)

      return EntitlementState.of({
        lock,
        lockAll: (credentials, options) => lockLicenses(sql, credentials, options).asEffect(),
        known: (credentials) => listKnownLicenses(sql, credentials).asEffect(),
        read: (question) => withUser(snapshots.grouped(question), question.userToken),
        readLocked: (question) =>
          Effect.andThen(
            lock(question.credential),
            withUser(snapshots.inTransaction(question), question.userToken)
          ),
        readAll: (questions) =>
          Effect.flatMap(snapshots.all(questions), (found) => users.withUsers(found, tokensOf(questions))),
        readAllLeases: (questions) =>
          Effect.flatMap(leases.all(questions), (found) => users.withUsers(found, tokensOf(questions))),
        readLease
      })
    })
  )
}
