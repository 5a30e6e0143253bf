import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Clock, Effect, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { GroupTransactions } from "../../services/ground/persistence/GroupTransactions.ts"
import { commit, timedConnection } from "./PooledClient.ts"

type Connection = SqlConnection.Connection

/**
 * Settings of the sessions of groups. They plan a statement once, for arrays of any length: PostgreSQL otherwise plans one
 * with the arrays of a few requests anew each time, which takes longer than running it. No plan reads all rows of a table,
 * however few these were when it was made.
 */
export const groupSession = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  // Before PostgreSQL 18 what is off costs so much that a plan without a way around it would be compiled.
  jit: "off"
} as const

/**
 * How long, in milliseconds, a session keeps its plans: those of a table that has grown meanwhile may read too much of it,
 * and PostgreSQL itself makes them anew only when it has analysed the table.
 */
const plansLast = 10_000

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
  /** When each session began to keep its plans. */
  const planning = new WeakMap<PgConnection.PgConnection, number>()
  const forgetPlans = (connection: PgConnection.PgConnection) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const since = planning.get(connection)
      if (since !== undefined && now < since + plansLast) return Effect.void
      planning.set(connection, now)
      // Under way before BEGIN, as that is before the first statement.
      return since === undefined
        ? Effect.void
        : Effect.asVoid(Effect.forkDetach(connection.query("DISCARD PLANS"), { startImmediately: true }))
    })
  const command = (connection: Connection, sql: string) => Effect.asVoid(connection.executeRaw(sql, []))
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes: [],
    acquireConnection: (restore) => restore(Effect.map(Effect.tap(pool.get, forgetPlans), timedConnection)),
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
