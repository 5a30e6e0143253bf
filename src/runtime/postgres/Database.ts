import { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Clock, Context, Data, Deferred, Effect, Layer, Option, Redacted, Runtime } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlError } from "effect/sql/SqlError"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { CurrentShare, FairShares, makeFairShare } from "../../services/admission/FairShare.ts"
import type { FairShare } from "../../services/admission/FairShare.ts"
import { DeliverySql } from "../../services/persistence/DeliverySql.ts"
import { GroupTransactions } from "../../services/persistence/GroupTransactions.ts"
import { ConnectionNeeds, DatabaseDisk } from "../../services/platform/DatabaseHealth.ts"
import { QuestionSql } from "../../services/platform/QuestionSql.ts"
import { observeBuildInfo } from "../BuildInfo.ts"
import { AppConfig } from "../config/Config.ts"
import { child } from "../processes/Child.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import { DatabasePools } from "./DatabasePools.ts"
import { destinationOf, openSocket } from "./DatabaseSocket.ts"
import { tlsCure, tlsOf } from "./DatabaseTls.ts"
import * as DataDirectory from "./DataDirectory.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { makePipelinedTransactions } from "./PipelinedTransactions.ts"
import { makePooledClient } from "./PooledClient.ts"
import { makeMeteredPool } from "./PoolMetrics.ts"
import type { PoolName } from "./PoolMetrics.ts"
import { types } from "./recordCodec.ts"

/** The PostgreSQL versions that the queries are written for and tested on. */
const majors = { oldest: 15, newest: 18 }

/** How long a start waits for a server that does not accept connections yet, in milliseconds. */
const startPatience = 10_000

/** The database cannot be used. The message says where it was looked for and why, and never contains a password. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** Which database to use. */
export class DatabaseTarget extends Context.Service<DatabaseTarget, {
  /** A libpq URI; its parameter `host` may be the directory of a Unix socket. */
  readonly url: Redacted.Redacted
}>()("countersign/runtime/DatabaseTarget") {
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

/** The host and the database of a URL, for messages: without user and password. */
export const addressOf = (url: Redacted.Redacted): string => {
  const destination = destinationOf(Redacted.value(url))
  const at = "path" in destination
    ? dirname(destination.path)
    : `${destination.host.includes(":") ? `[${destination.host}]` : destination.host}:${destination.port}`
  return `${at}${decodeURIComponent(new URL(Redacted.value(url)).pathname)}`
}

/** The message of PostgreSQL or the operating system. A failed connection to several addresses has several causes. */
const detailOf = ({ reason }: SqlError): string => {
  const { cause } = reason
  if (cause instanceof AggregateError) return cause.errors.map((error: Error) => error.message).join(", ")
  return cause instanceof Error && cause.message !== "" ? cause.message : reason.message ?? "unknown error"
}

/** The reason why a database cannot be used, and the cure. SQLSTATE 53100 is a full disk. */
export const causeAndCure = (error: SqlError): string =>
  `${detailOf(error)}. ${
    sqlStateOf(error) === "53100"
      ? "Make room on the disk of the database"
      : tlsCure(error.reason.cause) ?? "Check DATABASE_URL and that the server runs"
  }`

/** The SQLSTATE of an error of the server; undefined for one that came otherwise. */
export const sqlStateOf = ({ reason }: SqlError): string | undefined =>
  (reason.cause as { readonly code?: string } | undefined)?.code

/** Whether a server is missing, starting, stopping or full for the moment (SQLSTATE classes 08, 53 and 57). */
const isPassing = (error: SqlError): boolean =>
  (error.reason._tag === "ConnectionError" && tlsCure(error.reason.cause) === undefined) ||
  /^(53300|57P0[123])$/.test(sqlStateOf(error) ?? "")

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

/** The name of every session of this process, and of no other, so that a node can count its own. */
const applicationName = `countersign ${process.pid.toString(36)}-${Math.random().toString(36).slice(2, 8)}`

/** A server's version as it reports it; the number is 10000 for each major version. */
export interface ServerVersion {
  readonly number: number
  readonly name: string
}

/** The reason why a server of this version cannot be used; `undefined` when it can. */
export const refusalOf = (version: ServerVersion, address: string): string | undefined =>
  version.number >= majors.oldest * 10_000
    ? undefined
    : `The database at ${address} is PostgreSQL ${version.name}. Countersign needs PostgreSQL ${majors.oldest} or newer`

/** The warning about a server version that has not been tested; `undefined` for supported ones. */
export const warningOf = (version: ServerVersion, address: string): string | undefined =>
  version.number < (majors.newest + 1) * 10_000
    ? undefined
    : `The database at ${address} is PostgreSQL ${version.name}, which is newer than this release. It is tested with ` +
      `PostgreSQL ${majors.oldest} to ${majors.newest}`

/** One connection outside of the pools. */
export const connectOnce = (url: Redacted.Redacted, name: string) =>
  PgConnection.make({ url, ...tlsOf(Redacted.value(url)), applicationName: name, connectTimeout: "5 seconds" })

const serverVersion = (url: Redacted.Redacted): Effect.Effect<ServerVersion, SqlError> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connectOnce(url, applicationName)
    const { rows } = yield* connection.query(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as name"
    )
    return (rows as ReadonlyArray<unknown> as ReadonlyArray<ServerVersion>)[0]!
  }))

