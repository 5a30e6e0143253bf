import { Data, Effect, Redacted, Runtime } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isSqlError } from "effect/sql/SqlError"
import type { EnvironmentName } from "../../domain/environments/EnvironmentName.ts"
import { addressOf, causeAndCure, connectOnce } from "../postgres/Database.ts"
import { exitCode } from "../terminal/ExitCode.ts"

/** The environment has no database that can be used. The message says why, and what to do. */
export class EnvironmentAway extends Data.TaggedError("EnvironmentAway")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** Where the database of an environment is. */
export interface EnvironmentTarget {
  readonly name: EnvironmentName
  readonly url: Redacted.Redacted
  /** The database beside which it is made where it is missing; undefined for one that an operator named. */
  readonly beside: Redacted.Redacted | undefined
}

/** The name of the sessions that make and empty a database. */
const session = "countersign environments"

/** The database of an environment: the one that is named for it, or else the one beside that of live. */
export const targetOf = (
  name: EnvironmentName,
  live: Redacted.Redacted,
  named: Redacted.Redacted | undefined
): EnvironmentTarget => {
  if (named !== undefined) return { name, url: named, beside: undefined }
  const url = new URL(Redacted.value(live))
  url.pathname = `${url.pathname === "/" ? `/${url.username}` : url.pathname}_${name}`
  return { name, url: Redacted.make(url.href), beside: live }
}

const databaseOf = (url: Redacted.Redacted) => decodeURIComponent(new URL(Redacted.value(url)).pathname.slice(1))

const quoted = (name: string) => `"${name.replaceAll("\"", "\"\"")}"`

/**
 * The clock: functions of the names of PostgreSQL's own, which stand before them in the search path of this database, so that
 * every statement, default and index condition reads the moved time. `pg_catalog` keeps the real one.
 */
const clockStatements = [
  `CREATE TABLE IF NOT EXISTS environment_clock (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    ahead interval NOT NULL DEFAULT interval '0',
    incarnation text NOT NULL DEFAULT gen_random_uuid()::text
  )`,
  "INSERT INTO environment_clock DEFAULT VALUES ON CONFLICT DO NOTHING",
  `CREATE OR REPLACE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT pg_catalog.now() + ahead FROM public.environment_clock'`,
  `CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.environment_clock'`,
  // Heartbeats of nodes move along: by their age the cluster would take all nodes for dead.
  `CREATE OR REPLACE FUNCTION environment_clock_moved(target timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
    DECLARE
      step interval;
    BEGIN
      SELECT greatest(target - pg_catalog.clock_timestamp() - ahead, interval '0') INTO step
      FROM public.environment_clock FOR UPDATE;
      UPDATE public.environment_clock SET ahead = ahead + make_interval(secs => extract(epoch FROM step)::float8);
      IF to_regclass('public.node_runners') IS NOT NULL THEN
        EXECUTE 'UPDATE public.node_runners SET last_heartbeat = last_heartbeat + $1' USING step;
      END IF;
      RETURN public.clock_timestamp();
    END $$`
]

/** The lock of whoever makes or empties the database of an environment. */
const lock = "SELECT pg_advisory_xact_lock(x'436f7570'::int)"

const codeOf = (error: SqlError): string | undefined =>
  (error.reason.cause as { readonly code?: string } | undefined)?.code

const insufficientPrivilege = "42501"
const duplicateDatabase = "42P04"

/** Says that the database is missing and cannot be made, and what to do. */
const cannotBeMade = ({ name, url }: EnvironmentTarget): string =>
  `There is no ${name} environment: its database ${databaseOf(url)} is missing, and the role may not create ` +
  "it. Create it, owned by that role, or set COUNTERSIGN_TEST_DATABASE_URL"

/**
 * The reason why there can be no such environment; undefined where its database is there, may be made, or was named by the operator.
 * Changes nothing.
 */
export const whyNone = Effect.fnUntraced(function*(target: EnvironmentTarget) {
  if (target.beside === undefined) return undefined
  const connection = yield* connectOnce(target.beside, session)
  const { rows } = yield* connection.query(
    `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)
      OR EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolcreatedb OR rolsuper)) AS possible`,
    [databaseOf(target.url)]
  )
  return (rows[0] as { readonly possible: boolean }).possible ? undefined : cannotBeMade(target)
}, Effect.scoped)

/** Makes a database beside another, unless it is there. */
const create = Effect.fnUntraced(function*(target: EnvironmentTarget) {
  const { beside, url } = target
  if (beside === undefined) return
  const connection = yield* connectOnce(beside, session)
  const database = databaseOf(url)
  const { rows } = yield* connection.query("SELECT FROM pg_database WHERE datname = $1", [database])
  if (rows.length > 0) return
  yield* connection.query(`CREATE DATABASE ${quoted(database)}`).pipe(
    Effect.catch((error): Effect.Effect<void, EnvironmentAway | SqlError> => {
      const code = codeOf(error)
      if (code === duplicateDatabase) return Effect.void
      return code !== insufficientPrivilege ? Effect.fail(error) : Effect.fail(
        new EnvironmentAway({ message: cannotBeMade(target) })
      )
    }),
    Effect.asVoid
  )
}, Effect.scoped)

/** Runs statements in one transaction, alone among nodes. */
const alone = (url: Redacted.Redacted, statements: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connectOnce(url, session)
    for (const statement of ["BEGIN", lock, ...statements, "COMMIT"]) yield* connection.query(statement)
  }))

const away = <A, R>(
  { name, url }: EnvironmentTarget,
  work: Effect.Effect<A, EnvironmentAway | SqlError, R>
): Effect.Effect<A, EnvironmentAway, R> =>
  Effect.mapError(work, (error) =>
    isSqlError(error)
      ? new EnvironmentAway({
        message: `The ${name} environment cannot use its database at ${addressOf(url)}: ${causeAndCure(error)}`
      })
      : error)

/** Makes the database of an environment where it is missing, and its clock. */
export const prepare = (target: EnvironmentTarget): Effect.Effect<void, EnvironmentAway> =>
  away(
    target,
    Effect.andThen(
      create(target),
      alone(target.url, [
        `ALTER DATABASE ${quoted(databaseOf(target.url))} SET search_path = public, pg_catalog`,
        "SET search_path = public, pg_catalog",
        ...clockStatements
      ])
    )
  )

/** Empties the database of an environment: everything in it is gone, and other sessions on it are ended. */
export const empty = (target: EnvironmentTarget): Effect.Effect<void, EnvironmentAway> =>
  away(
    target,
    alone(target.url, [
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      "DROP SCHEMA public CASCADE",
      "CREATE SCHEMA public",
      "SET search_path = public, pg_catalog",
      ...clockStatements
    ])
  )
