import { PgClient, PgConnection } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { DeliverySql } from "../services/DeliverySql.ts"
import { AppConfig } from "./Config.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"

/** The oldest PostgreSQL that the queries are written for. */
const oldestMajor = 15

/** How long a start waits for a server that does not take connections yet, in milliseconds. */
const patience = 10_000

/** The database cannot be used. The message says where it was looked for and why, and never holds a password. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {}

/** Which database to use. */
export class DatabaseTarget extends Context.Service<DatabaseTarget, {
  /** A libpq URI; `host` may be the directory of a Unix socket, as a parameter. */
  readonly url: Redacted.Redacted
}>()("countersign/runtime/DatabaseTarget") {
  /** The server of `DATABASE_URL`, otherwise one of our own in the data directory. */
  static readonly layer = Layer.effect(
    DatabaseTarget,
    Effect.gen(function*() {
      const { databaseUrl, dataDirectory } = yield* AppConfig
      if (databaseUrl !== undefined) return { url: databaseUrl }
      const { url } = yield* EmbeddedPostgres.start({ directory: dataDirectory })
      return { url }
    })
  )
}

/** The host and the database of a URL, for people: without user and password. */
export const addressOf = (url: Redacted.Redacted): string => {
  const { hostname, port, pathname, searchParams } = new URL(Redacted.value(url))
  const host = searchParams.get("host") ?? (decodeURIComponent(hostname) || "localhost")
  const at = host.startsWith("/") ? host : `${host}:${searchParams.get("port") ?? (port || "5432")}`
  return `${at}${decodeURIComponent(pathname)}`
}

/** What PostgreSQL or the operating system said. The causes of a failed connection to several addresses are many. */
const detailOf = ({ reason }: SqlError): string => {
  const { cause } = reason
  if (cause instanceof AggregateError) return cause.errors.map((error: Error) => error.message).join(", ")
  return cause instanceof Error && cause.message !== "" ? cause.message : reason.message ?? "unknown error"
}

/** A server that is not there yet, starts, stops or is full for the moment (classes 08, 53 and 57 of SQLSTATE). */
const isPassing = ({ reason }: SqlError): boolean => {
  const code = (reason.cause as { readonly code?: string } | undefined)?.code
  return reason._tag === "ConnectionError" || /^(53300|57P0[123])$/.test(code ?? "")
}

/**
 * Every session's settings. Names are PostgreSQL's. A node that stops in the middle of a transaction holds up the feed
 * of all nodes, so the server ends such a transaction no later than the others take over the node's work.
 */
const session = {
  applicationName: "countersign",
  startupParameters: { statement_timeout: "30s", idle_in_transaction_session_timeout: "5s" },
  keepAlive: "30 seconds"
} as const

/** A server's version as it tells it: the number is 10000 for each major version. */
export interface ServerVersion {
  readonly number: number
  readonly name: string
}

/** Why a server of this version cannot be used; `undefined` when it can. */
export const refusalOf = (version: ServerVersion, address: string): string | undefined =>
  version.number >= oldestMajor * 10_000
    ? undefined
    : `The database at ${address} is PostgreSQL ${version.name}. Countersign needs PostgreSQL ${oldestMajor} or newer`

const serverVersion = (url: Redacted.Redacted): Effect.Effect<ServerVersion, SqlError> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url, ...session, connectTimeout: "5 seconds" })
    const { rows } = yield* connection.query(
      "select current_setting('server_version_num')::int as number, current_setting('server_version') as name"
    )
    return (rows as ReadonlyArray<unknown> as ReadonlyArray<ServerVersion>)[0]!
  }))

/** Waits for the server, and checks that it is one we can use. */
const awaitServer = Effect.fnUntraced(function*(
  url: Redacted.Redacted
): Effect.fn.Return<void, DatabaseUnusable> {
  const address = addressOf(url)
  const deadline = (yield* Clock.currentTimeMillis) + patience
  for (let attempt = 1;; attempt++) {
    const answer = yield* Effect.result(serverVersion(url))
    if (answer._tag === "Success") {
      const refusal = refusalOf(answer.success, address)
      if (refusal === undefined) return
      return yield* new DatabaseUnusable({ message: refusal })
    }
    const isLate = (yield* Clock.currentTimeMillis) >= deadline
    if (isLate || !isPassing(answer.failure)) {
      return yield* new DatabaseUnusable({
        message: `Cannot use the database at ${address}${isLate ? ` after ${patience / 1000} s` : ""}: ` +
          `${detailOf(answer.failure)}. Check DATABASE_URL and that the server runs`
      })
    }
    if (attempt === 1) {
      yield* Effect.logWarning(`Waiting for the database at ${address}: ${detailOf(answer.failure)}`)
    }
    yield* Effect.sleep("250 millis")
  }
})

const pool = (url: Redacted.Redacted, maxConnections: number) =>
  PgClient.make({ url, ...session, multiplex: true, maxConnections })

/**
 * Two pools to the target: the one of the API (10 connections), as `SqlClient` and `PgClient`, and the one of delivery
 * (4). Connections open when they are needed and are replaced when they are lost, so a database that goes away fails
 * the statements of that time and nothing else.
 */
export const layerTarget = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* DatabaseTarget
  yield* awaitServer(url)
  return Layer.mergeAll(
    Layer.effectContext(
      Effect.map(
        pool(url, 10),
        (client) => Context.make(PgClient.PgClient, client).pipe(Context.add(SqlClient.SqlClient, client))
      )
    ),
    Layer.effect(DeliverySql, pool(url, 4))
  ).pipe(Layer.provide(Reactivity.layer), Layer.orDie)
}))

/** {@link layerTarget} for the configured database. */
export const layer = Layer.provideMerge(layerTarget, DatabaseTarget.layer)