/** Waits for the server, and checks that its version is usable. */
const awaitServer = Effect.fnUntraced(function*(
  url: Redacted.Redacted
): Effect.fn.Return<void, DatabaseUnusable> {
  const address = addressOf(url)
  const deadline = (yield* Clock.currentTimeMillis) + startPatience
  for (let attempt = 1;; attempt++) {
    const answer = yield* Effect.result(serverVersion(url))
    if (answer._tag === "Success") {
      const refusal = refusalOf(answer.success, address)
      if (refusal === undefined) {
        yield* observeBuildInfo(answer.success.name)
        const warning = warningOf(answer.success, address)
        return warning === undefined ? undefined : yield* Effect.logWarning(warning)
      }
      return yield* new DatabaseUnusable({ message: refusal })
    }
    const isLate = (yield* Clock.currentTimeMillis) >= deadline
    if (isLate || !isPassing(answer.failure)) {
      return yield* new DatabaseUnusable({
        message: `Cannot use the database at ${address}${isLate ? ` after ${startPatience / 1000} s` : ""}: ` +
          causeAndCure(answer.failure)
      })
    }
    if (attempt === 1) {
      yield* Effect.logWarning(`Waiting for the database at ${address}: ${detailOf(answer.failure)}`)
    }
    yield* Effect.sleep("250 millis")
  }
})

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

/** A client on a metered pool of its own. */
const clientOf = (name: PoolName, ...options: Parameters<typeof poolOptions>) =>
  Effect.flatMap(makeMeteredPool(name, poolOptions(...options)), makePooledClient)

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
        const pool = yield* makeMeteredPool("groups", {
          ...poolOptions(url, connections.groups, api),
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

/**
 * A separate `SqlClient` for work without a statement timeout. Its connections are closed only when TCP detects that
 * the peer is gone.
 */
export const layerUnhurried = Layer.effect(
  SqlClient.SqlClient,
  unhurriedOptions().pipe(
    Effect.flatMap((options) => makeMeteredPool("unhurried", options)),
    Effect.flatMap(makePooledClient)
  )
).pipe(Layer.provide(Reactivity.layer), Layer.orDie)

/**
 * The same with one connection, whose session keeps locks and settings from one statement to the next. It ends before
 * the service begins, so no pool of the metrics is its own.
 */
export const layerMigration = Layer.effect(SqlClient.SqlClient, Effect.flatMap(unhurriedOptions(1), PgClient.make))
  .pipe(Layer.provide(Reactivity.layer), Layer.orDie)
