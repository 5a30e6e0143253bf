import type { PgConnection } from "@effect/sql-pg"
import { Data, Effect, Redacted, Runtime, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isSqlError } from "effect/sql/SqlError"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { sqlStateOf } from "../../services/ground/platform/SqlState.ts"
import { quoted } from "../backup/BackupTables.ts"
import { addressOf, causeAndCure, connectOnce } from "../postgres/DatabaseServer.ts"
import { exitCode } from "../terminal/ExitCode.ts"

/** The channel on which nodes are told that a move of the clock has ended, or that they are to leave the environment. */
export const clockChannel = "environment_clock"

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
  // Where a move leads that may be repeated: a span counts from where the clock was the first time.
  "CREATE TABLE IF NOT EXISTS environment_clock_moves (key text PRIMARY KEY, target timestamptz NOT NULL)",
  `CREATE OR REPLACE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT pg_catalog.now() + ahead FROM public.environment_clock'`,
  `CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM public.environment_clock'`,
  // Heartbeats of nodes move along: by their age the cluster would take all nodes for dead.
  `CREATE OR REPLACE FUNCTION environment_clock_moved(target timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
    DECLARE
      step interval;
    BEGIN
      -- A clock that was behind and has come within a second of real time goes with it from then on.
      SELECT CASE WHEN ahead < '0' AND ahead + needed BETWEEN interval '-1 second' AND interval '0'
        THEN -ahead ELSE needed END INTO step
      FROM public.environment_clock,
        LATERAL (SELECT greatest(target - pg_catalog.clock_timestamp() - ahead, interval '0') AS needed) n
      FOR UPDATE OF environment_clock;
      UPDATE public.environment_clock SET ahead = ahead + make_interval(secs => extract(epoch FROM step)::float8);
      IF to_regclass('public.node_runners') IS NOT NULL THEN
        EXECUTE 'UPDATE public.node_runners SET last_heartbeat = last_heartbeat + $1' USING step;
      END IF;
      RETURN public.clock_timestamp();
    END $$`
]

/** How often the admin token was rotated, which a reset keeps. */
const tokenStatements = [
  `CREATE TABLE IF NOT EXISTS environment_token (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    turn integer NOT NULL DEFAULT 0
  )`,
  "INSERT INTO environment_token DEFAULT VALUES ON CONFLICT DO NOTHING"
]

/** The environment's database cannot be used. The message says why, and what to do. */
export class EnvironmentAway extends Data.TaggedError("EnvironmentAway")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** Where the database of an environment is. */
export interface EnvironmentTarget {
  readonly name: EnvironmentName
  readonly url: Redacted.Redacted
  /** The name of the database. */
  readonly database: string
  /** The database next to which a missing one is created; undefined if an operator named the environment's. */
  readonly beside: Redacted.Redacted | undefined
}

/** The name of the sessions that create and empty a database. */
const session = "countersign environments"

/**
 * The name of the session of a command that fills an environment: while it exists, nobody else starts the
 * environment.
 */
export const fillingSession = "countersign seed"

/** The database name in a URL, which may be its parameter `dbname`. */
const databaseNamed = (url: URL): string =>
  url.searchParams.get("dbname") ?? decodeURIComponent(url.pathname.slice(1) || url.username)

/** A URL that names its database in one way only, so that every client reads the same name. */
const leadingTo = (url: URL, database: string): Redacted.Redacted => {
  url.searchParams.delete("dbname")
  url.pathname = `/${encodeURIComponent(database)}`
  return Redacted.make(url.href)
}

/**
 * The database of an environment: the configured one, or else one next to that of live. Test is the only one that can be
 * configured.
 */
export const targetOf = (
  name: EnvironmentName,
  live: Redacted.Redacted,
  namedForTest: Redacted.Redacted | undefined
): EnvironmentTarget => {
  const named = name === "test" ? namedForTest : undefined
  const url = new URL(Redacted.value(named ?? live))
  const database = named === undefined ? `${databaseNamed(url)}_${name}` : databaseNamed(url)
  return { name, url: leadingTo(url, database), database, beside: named === undefined ? live : undefined }
}

/** The longest name that PostgreSQL keeps, in bytes: a longer one is cut off, and may then be that of another database. */
const longestName = 63

/**
 * Whether a database belongs to an environment, or is empty. Any other is left alone, above all the live one: its
 * tables would get another clock, and a reset would delete them.
 */
const ownership = `SELECT to_regclass('public.environment_clock') IS NOT NULL AS marked,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')) AS used,
  EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${fillingSession}') AS filling`

const readPossible = Schema.decodeUnknownSync(Schema.Struct({ possible: Schema.Boolean }))
const readOwnership = Schema.decodeUnknownSync(
  Schema.Struct({ marked: Schema.Boolean, used: Schema.Boolean, filling: Schema.Boolean })
)

/** The lock for creating or emptying the database of an environment. */
const lock = "SELECT pg_advisory_xact_lock(x'436f7570'::int)"

const insufficientPrivilege = "42501"
const duplicateDatabase = "42P04"

