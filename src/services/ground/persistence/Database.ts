import { Effect, Effectable, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"

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

const fragment: Statement.Fragment = Statement.fragment([])

/**
 * A statement that cannot fail: every error of the database is a defect, which the edge answers with 500, or with 503
 * when it is temporary. It is also a fragment, so it can stand inside another statement.
 */
export class Query<A> extends Effectable.Class<ReadonlyArray<A>> implements Statement.Fragment {
  readonly "~effect/sql/Statement/Fragment" = fragment["~effect/sql/Statement/Fragment"]
  readonly segments: ReadonlyArray<Statement.Segment>
  /** The statement as the driver runs it, for callers that handle an error, such as a unique violation. */
  readonly fallible: Statement.Statement<A>

  constructor(statement: Statement.Statement<A>) {
    super()
    this.segments = statement.segments
    this.fallible = statement
  }

  asEffect(): Effect.Effect<ReadonlyArray<A>> {
    return Effect.orDie(this.fallible)
  }

  /** Runs the statement by the simple protocol, for statements that PostgreSQL cannot prepare. */
  get unprepared(): Effect.Effect<ReadonlyArray<A>> {
    return Effect.orDie(this.fallible.unprepared)
  }
}

/**
 * The values that a statement takes as a parameter or a fragment. An array of numbers is none: the driver infers its type from
 * its elements, and the statement would fail for some values alone. `integers` and `floats` of NumberArrays.ts send each
 * in one form.
 */
export type Member =
  | Scalar
  | ReadonlyArray<string | null>
  | ReadonlyArray<boolean | null>
  | ReadonlyArray<bigint | null>
  | ReadonlyArray<Date | null>
  | ReadonlyArray<Uint8Array | null>

type Scalar =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Date
  | Uint8Array
  | Statement.Fragment
  | Statement.Identifier

/** Builds fragments of SQL: a client, or the {@link Database} on it. */
export interface Fragments
  extends Pick<Statement.Constructor, "and" | "csv" | "in" | "insert" | "join" | "literal" | "or" | "update">
{
  (strings: TemplateStringsArray, ...members: ReadonlyArray<Member>): Statement.Fragment
  /** An identifier, quoted where necessary. */
  (name: string): Statement.Identifier
}

/**
 * The database as services use it: a template tag for statements that cannot fail. The type of a service's effect then
 * shows only errors that the caller can act on.
 */
export interface Database extends Fragments, Transactions {
  <A extends object = Readonly<Record<string, unknown>>>(
    strings: TemplateStringsArray,
    ...members: ReadonlyArray<Member>
  ): Query<A>
  /** An identifier, quoted where necessary. */
  (name: string): Statement.Identifier
  /** A statement from a text that is known to be safe. */
  readonly unsafe: <A extends object>(text: string, parameters?: ReadonlyArray<Member>) => Query<A>
  /** Runs work in a new transaction, or in a savepoint of the open one. */
  readonly withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs an effect after the outermost transaction commits; at once when none is open. */
  readonly afterCommit: SqlClient.SqlClient["afterCommit"]
  /** The client below, for code that does not use this interface. */
  readonly client: SqlClient.SqlClient
}

/** The database on a client. Both can be used side by side, even in one transaction. */
export const databaseOf = (client: SqlClient.SqlClient): Database => {
  function tag<A extends object>(strings: TemplateStringsArray, ...members: ReadonlyArray<Member>): Query<A>
  function tag(name: string): Statement.Identifier
  function tag(strings: TemplateStringsArray | string, ...members: ReadonlyArray<Member>) {
    return typeof strings === "string" ? client(strings) : new Query(client(strings, ...members))
  }
  return Object.assign(tag, {
    and: client.and,
    csv: client.csv,
    in: client.in,
    insert: client.insert,
    join: client.join,
    literal: client.literal,
    or: client.or,
    update: client.update,
    unsafe: <A extends object>(text: string, parameters?: ReadonlyArray<Member>) =>
      new Query(client.unsafe<A>(text, parameters)),
    transactionService: client.transactionService,
    withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => ownTransaction(client, work),
    afterCommit: client.afterCommit,
    client
  })
}

/** The database on the API's pool. */
export const Database: Effect.Effect<Database, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  databaseOf
)
