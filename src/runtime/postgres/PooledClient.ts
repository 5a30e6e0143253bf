import { PgClient } from "@effect/sql-pg"
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect, Exit, Scope, Stream, Tracer } from "effect"
import type { Fiber } from "effect"
import type { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { timed } from "./PoolMetrics.ts"

type Connection = SqlConnection.Connection

type Transform = ((rows: any) => any) | undefined

const transformed = <A>(found: Effect.Effect<ReadonlyArray<A>, SqlError>, transform: Transform) =>
  transform === undefined ? found : Effect.map(found, transform)

/**
 * A connection as a client's statements use it; each of them is timed. One is made each time that a connection is
 * borrowed, which is once for a statement.
 */
class TimedConnection implements Connection {
  private readonly connection: PgConnection.PgConnection

  constructor(connection: PgConnection.PgConnection) {
    this.connection = connection
  }

  private rows(sql: string, parameters: ReadonlyArray<unknown>, prepare = true) {
    return Effect.map(timed(sql, this.connection.query(sql, parameters, prepare)), (result) => result.rows)
  }

  execute(sql: string, parameters: ReadonlyArray<unknown>, transform: Transform) {
    return transformed(this.rows(sql, parameters), transform)
  }

  executeRaw(sql: string, parameters: ReadonlyArray<unknown>) {
    return timed(sql, this.connection.query(sql, parameters))
  }

  executeUnprepared(sql: string, parameters: ReadonlyArray<unknown>, transform: Transform) {
    return transformed(this.rows(sql, parameters, false), transform)
  }

  executeValues(sql: string, parameters: ReadonlyArray<unknown>) {
    return timed(sql, this.connection.queryValues(sql, parameters))
  }

  executeValuesUnprepared(sql: string, parameters: ReadonlyArray<unknown>) {
    return timed(sql, this.connection.queryValues(sql, parameters, false))
  }

  /** Not timed: it lasts as long as its reader takes, which says nothing about the database. */
  executeStream(sql: string, parameters: ReadonlyArray<unknown>, transform: Transform) {
    const stream = this.connection.stream(sql, parameters)
    return transform === undefined ? stream : Stream.mapArray(stream, (rows) => transform(rows))
  }
}

/** See {@link TimedConnection}. */
export const timedConnection = (connection: PgConnection.PgConnection): Connection => new TimedConnection(connection)

/** The reason why a transaction was rolled back at its end: one of its statements had failed. */
const aborted = new SqlError({
  reason: new UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

/** Commits. PostgreSQL answers `ROLLBACK` to the COMMIT of a transaction in which a statement has failed. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError>,
    ({ command }) => command === "ROLLBACK" ? Effect.fail(aborted) : Effect.void
  )

const json = Statement.custom<Statement.Custom<"PgJson", unknown>>("PgJson")

/** The log's word for a fiber that waits for a connection while it holds one of the same pool: a pool of one would never serve it. */
const nestedBorrowing = "Nested borrowing: a connection of a pool is asked for by who holds one of it"

/** Tells, in the log, of fibers that ask a pool for a connection while they hold one for more than one statement. */
const borrowing = () => {
  const holders = new Map<number, { readonly holder: string; readonly count: number }>()
  const placeOf = ({ context }: Fiber.Fiber<unknown, unknown>): string => {
    const span = Context.getOrUndefined(context, Tracer.ParentSpan)
    return span?._tag === "Span" ? span.name : "no span"
  }

  /** The use of a connection that a fiber asks for; the log is told first, if the fiber holds one. */
  const asking = <A, E, R>(
    fiber: Fiber.Fiber<unknown, unknown>,
    use: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> => {
    const held = holders.get(fiber.id)
    return held === undefined
      ? use
      : Effect.logError(nestedBorrowing).pipe(
        Effect.annotateLogs({ holder: held.holder, asker: placeOf(fiber) }),
        Effect.andThen(use)
      )
  }

  /** A connection that is held until its scope ends. */
  const held = <A, E>(acquire: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
    Effect.withFiber((fiber) => {
      const scope = Context.get(fiber.context as Context.Context<Scope.Scope>, Scope.Scope)
      const { id } = fiber
      const leave = () => {
        const { count, holder } = holders.get(id)!
        if (count === 1) holders.delete(id)
        else holders.set(id, { holder, count: count - 1 })
      }
      return asking(
        fiber,
        Effect.onExitPrimitive(acquire, (exit) => {
          if (Exit.isFailure(exit)) return undefined
          const { count, holder } = holders.get(id) ?? { count: 0, holder: placeOf(fiber) }
          holders.set(id, { holder, count: count + 1 })
          return Scope.addFinalizer(scope, Effect.sync(leave))
        })
      )
    })

  return { asking, held }
}

/** The client of `@effect/sql-pg` on our own pool, which that package does not support. */
export const makePooledClient = Effect.fnUntraced(function*(
  pool: PgPool.PgPool
): Effect.fn.Return<PgClient.PgClient, never, Scope.Scope | Reactivity.Reactivity> {
  const { asking, held } = borrowing()
  const acquirer = Effect.map(held(pool.get), timedConnection)
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer,
    borrower: (work) =>
      Effect.withFiber((fiber) => asking(fiber, pool.use((connection) => work(timedConnection(connection))))),
    transactionAcquirer: Effect.map(held(pool.reserve), timedConnection),
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["db.namespace", pool.config.database ?? "postgres"],
      ["server.address", pool.config.host ?? "localhost"],
      ["server.port", pool.config.port ?? 5432]
    ]
  })
  return Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: pool.config,
    json: (value: unknown) => Statement.fragment([json(value)]),
    listen: (channel: string) => Effect.flatMap(pool.reserve, (connection) => connection.listen(channel)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(Effect.scoped(Effect.flatMap(
        acquirer,
        (connection) => connection.executeRaw("SELECT pg_notify($1, $2)", [channel, payload])
      )))
  })
})