/** The error about a name that a database cannot have; undefined if it can. */
const tooLong = ({ database, name }: EnvironmentTarget): string | undefined =>
  Buffer.byteLength(database) <= longestName ? undefined : `There is no ${name} environment: the name ${database} is ` +
    "too long for a database. Set COUNTERSIGN_TEST_DATABASE_URL to a database with a shorter name"

/** The error about a missing database that cannot be created. */
const cannotBeMade = ({ database, name }: EnvironmentTarget): string =>
  `There is no ${name} environment: its database ${database} is missing, and the role may not create ` +
  "it. Create it, owned by that role, or set COUNTERSIGN_TEST_DATABASE_URL"

/**
 * The reason why the environment is unavailable; undefined if its database exists, may be created, or was configured.
 * Changes nothing.
 */
export const whyNone = Effect.fnUntraced(function*(target: EnvironmentTarget) {
  if (target.beside === undefined) return undefined
  const long = tooLong(target)
  if (long !== undefined) return long
  const connection = yield* connectOnce(target.beside, session)
  const { rows: [found] } = yield* connection.query(
    `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)
      OR EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolcreatedb OR rolsuper)) AS possible`,
    [target.database]
  )
  return readPossible(found).possible ? undefined : cannotBeMade(target)
}, Effect.scoped)

/** Creates a database next to another, unless it exists. */
const create = Effect.fnUntraced(function*(target: EnvironmentTarget) {
  const { beside, database } = target
  if (beside === undefined) return
  const long = tooLong(target)
  if (long !== undefined) return yield* new EnvironmentAway({ message: long })
  const connection = yield* connectOnce(beside, session)
  const { rows } = yield* connection.query("SELECT FROM pg_database WHERE datname = $1", [database])
  if (rows.length > 0) return
  yield* connection.query(`CREATE DATABASE ${quoted(database)}`).pipe(
    Effect.catch((error): Effect.Effect<void, EnvironmentAway | SqlError> => {
      const code = sqlStateOf(error)
      if (code === duplicateDatabase) return Effect.void
      return code !== insufficientPrivilege ? Effect.fail(error) : Effect.fail(
        new EnvironmentAway({ message: cannotBeMade(target) })
      )
    }),
    Effect.asVoid
  )
}, Effect.scoped)

/** Temporary failures: two nodes at once, or a lock that is not free yet. */
const passing = new Set(["40P01", "55P03"])

/** Runs statements, one after the other. */
const runAll = (connection: PgConnection.PgConnection, statements: ReadonlyArray<string>) =>
  Effect.forEach(statements, (statement) => connection.query(statement), { discard: true })

/** Runs statements in one transaction, alone among nodes, on a database that is the environment's or `mayBeEmpty`. */
const alone = <A>(
  { name, url }: EnvironmentTarget,
  { isFilling = false, mayBeEmpty }: { readonly isFilling?: boolean; readonly mayBeEmpty: boolean },
  work: (connection: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* connectOnce(url, session)
    yield* runAll(connection, ["BEGIN", "SET LOCAL lock_timeout = '5s'", lock])
    const { rows: [found] } = yield* connection.query(ownership)
    const { filling, marked, used } = readOwnership(found)
    if (filling && !isFilling) {
      return yield* new EnvironmentAway({
        message: `The ${name} environment is being filled with sample data. Wait until countersign seed ends`
      })
    }
    if (!marked && (used || !mayBeEmpty)) {
      return yield* new EnvironmentAway({
        message:
          `The database ${addressOf(url)} is not that of a ${name} environment and has tables. It is left as it is: ` +
          "set COUNTERSIGN_TEST_DATABASE_URL to an empty database"
      })
    }
    const result = yield* work(connection)
    yield* connection.query("COMMIT")
    return result
  })).pipe(Effect.retry({
    while: (error) => isSqlError(error) && passing.has(sqlStateOf(error) ?? ""),
    schedule: Schedule.spaced("200 millis"),
    times: 5
  }))

/** Says of a failure of the database which environment cannot use it, and what to do. */
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

/** The life of an environment's data, which begins anew with each reset: the first part of its incarnation. */
const lifeOf = (incarnation: string): string => incarnation.split(".", 1)[0]!

/** Whether the data of two incarnations are the same: none was emptied to become the other. */
export const isSameLife = (one: string, other: string): boolean => lifeOf(one) === lifeOf(other)

const readIncarnation = Schema.decodeUnknownSync(Schema.Struct({ incarnation: Schema.String }))

const incarnationOf = (connection: PgConnection.PgConnection) =>
  Effect.map(
    connection.query("SELECT incarnation FROM public.environment_clock"),
    ({ rows: [row] }) => readIncarnation(row).incarnation
  )

/**
 * The question for a new session of an application that was started for an incarnation: whether that is the one that the
 * database has. While the database is emptied it waits, and then finds another one.
 */
export const isIncarnation = (incarnation: string): string =>
  `SELECT incarnation = '${incarnation.replaceAll("'", "''")}' AS admitted FROM public.environment_clock`

