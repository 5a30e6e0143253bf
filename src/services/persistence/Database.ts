import { Effect, Effectable } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { ownTransaction } from "./Transaction.ts"
import type { Transactions } from "./Transaction.ts"

const fragment: Statement.Fragment = Statement.fragment([])

/**
 * A statement that cannot fail: whatever the database refuses is a defect, which the edge answers with 500, or with
 * 503 where it passes. It is a fragment too, so that it can stand inside another statement.
 */
export class Query<A> extends Effectable.Class<ReadonlyArray<A>> implements Statement.Fragment {
  readonly "~effect/sql/Statement/Fragment" = fragment["~effect/sql/Statement/Fragment"]
  readonly segments: ReadonlyArray<Statement.Segment>
  /** The statement as the driver runs it, for callers to whom a failure says something, such as a code that is taken. */
  readonly fallible: Statement.Statement<A>

  constructor(statement: Statement.Statement<A>) {
    super()
    this.segments = statement.segments
    this.fallible = statement
  }

  asEffect(): Effect.Effect<ReadonlyArray<A>> {
    return Effect.orDie(this.fallible)
  }

  /** The same by the simple protocol, for statements that PostgreSQL does not prepare. */
  get unprepared(): Effect.Effect<ReadonlyArray<A>> {
    return Effect.orDie(this.fallible.unprepared)
  }
}

/** What builds pieces of SQL: a client, or the database on it. */
export interface Fragments
  extends Pick<Statement.Constructor, "and" | "csv" | "in" | "insert" | "join" | "literal" | "or" | "update">
{
  (strings: TemplateStringsArray, ...members: ReadonlyArray<unknown>): Statement.Fragment
  /** An identifier, quoted where it must be. */
  (name: string): Statement.Identifier
}

/**
 * A database as services use it: a tag for templates that makes statements which cannot fail. An effect of the service
 * then has the errors in its type that a caller can do something about, and no others.
 */
export interface Database extends Fragments, Transactions {
  // The members of a template are whatever the driver takes, as in the client.
  <A extends object = Readonly<Record<string, unknown>>>(
    strings: TemplateStringsArray,
    ...members: ReadonlyArray<unknown>
  ): Query<A>
  /** An identifier, quoted where it must be. */
  (name: string): Statement.Identifier
  /** A statement of a text that is known to be safe. */
  readonly unsafe: <A extends object>(text: string, parameters?: ReadonlyArray<unknown>) => Query<A>
  /** Runs work in a transaction of its own, or in a savepoint of the one that is open. */
  readonly withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs an effect once the outermost transaction is committed; at once where none is open. */
  readonly afterCommit: SqlClient.SqlClient["afterCommit"]
  /** What the statements run on, for what has not learned of this service. */
  readonly client: SqlClient.SqlClient
}

/** The database on this client. Both work side by side, also in one transaction. */
export const databaseOf = (client: SqlClient.SqlClient): Database => {
  function tag<A extends object>(strings: TemplateStringsArray, ...members: ReadonlyArray<unknown>): Query<A>
  function tag(name: string): Statement.Identifier
  function tag(strings: TemplateStringsArray | string, ...members: ReadonlyArray<unknown>) {
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
    unsafe: <A extends object>(text: string, parameters?: ReadonlyArray<unknown>) =>
      new Query(client.unsafe<A>(text, parameters)),
    transactionService: client.transactionService,
    withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => ownTransaction(client, work),
    afterCommit: client.afterCommit,
    client
  })
}

/** The database on the pool of the API. */
export const Database: Effect.Effect<Database, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  databaseOf
)
