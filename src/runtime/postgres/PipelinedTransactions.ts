import { PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Semaphore, Stream } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { GroupTransactions } from "../../services/persistence/GroupTransactions.ts"

type Connection = SqlConnection.Connection

/** A connection whose concurrent statements travel in one flight, as the client's statements use it. */
const pipelined = (connection: PgConnection.PgConnection): Connection => {
  const rows = (sql: string, parameters: ReadonlyArray<unknown>, prepare = true) =>
    Effect.map(connection.query(sql, parameters, prepare), (result) => result.rows)
  const transformed = <A>(
    found: Effect.Effect<ReadonlyArray<A>, SqlError>,
    transform: ((rows: any) => any) | undefined
  ) => transform === undefined ? found : Effect.map(found, transform)
  return {
    execute: (sql, parameters, transform) => transformed(rows(sql, parameters), transform),
    executeRaw: (sql, parameters) => connection.query(sql, parameters),
    executeUnprepared: (sql, parameters, transform) => transformed(rows(sql, parameters, false), transform),
    executeValues: (sql, parameters) => connection.queryValues(sql, parameters),
    executeValuesUnprepared: (sql, parameters) => connection.queryValues(sql, parameters, false),
    executeStream: () => Stream.die(new Error("a group has no streams"))
  }
}

/** The reason why a transaction was rolled back at its end: one of its statements had failed. */
const aborted = new SqlError({
  reason: new UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

/**
 * {@link GroupTransactions} on connections of their own, for a client in whose place they stand: its statements run in
 * the transaction. At most `patient` of them may wait for locks.
 */
export const makePipelinedTransactions = Effect.fnUntraced(function*(
  client: SqlClient.SqlClient,
  options: PgPool.Config & { readonly patient: number }
): Effect.fn.Return<GroupTransactions["Service"], SqlError, Scope.Scope> {
  // A connection is multiplexed, so that its statements are pipelined, and lent to one transaction at a time.
  const pool = yield* PgPool.make({ ...options, multiplex: true, multiplexConcurrency: 1 })
  const patient = Semaphore.makeUnsafe(options.patient)
  const command = (connection: Connection, sql: string) => Effect.asVoid(connection.executeRaw(sql, []))
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes: [],
    acquireConnection: (restore) => restore(Effect.map(pool.get, pipelined)),
    // It is under way before the first statement, and answered before that one.
    begin: (connection) => Effect.asVoid(Effect.forkDetach(command(connection, "BEGIN"), { startImmediately: true })),
    commit: (connection) =>
      Effect.flatMap(
        connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>,
        ({ command }) => command === "ROLLBACK" ? Effect.fail(aborted) : Effect.void
      ),
    rollback: (connection) => command(connection, "ROLLBACK"),
    savepoint: (connection, id) => command(connection, `SAVEPOINT group_${id}`),
    rollbackSavepoint: (connection, id) => command(connection, `ROLLBACK TO SAVEPOINT group_${id}`)
  })
  return GroupTransactions.of({
    run: (work, { wait }) => wait ? patient.withPermit(withTransaction(work)) : withTransaction(work)
  })
})
