import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Stream } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import type { ConnectionOptions } from "node:tls"
import { Client, types as parsers } from "pg"
import type { ClientConfig, CustomTypesConfig } from "pg"
import { from as copyFrom, to as copyTo } from "pg-copy-streams"
import { addressOf } from "../postgres/DatabaseServer.ts"
import { destinationOf, tlsCure, tlsOf } from "../postgres/DatabaseTls.ts"
import { Away } from "../terminal/ExitCode.ts"

/**
 * A connection with COPY, which the service's driver does not support: tables travel as PostgreSQL's own text,
 * several times faster than by statements, and every value comes back unchanged.
 */
export interface CopyConnection {
  /** Statements on this connection; all of it is one transaction when it runs in `withTransaction`. */
  readonly sql: SqlClient.SqlClient
  /** Rows of a statement outside of `sql`, in the same session. */
  readonly rows: <A extends object>(text: string, parameters?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<A>>
  /** The bytes that `COPY ... TO STDOUT` sends. */
  readonly copyOut: (text: string) => Readable
  /** The bytes that `COPY ... FROM STDIN` takes. */
  readonly copyIn: (text: string) => Writable
}

/**
 * Settings that make the text of a value the same on every server and in every session, and that switch timeouts off.
 */
const session = `
  SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '10s';
  SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres'; SET TimeZone = 'UTC';
  SET extra_float_digits = 3; SET bytea_output = 'hex'; SET client_min_messages = 'warning'`

/** pg's parsers, but for int8, which the service's driver reads as a bigint. */
const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === parsers.builtins.INT8 ? BigInt : parsers.getTypeParser(oid, format as "text")
}

const configOf = (
  url: Redacted.Redacted,
  applicationName: string,
  ssl: boolean | ConnectionOptions,
  socket: Socket
): ClientConfig => {
  const { password, pathname, searchParams, username } = new URL(Redacted.value(url))
  const destination = destinationOf(Redacted.value(url))
  const options = searchParams.get("options")
  return {
    ...("path" in destination
      // pg makes the path of the socket from the directory and the port.
      ? {
        host: destination.path.replace(/\/\.s\.PGSQL\.\d+$/, ""),
        port: Number(/\d+$/.exec(destination.path)![0])
      }
      : destination),
    user: searchParams.get("user") ?? decodeURIComponent(username),
    password: searchParams.get("password") ?? decodeURIComponent(password),
    database: searchParams.get("dbname") ?? decodeURIComponent(pathname.slice(1)),
    ...(options === null ? {} : { options }),
    ssl: "path" in destination ? false : ssl,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
    keepAlive: true,
    types
  }
}

/** A session, and the socket below it. */
interface Opened {
  readonly client: Client
  readonly socket: Socket
}

/** Connects as encrypted as the service's driver does. */
const connected = async (url: Redacted.Redacted, applicationName: string): Promise<Opened> => {
  const { ssl } = tlsOf(Redacted.value(url))
  const attempt = async (ssl: boolean | ConnectionOptions) => {
    const socket = new Socket()
    const client = new Client(configOf(url, applicationName, ssl, socket))
    // A lost connection fails the operation that uses it; without a listener it would end the process.
    client.on("error", () => {})
    try {
      await client.connect()
      await client.query(session)
      return { client, socket }
    } catch (cause) {
      socket.destroy()
      throw cause
    }
  }
  if (ssl !== undefined) return attempt(ssl)
  return attempt(true).catch((cause: Error) => {
    if (/does not support SSL/.test(cause.message)) return attempt(false)
    throw cause
  })
}

const failed = (cause: unknown): SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({ reason: new UnknownError({ cause, message, operation: "execute" }) })
}

/** The connection as the statements of Effect's client use it. */
const statements = (client: Client): SqlConnection.Connection => {
  const run = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.tryPromise({ try: () => client.query(text, [...parameters]), catch: failed })
  const values = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(
      Effect.tryPromise({
        try: () => client.query<Array<unknown>>({ text, values: [...parameters], rowMode: "array" }),
        catch: failed
      }),
      (result) => result.rows
    )
  const execute: SqlConnection.Connection["execute"] = (text, parameters, transform) =>
    Effect.map(run(text, parameters), ({ rows }) => transform === undefined ? rows : transform(rows))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: run,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: () => Stream.die(new Error("This connection has no streams"))
  }
}

/** Opens a {@link CopyConnection} for the scope. */
export const connect = Effect.fnUntraced(function*(
  url: Redacted.Redacted,
  applicationName: string
): Effect.fn.Return<CopyConnection, Away, Scope.Scope> {
  const { client } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => connected(url, applicationName),
      catch: (cause) =>
        new Away({
          message: `Cannot use the database at ${addressOf(url)}: ${
            cause instanceof AggregateError
              ? cause.errors.map((error: Error) => error.message).join(", ")
              : (cause as Error).message
          }. ${tlsCure(cause) ?? "Check DATABASE_URL and that the server runs"}`
        })
    }),
    // The rest of the protocol after an interrupted COPY is of no interest: the server ends the transaction.
    ({ client, socket }) =>
      Effect.promise(() => client.end().catch(() => {})).pipe(
        Effect.timeoutOption("2 seconds"),
        Effect.andThen(Effect.sync(() => socket.destroy()))
      )
  )
  const sql = yield* SqlClient.make({
    acquirer: Effect.succeed(statements(client)),
    driver: "pg",
    compiler: PgClient.makeCompiler(),
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
  return {
    sql,
    rows: async (text, parameters = []) => (await client.query(text, [...parameters])).rows,
    copyOut: (text) => client.query(copyTo(text, { highWaterMark: 1024 * 1024 })),
    copyIn: (text) => client.query(copyFrom(text))
  }
})