/** Makes the database of an environment where it is missing, and its clock; answers its incarnation. */
export const prepare = (target: EnvironmentTarget, isFilling = false): Effect.Effect<string, EnvironmentAway> =>
  away(
    target,
    Effect.andThen(
      create(target),
      alone(target, { mayBeEmpty: true, isFilling }, (connection) =>
        runAll(connection, [
          `ALTER DATABASE ${quoted(target.database)} SET search_path = public, pg_catalog`,
          "SET search_path = public, pg_catalog",
          ...clockStatements,
          ...tokenStatements
        ]).pipe(Effect.andThen(incarnationOf(connection))))
    )
  )

/**
 * The sessions of others on this database that are this role's, but for that of a command that fills it, and for those of
 * whoever else makes or empties it: these wait for {@link lock}, and have seen nothing before they have it.
 */
const others = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND usename = current_user AND application_name NOT IN ('${fillingSession}', '${session}')`

/** Ends the sessions of others. Within a transaction PostgreSQL would go on showing those of its first look. */
const endOthers = ["SELECT pg_stat_clear_snapshot()", `SELECT pg_terminate_backend(pid) ${others}`]

/**
 * Empties the database of an environment: everything in it is gone, and other sessions on it are ended. Its clock begins at
 * `now`, or at real time. Does nothing where the data of `incarnation` is gone already, because somebody else was asked to
 * empty the environment at the same time.
 */
export const empty = (
  target: EnvironmentTarget,
  { incarnation, isFilling = false, now }: {
    readonly incarnation?: string
    readonly isFilling?: boolean
    readonly now?: Date | undefined
  } = {}
): Effect.Effect<void, EnvironmentAway> =>
  away(
    target,
    alone(target, { mayBeEmpty: false, isFilling }, (connection) =>
      Effect.gen(function*() {
        if (incarnation !== undefined && !isSameLife(incarnation, yield* incarnationOf(connection))) return
        yield* runAll(connection, [
          ...endOthers,
          "CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT turn FROM public.environment_token",
          "DROP SCHEMA public CASCADE",
          // From here on a session that begins waits for this one. One that began before the tables were locked could go on.
          ...endOthers,
          "CREATE SCHEMA public",
          "SET search_path = public, pg_catalog",
          ...clockStatements,
          ...tokenStatements,
          "UPDATE environment_token SET turn = kept.turn FROM kept",
          ...(now === undefined ? [] : [
            `UPDATE environment_clock SET ahead = make_interval(secs =>
              extract(epoch FROM '${now.toISOString()}'::timestamptz - pg_catalog.clock_timestamp())::float8)`
          ])
        ])
      }))
  )

/** The time in which the nodes of an environment notice that they have to stop, and do so. */
const leavesWithin = "30 seconds"

/** Stops every node of an environment: they treat it as emptied. */
export const vacate = (target: EnvironmentTarget): Effect.Effect<void, EnvironmentAway> =>
  away(
    target,
    Effect.scoped(Effect.gen(function*() {
      const connection = yield* connectOnce(target.url, session)
      yield* runAll(connection, [
        "UPDATE public.environment_clock SET incarnation = split_part(incarnation, '.', 1) || '.' || gen_random_uuid()",
        `NOTIFY ${clockChannel}`
      ])
      const used = Effect.map(connection.query(`SELECT ${others}`), ({ rows }) => rows.length > 0)
      yield* Effect.repeat(used, { schedule: Schedule.spaced("100 millis"), while: (isUsed) => isUsed }).pipe(
        Effect.timeoutOrElse({
          duration: leavesWithin,
          orElse: () =>
            Effect.fail(new EnvironmentAway({ message: `The ${target.name} environment is in use. Try again later` }))
        })
      )
    }))
  )

const readBegun = Schema.decodeUnknownSync(Schema.Struct({ begun: Schema.Boolean, turned: Schema.Boolean }))
const readTurn = Schema.decodeUnknownSync(Schema.Struct({ turn: Schema.Int }))

const missingDatabase = "3D000"

/** The use of the database of an environment, which may be missing. */
interface DatabaseUse {
  /** Whether it is there and has been used. */
  readonly begun: boolean
  /** How often its admin token was rotated. */
  readonly turn: number
}

/** Whether and how the database of an environment has been used. Changes nothing. */
export const databaseUseOf = (target: EnvironmentTarget): Effect.Effect<DatabaseUse, EnvironmentAway> =>
  away(
    target,
    Effect.scoped(Effect.gen(function*() {
      const connection = yield* connectOnce(target.url, session)
      const { rows: [found] } = yield* connection.query(
        "SELECT to_regclass('public.environment_clock') IS NOT NULL AND to_regclass('public.data_keys') IS NOT NULL AS begun, " +
          "to_regclass('public.environment_token') IS NOT NULL AS turned"
      )
      const { begun, turned } = readBegun(found)
      if (!turned) return { begun, turn: 0 }
      const { rows: [row] } = yield* connection.query("SELECT turn FROM public.environment_token")
      return { begun, turn: readTurn(row).turn }
    })).pipe(
      Effect.catchIf((error) => sqlStateOf(error) === missingDatabase, () => Effect.succeed({ begun: false, turn: 0 }))
    )
  )
