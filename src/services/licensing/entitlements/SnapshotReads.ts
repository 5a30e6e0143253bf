import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Snapshot, SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { unknownKeyHint } from "../../../domain/keys/security/CredentialHint.ts"
import { failing, LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { makeQuestionGroups } from "../../ground/admission/QuestionGroups.ts"
import { FormerCodes } from "../../catalog/FormerCodes.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { QuestionSql } from "../../ground/platform/QuestionSql.ts"
import type { Answering, SnapshotQuestion } from "./EntitlementStateSql.ts"

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
export const makeSnapshotReads = Effect.fnUntraced(function*<
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
