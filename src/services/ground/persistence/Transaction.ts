import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"

/*
 * Lock order. Code that locks rows of several of these tables, or several rows of one, takes the locks in this order,
 * so that transactions cannot deadlock:
 *
 * 1. customers, then the rows of commerce that a license comes from
 * 2. licenses, by id: `SELECT ... ORDER BY id FOR NO KEY UPDATE` before any other change to them
 * 3. rows that belong to locked licenses, in any order: devices, leases, features, uses, custom fields
 * 4. report_exports, by id
 *
 * What a second person approves holds the request before all of these, then both people with their roles. Where it changes people or
 * roles, it locks those at once as the change does: a lock that grows may wait for another that does. An erasure locks the requests
 * about its customer, by id, and then the jobs that had a license of the customer, by id. Two approved erasures of one customer may end
 * one of the two, which is tried again. A row of a job holds its job before all of these.
 *
 * A look at a purchase locks the purchase before all of these, and the mapping of its connection after them. An erasure locks
 * the purchases of its customer, by id, and then their events, by sequence, before all of these.
 *
 * License keys that callers bring are inserted by hash: a transaction waits there for another one with the same key.
 *
 * Code that does not hold the license's lock either touches a single row of group 3 or skips locked rows
 * (`SKIP LOCKED`), as sightings and heartbeats do. An UPDATE of many rows locks them in the order of its plan; an ORDER BY
 * in its subquery does not change that order.
 */

/** Opens transactions: a client, or the database on it. */
export type Transactions = Pick<SqlClient.SqlClient, "transactionService" | "withTransaction">

/** Marks an error of the work itself, as opposed to a failure of the transaction. */
const refused = <E>(error: E) => ({ _tag: "Refused", error }) as const

/**
 * Runs `effect` in a transaction of its own. A failure to begin or commit is a defect; a failure of `effect` rolls back
 * and is passed on unchanged.
 */
export const ownTransaction = <A, E, R>(sql: Transactions, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.mapError(refused),
    sql.withTransaction,
    Effect.catch((failure) => failure._tag === "Refused" ? Effect.fail(failure.error) : Effect.die(failure))
  )

/**
 * Runs `effect` in the open transaction, or in its own when none is open. Joining costs no round trip, where a
 * savepoint costs two, and no caller here recovers from part of a transaction.
 */
export const inTransaction = <A, E, R>(sql: Transactions, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open) => Option.isSome(open) ? effect : ownTransaction(sql, effect)
  )

/** Answers what `effect` answers, of a transaction that is rolled back: nothing of it stays. */
export const rehearsed = <A, E, R>(sql: Transactions, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  ownTransaction(
    sql,
    effect.pipe(
      Effect.mapError(refused),
      Effect.flatMap((answer) => Effect.fail({ _tag: "Rehearsed", answer } as const))
    )
  ).pipe(
    Effect.catch((ended) => ended._tag === "Rehearsed" ? Effect.succeed(ended.answer) : Effect.fail(ended.error))
  )

/** Dies when work that must be atomic with other writes runs outside a transaction. */
export const requireTransaction = (sql: Transactions, what: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(sql.transactionService),
    (open) => Option.isSome(open) ? Effect.void : Effect.die(new Error(`${what} must run inside a transaction`))
  )
