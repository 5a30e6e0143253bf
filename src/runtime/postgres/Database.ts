import { PgClient, PgTypes } from "@effect/sql-pg"
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Clock, Context, Deferred, Effect, Layer, Option, Redacted, Result, Scope, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { ConnectionError, isSqlError, SqlError } from "effect/sql/SqlError"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { CurrentShare, FairShares, makeFairShare } from "../../services/ground/admission/FairShare.ts"
import type { FairShare } from "../../services/ground/admission/FairShare.ts"
import { GroupTransactions } from "../../services/ground/persistence/GroupCommit.ts"
import { DeliverySql, LongReadSql } from "../../services/ground/persistence/TransactionSql.ts"
import { ConnectionNeeds, DatabaseDisk } from "../../services/ground/platform/DatabaseHealth.ts"
import { QuestionSql } from "../../services/ground/platform/DatabaseHealthSql.ts"
import { AppConfig } from "../config/Config.ts"
import { child } from "../processes/Child.ts"
import { applicationName, awaitServer, DatabasePools } from "./DatabaseServer.ts"
import { destinationOf, openSocket, tlsOf } from "./DatabaseTls.ts"
import * as DataDirectory from "./DataDirectory.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { commit, makePooledClient, timedConnection } from "./PooledClient.ts"
import { makeMeteredPool } from "./PoolMetrics.ts"
import type { PoolName } from "./PoolMetrics.ts"

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
const guardPool = (pool: PgPool.PgPool, question: string): PgPool.PgPool => {
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
const makePipelinedTransactions = Effect.fnUntraced(function*(
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

/** The type of a row that is no row of a table, in pg_type. */
const recordOid = 2249

/**
 * The types of a connection, with rows in a cell as the bytes that `record_send` writes. They are a view of what was
 * received: millions of rows are read so, and a copy of each would cost more than everything else about it.
 */
export const types = PgTypes.makeRegistry()

types.register<Uint8Array>(recordOid, {
  encode: () => Result.fail(new PgTypes.CodecError({ message: "A row is no parameter" })),
  decode: (bytes) => Result.succeed(bytes),
  read: (bytes, offset, size) => Result.succeed(new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size))
})

/** Which database to use. */
export class DatabaseTarget extends Context.Service<DatabaseTarget, {
  /** A libpq URI; its parameter `host` may be the directory of a Unix socket. */
  readonly url: Redacted.Redacted
}>()("countersign/runtime/postgres/DatabaseTarget") {
  /** The server of `DATABASE_URL`, or else an embedded one in the data directory. */
  static readonly layer = Layer.effect(
    DatabaseTarget,
    Effect.gen(function*() {
      const { databaseUrl, dataDirectory } = yield* AppConfig
      if (databaseUrl !== undefined) return { url: databaseUrl }
      const begun = yield* EmbeddedPostgres.BegunPostgres
      const { url } = begun === undefined
        ? yield* EmbeddedPostgres.start({ directory: dataDirectory })
        : yield* Deferred.await(begun)
      return { url }
    })
  )
}

/** The statement timeout, in seconds. The server enforces it. */
const statementLimit = 30

/**
 * How long a connection with a pending request may be silent, in milliseconds. A live server has answered or ended the
 * statement by then.
 */
const patience = (statementLimit + 5) * 1000

/** The lock timeout of statements of the API and of delivery. */
const lockPatience = { api: "5s", delivery: "100ms" } as const

/**
 * Settings of every session, under PostgreSQL's names. A node that stalls in the middle of a transaction holds up the
 * feed of all nodes, so the server ends such a transaction no later than other nodes take over its work.
 */
const parameters = { statement_timeout: `${statementLimit}s`, idle_in_transaction_session_timeout: "5s" }

/** The attributes of the server in the spans of statements: nothing but what the URL says, which they do not read. */
const placeOf = (url: Redacted.Redacted) => {
  const destination = destinationOf(Redacted.value(url))
  const database = decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1))
  return {
    ...("path" in destination ? { host: dirname(destination.path) } : destination),
    ...(database === "" ? {} : { database })
  }
}

/** The options of a pool that replaces a connection when the server has not answered on it for `patience`. */
const poolOptions = (
  url: Redacted.Redacted,
  maxConnections: number,
  startupParameters: Readonly<Record<string, string>> = parameters
) => ({
  url,
  ...placeOf(url),
  ...tlsOf(Redacted.value(url)),
  applicationName,
  startupParameters,
  stream: () => openSocket(Redacted.value(url), patience),
  types,
  multiplex: true,
  maxConnections
})

/** A metered pool, whose sessions are asked what those of this database are asked. */
const poolOf = (name: PoolName, options: Parameters<typeof makeMeteredPool>[1]) =>
  Effect.gen(function*() {
    const { question } = yield* DatabasePools
    const pool = yield* makeMeteredPool(name, options)
    return question === undefined ? pool : guardPool(pool, question)
  })

/** A client on a metered pool of its own. */
const clientOf = (name: PoolName, ...options: Parameters<typeof poolOptions>) =>
  Effect.flatMap(poolOf(name, poolOptions(...options)), makePooledClient)

/** The fair shares of this process's connections. */
const makeShares = ({ transactionsAtOnce }: DatabasePools) =>
  FairShares.of({
    transactions: makeFairShare({
      name: "transactions",
      capacity: transactionsAtOnce,
      perAddress: transactionsAtOnce - 1,
      perLicense: 2,
      waiting: { all: 2000, each: 256 },
      patience: 15_000
    }),
    // Two groups of validates, each of one statement; more would only wait for those.
    questions: makeFairShare({
      name: "questions",
      capacity: 128,
      perAddress: 112,
      perLicense: Infinity,
      waiting: { all: 4000, each: 2000 },
      patience: 15_000
    }),
    reads: makeFairShare({
      name: "reads",
      capacity: 32,
      perAddress: 24,
      perLicense: Infinity,
      waiting: { all: 2000, each: 1000 },
      patience: 15_000
    })
  })

