import { Context, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Runs `effect` in a transaction: in the one that is open, otherwise in one of its own. Joining costs no round trip,
 * where a savepoint costs two, and no caller here recovers from half a transaction.
 */
export const inTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open): Effect.Effect<A, E, R> =>
      Option.isSome(open)
        ? effect
        : sql.withTransaction(effect).pipe(
          Effect.catchTag("SqlError" as never, (error) => Effect.die(error))
        ) as Effect.Effect<A, E, R>
  )

/** Fails loudly where work that must be atomic with something else runs on its own. */
export const requireTransaction = (sql: SqlClient.SqlClient, what: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open) => Option.isSome(open) ? Effect.void : Effect.die(new Error(`${what} must run inside a transaction`))
  )

/** Runs `effect` on a connection of its own, also inside a transaction: what it writes is there at once. */
export const outsideTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(
    effect,
    (context: Context.Context<R>) => Context.omit(sql.transactionService)(context) as Context.Context<R>
  )
