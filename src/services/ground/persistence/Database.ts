import { Effect, Effectable } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { ownTransaction } from "./Transaction.ts"
import type { Transactions } from "./Transaction.ts"

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
