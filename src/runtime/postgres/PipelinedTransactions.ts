import type { PgPool } from "@effect/sql-pg"
import { Effect, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { GroupTransactions } from "../../services/persistence/GroupTransactions.ts"
import { commit, timedConnection } from "./PooledClient.ts"

type Connection = SqlConnection.Connection

/**
 * {@link GroupTransactions} on the connections of a pool, for a client in whose place they stand: its statements run in
 * the transaction. The pool multiplexes a connection, so that its statements are pipelined, and lends it to one
 * transaction at a time. At most `patient` transactions may wait for locks.
 */
export const makePipelinedTransactions = Effect.fnUntraced(function*(
  client: SqlClient.SqlClient,
  pool: PgPool.PgPool,
  options: { readonly patient: number }
): Effect.fn.Return<GroupTransactions["Service"]> {
  const patient = Semaphore.makeUnsafe(options.patient)
  const command = (connection: Connection, sql: string) => Effect.asVoid(connection.executeRaw(sql, []))
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes: [],
    acquireConnection: (restore) => restore(Effect.map(pool.get, timedConnection)),
    // It is under way before the first statement, and answered before that one.
    begin: (connection) => Effect.asVoid(Effect.forkDetach(command(connection, "BEGIN"), { startImmediately: true })),
    commit,
    rollback: (connection) => command(connection, "ROLLBACK"),
    savepoint: (connection, id) => command(connection, `SAVEPOINT group_${id}`),
    rollbackSavepoint: (connection, id) => command(connection, `ROLLBACK TO SAVEPOINT group_${id}`)
  })
  return GroupTransactions.of({
    run: (work, { wait }) => wait ? patient.withPermit(withTransaction(work)) : withTransaction(work)
  })
})
