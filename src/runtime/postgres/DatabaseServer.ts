import { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Data, Effect, Redacted, Runtime, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { dirname } from "node:path"
import { isDiskFull, isServerAway } from "../../services/ground/platform/SqlState.ts"
import { observeBuildInfo } from "../BuildInfo.ts"
import { exitCode } from "../terminal/ExitCode.ts"
import { destinationOf, tlsCure, tlsOf } from "./DatabaseTls.ts"

/**
 * The size of each pool; connections open on demand. Of the API's, two are held for as long as a node runs (LISTEN, and
 * its membership in the cluster), `transactionsAtOnce` are for requests, and the rest is for the service's own work
 * and statements outside transactions.
 */
export interface DatabasePools {
  readonly api: number
  readonly groups: number
  readonly questions: number
  readonly delivery: number
  readonly unhurried: number
  /** How many groups may wait for a lock. */
  readonly patientGroups: number
  /** The maximum of requests with an open transaction. */
  readonly transactionsAtOnce: number
  /** Settings of every session besides those of all, under PostgreSQL's names. */
  readonly session: Readonly<Record<string, string>>
  /** The question that a new session must answer true, in `admitted`, before it serves anybody; undefined where none is asked. */
  readonly question: string | undefined
}

/** The pools of this process on a database; those of an environment beside the live one are smaller. */
export const DatabasePools = Context.Reference<DatabasePools>("countersign/runtime/DatabasePools", {
  defaultValue: () => ({
    api: 10,
    groups: 4,
    questions: 3,
    delivery: 4,
    unhurried: 2,
    patientGroups: 2,
    transactionsAtOnce: 6,
    session: {},
    question: undefined
  })
})

/** The PostgreSQL versions that the queries are written for and tested on. */
const majors = { oldest: 15, newest: 18 }

/** How long a start waits for a server that does not accept connections yet, in milliseconds. */
const startPatience = 10_000

/** The database cannot be used. The message says where it was looked for and why, and never contains a password. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The name of every session of this process, and of no other, so that a node can count its own. */
export const applicationName = `countersign ${process.pid.toString(36)}-${Math.random().toString(36).slice(2, 8)}`

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

/** The reason why a database cannot be used, and the cure. */
export const causeAndCure = (error: SqlError): string =>
  `${detailOf(error)}. ${
    isDiskFull(error)
      ? "Make room on the disk of the database"
      : tlsCure(error.reason.cause) ?? "Check DATABASE_URL and that the server runs"
  }`

/** Whether a server is missing, starting, stopping or full for the moment. */
const isPassing = (error: SqlError): boolean =>
  (error.reason._tag === "ConnectionError" && tlsCure(error.reason.cause) === undefined) ||
  isServerAway(error)

/** A server's version as it reports it; the number is 10000 for each major version. */
const ServerVersion = Schema.Struct({ number: Schema.Int, name: Schema.String })
type ServerVersion = typeof ServerVersion.Type

const decodeVersions = Schema.decodeUnknownSync(Schema.NonEmptyArray(ServerVersion))

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
    return decodeVersions(rows)[0]
  }))

/** Waits for the server, and checks that its version is usable. */
export const awaitServer = Effect.fnUntraced(function*(
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
