import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Option, Scope } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** A session that may serve nobody of this pool, because the database is no longer the one that the pool was made for. */
class SessionRefused extends Error {
  constructor() {
    super("The database was emptied since this node started to use it")
  }
}

/** Whether a failure is that of a session that was refused. */
export const isSessionRefused = (error: SqlError): boolean => error.reason.cause instanceof SessionRefused

const refused = () => {
  const cause = new SessionRefused()
  return new SqlError({ reason: new ConnectionError({ cause, message: cause.message, operation: "connect" }) })
}

/**
 * A pool whose sessions are asked `question` before they first serve anybody: one that does not answer true in `admitted`
 * serves nobody. Whoever changes what the question is about and then ends all sessions can so be sure that nothing which
 * began before touches what comes after.
 */
export const guardPool = (pool: PgPool.PgPool, question: string): PgPool.PgPool => {
  const admitted = new WeakSet<PgConnection.PgConnection>()

  const ask = (connection: PgConnection.PgConnection): Effect.Effect<void, SqlError> =>
    Effect.flatMap(connection.query(question, [], false), ({ rows: [row] }) => {
      if (row?.["admitted"] !== true) return Effect.fail(refused())
      admitted.add(connection)
      return Effect.void
    })

  // A connection is shared, and others may take it for themselves as soon as it is admitted. Who has asked it therefore
  // gives it back and gets one anew, which is used at once; one that is not admitted yet nobody has for itself.
  const get: PgPool.PgPool["get"] = Effect.gen(function*() {
    while (true) {
      const lease = yield* Scope.fork(yield* Effect.scope)
      const connection = yield* Scope.provide(pool.get, lease)
      if (admitted.has(connection)) return connection
      yield* Effect.onExit(ask(connection), (exit) => Scope.close(lease, exit))
    }
  })

  const use = <A, E, R>(
    work: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SqlError, R> =>
    pool.use((connection): Effect.Effect<Option.Option<A>, E | SqlError, R> =>
      admitted.has(connection) ? Effect.asSome(work(connection)) : Effect.as(ask(connection), Option.none())
    ).pipe(Effect.flatMap(Option.match({ onNone: () => use(work), onSome: Effect.succeed })))

  return { ...pool, get, reserve: Effect.flatMap(get, (connection) => connection.pin), use }
}