const isLockTimeout = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return isSqlError(error) && error.reason._tag === "LockTimeoutError"
  })

/**
 * Makes requests take turns for transactions. When a license stays locked, all its waiting requests are shed, so that
 * none waits for the lock again.
 */
const inTurns = (client: PgClient.PgClient, transactions: FairShare): PgClient.PgClient => {
  const { transactionService, withTransaction } = client
  return Object.assign(client, {
    withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.withFiber<A, E | SqlError, R>((fiber) => {
        if (Option.isSome(Context.getOption(fiber.context, transactionService))) return withTransaction(work)
        const license = fiber.getRef(CurrentShare)?.license
        // The turn covers all work inside it, even on another connection.
        const turn = transactions.run(withTransaction(Effect.provideService(work, CurrentShare, undefined)))
        return license === undefined ? turn : Effect.tapCause(
          turn,
          (cause) => isLockTimeout(cause) ? transactions.shed(license) : Effect.void
        )
      })
  })
}

/**
 * Four pools for the target: that of the API, as `SqlClient` and `PgClient`, whose transactions take turns; that of
 * groups of writes; that of single-statement queries; and that of delivery, with a short lock timeout. Connections open on demand and are
 * replaced when lost, so an outage of the database fails only the statements during it.
 */
export const layerTarget = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* DatabaseTarget
  const connections = yield* DatabasePools
  yield* awaitServer(url)
  const settings = { ...parameters, ...connections.session }
  const api = { ...settings, lock_timeout: lockPatience.api }
  return Layer.mergeAll(
    Layer.effectContext(
      Effect.gen(function*() {
        const shares = makeShares(connections)
        const client = inTurns(yield* clientOf("api", url, connections.api, api), shares.transactions)
        const pool = yield* poolOf("groups", {
          ...poolOptions(url, connections.groups, { ...api, ...groupSession }),
          multiplexConcurrency: 1
        })
        const groups = yield* makePipelinedTransactions(client, pool, { patient: connections.patientGroups })
        return Context.make(PgClient.PgClient, client).pipe(
          Context.add(SqlClient.SqlClient, client),
          Context.add(GroupTransactions, groups),
          Context.add(FairShares, shares)
        )
      })
    ),
    Layer.succeed(ConnectionNeeds, {
      needed: connections.api + connections.groups + connections.questions + connections.delivery +
        connections.unhurried,
      starting: child?.starting ?? 1,
      applicationName
    }),
    Layer.effect(QuestionSql, clientOf("questions", url, connections.questions, api)),
    Layer.effect(
      DeliverySql,
      clientOf("delivery", url, connections.delivery, { ...settings, lock_timeout: lockPatience.delivery })
    )
  ).pipe(Layer.provide(Reactivity.layer), Layer.orDie)
}))

/**
 * The disk of an embedded database: the socket stands among its files. Where the socket of any other server stands says
 * nothing of its disk.
 */
const layerDisk = Layer.effect(
  DatabaseDisk,
  Effect.map(DatabaseTarget, ({ url }) => {
    const destination = destinationOf(Redacted.value(url))
    const directory = "path" in destination ? dirname(destination.path) : undefined
    const isEmbedded = directory !== undefined && existsSync(join(directory, "PG_VERSION"))
    return { left: isEmbedded ? DataDirectory.roomIn(directory) : Effect.undefined }
  })
)

/** {@link layerTarget} for the configured database. */
export const layer = Layer.merge(layerTarget, layerDisk).pipe(Layer.provideMerge(DatabaseTarget.layer))

/** {@link layerTarget} for a database, and its disk. */
export const layerOf = (url: Redacted.Redacted) =>
  Layer.merge(layerTarget, layerDisk).pipe(Layer.provideMerge(Layer.succeed(DatabaseTarget, { url })))

/** The options of a pool without a time limit on statements, of so many connections as pools of its kind have. */
const unhurriedOptions = (most?: number) =>
  Effect.map(Effect.all([DatabaseTarget, DatabasePools]), ([{ url }, { session, unhurried }]) => ({
    ...poolOptions(url, most ?? unhurried, { ...parameters, ...session, statement_timeout: "0" }),
    stream: () => openSocket(Redacted.value(url), Infinity),
    multiplex: false
  }))

const unhurried = (most?: number) =>
  unhurriedOptions(most).pipe(
    Effect.flatMap((options) => poolOf("unhurried", options)),
    Effect.flatMap(makePooledClient)
  )

/**
 * A separate `SqlClient` for work without a statement timeout. Its connections are closed only when TCP detects that
 * the peer is gone.
 */
export const layerUnhurried = Layer.effect(SqlClient.SqlClient, unhurried()).pipe(
  Layer.provide(Reactivity.layer),
  Layer.orDie
)

/** The same of one connection, for a snapshot that is read while {@link layerUnhurried} is written to. */
export const layerSnapshot = Layer.effect(LongReadSql, unhurried(1)).pipe(
  Layer.provide(Reactivity.layer),
  Layer.orDie
)

/**
 * The same with one connection, whose session keeps locks and settings from one statement to the next. It ends before
 * the service begins, so no pool of the metrics is its own.
 */
export const layerMigration = Layer.effect(SqlClient.SqlClient, Effect.flatMap(unhurriedOptions(1), PgClient.make))
  .pipe(Layer.provide(Reactivity.layer), Layer.orDie)
