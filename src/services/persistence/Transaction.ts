import { Context, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"

/*
 * The order of locks. Whoever locks rows of several of these tables, or several rows of one, takes them in this order,
 * so that nobody waits for another in a circle:
 *
 *   1. customers, then the rows of commerce that a license comes from
 *   2. licenses, by id: `SELECT ... ORDER BY id FOR NO KEY UPDATE` before anything else is done to them
 *   3. what belongs to licenses that are locked, in any order: devices, leases, features, uses, custom fields
 *   4. report_exports, by id
 *
 * Who holds no lock of the license touches one row of 3, as a heartbeat does, or passes by what is locked
 * (`SKIP LOCKED`), as sightings do. An UPDATE of many rows locks them in the order of its plan, and an ORDER BY in a
 * subquery of it says nothing about that.
 */

/** What opens transactions: a client, or the database on it. */
export type Transactions = Pick<SqlClient.SqlClient, "transactionService" | "withTransaction">

/** What work in a transaction failed with, apart from a failure of the transaction itself. */
const refused = <E>(error: E) => ({ _tag: "Refused", error }) as const

/**
 * Runs `effect` in a transaction of its own. That it cannot begin or be committed is a defect; what `effect` fails with
 * rolls back and stays as it is.
 */
export const ownTransaction = <A, E, R>(sql: Transactions, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.mapError(refused),
    sql.withTransaction,
    Effect.catch((failure) => failure._tag === "Refused" ? Effect.fail(failure.error) : Effect.die(failure))
  )

/**
 * Runs `effect` in a transaction: in the one that is open, otherwise in one of its own. Joining costs no round trip,
 * where a savepoint costs two, and no caller here recovers from half a transaction.
 */
export const inTransaction = <A, E, R>(sql: Transactions, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open) => Option.isSome(open) ? effect : ownTransaction(sql, effect)
  )

/** Fails loudly where work that must be atomic with something else runs on its own. */
export const requireTransaction = (sql: Transactions, what: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open) => Option.isSome(open) ? Effect.void : Effect.die(new Error(`${what} must run inside a transaction`))
  )

/** Runs `effect` on a connection of its own, also inside a transaction: what it writes is there at once. */
export const outsideTransaction = <A, E, R>(
  sql: Transactions,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(
    effect,
    (context: Context.Context<R>) => Context.omit(sql.transactionService)(context) as Context.Context<R>
  )
