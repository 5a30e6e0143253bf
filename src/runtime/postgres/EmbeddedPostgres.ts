import { PgConnection } from "@effect/sql-pg"
import { Context, Deferred, Effect, Redacted, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { doublingPauses } from "../../services/ground/platform/Supervised.ts"
import * as DataDirectory from "./DataDirectory.ts"
import { EmbeddedPostgresError, ensureServerAccount, locate, spawnOptions } from "./PostgresBinaries.ts"
import type { PostgresBinaries, PostgresBinariesOptions } from "./PostgresBinaries.ts"
import { configure, inDirectory, initialise, isForeign, removeStaleFile, role, running } from "./PostgresCluster.ts"
import type { PostgresCluster, PostgresUse } from "./PostgresCluster.ts"

/** Options of an embedded server. */
export interface EmbeddedPostgresOptions extends Partial<PostgresUse> {
  /** The data directory of the service. The server's files are in its subdirectory `postgres`. */
  readonly directory: string
  /** Replaces the package in node_modules and the usual places for a copy. */
  readonly binaries?: Partial<PostgresBinariesOptions>
}

/** A server that accepts connections. */
export interface EmbeddedPostgres {
  /** The URL to connect to: it names the directory of a Unix socket, and has no password. */
  readonly url: Redacted.Redacted
  /** Whether the server was already running, left behind by a killed service. */
  readonly isAdopted: boolean
}

/** The maximum length of a socket path, in bytes: `sun_path` without its final zero. */
const longestSocketPath = process.platform === "linux" ? 107 : 103

/**
 * The directory of the socket, as a path short enough to connect to. Linux reaches any directory through a descriptor,
 * which stays open for the scope; by this process's number, so that the processes it starts reach it too.
 */
const socketDirectory = (cluster: PostgresCluster): Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> => {
  if (Buffer.byteLength(Path.join(cluster.directory, ".s.PGSQL.5432")) <= longestSocketPath) {
    return Effect.succeed(cluster.directory)
  }
  if (process.platform !== "linux") {
    return Effect.fail(
      new EmbeddedPostgresError({
        message:
          `The path ${cluster.directory} is too long for a Unix socket. Set COUNTERSIGN_DATA_DIR to a shorter one`
      })
    )
  }
  return Effect.acquireRelease(
    Effect.sync(() => Fs.openSync(cluster.directory, Fs.constants.O_RDONLY | Fs.constants.O_DIRECTORY)),
    (descriptor) => Effect.sync(() => Fs.closeSync(descriptor))
  ).pipe(Effect.map((descriptor) => `/proc/${process.pid}/fd/${descriptor}`))
}

const urlOf = (socket: string, database: string): Redacted.Redacted =>
  Redacted.make(`postgres://${role}@localhost/${database}?host=${encodeURIComponent(socket)}`)

const logTail = (cluster: PostgresCluster): string =>
  (DataDirectory.readIfPresent(cluster.log) ?? "").trim().split("\n").slice(-5).join("\n  ")

const decodeServers = Schema.decodeUnknownSync(
  Schema.NonEmptyArray(Schema.Struct({ version: Schema.String, found: Schema.Boolean }))
)

/** Connects to the server, creates our database if it is missing, and returns the server's version. */
const check = (socket: string): Effect.Effect<string, SqlError> =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url: urlOf(socket, "postgres"), applicationName: "countersign" })
    const { rows } = yield* connection.query(
      "select split_part(current_setting('server_version'), ' ', 1) as version, " +
        "exists (select from pg_database where datname = $1) as found",
      [role]
    )
    const [{ found, version }] = decodeServers(rows)
    if (!found) yield* connection.query(`create database ${role}`)
    return version
  }))

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // The process has already ended.
  }
}

/** Waits until no process of the server runs. Returns whether that happened within the time, in milliseconds. */
const isGone = (cluster: PostgresCluster, milliseconds: number): Effect.Effect<boolean> =>
  Effect.sync(() => running(cluster) === undefined).pipe(
    Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (gone) => gone, times: milliseconds / 10 })
  )

/**
 * Stops the server: ends its sessions and flushes everything (SIGINT, "fast"). A server that does not stop within the
 * patience, in milliseconds, is ended without a flush and recovers at its next start.
 */
const stop = Effect.fnUntraced(function*(cluster: PostgresCluster, patience: number) {
  for (const [name, milliseconds] of [["SIGINT", patience], ["SIGQUIT", 2000], ["SIGKILL", 2000]] as const) {
    const server = running(cluster)
    if (server === undefined) return
    signal(server.pid, name)
    if (yield* isGone(cluster, milliseconds)) return
  }
})

const spawnServer = (
  cluster: PostgresCluster,
  binaries: PostgresBinaries
): Effect.Effect<ChildProcess, EmbeddedPostgresError> =>
  Effect.callback((resume) => {
    const failed = (cause: unknown) =>
      resume(Effect.fail(
        new EmbeddedPostgresError({ message: `Cannot start the embedded PostgreSQL: ${(cause as Error).message}` })
      ))
    try {
      if (Fs.existsSync(cluster.log)) Fs.renameSync(cluster.log, `${cluster.log}.1`)
      const log = Fs.openSync(cluster.log, "a", 0o600)
      try {
        // In a session of its own, so that Ctrl-C at the terminal does not stop it before the service has drained.
        const child = spawn(Path.join(binaries.directory, "postgres"), ["-D", cluster.argument], {
          ...spawnOptions(cluster.user, cluster.directory),
          stdio: ["ignore", log, log],
          detached: true
        })
        child.unref()
        child.once("error", failed)
        child.once("spawn", () => resume(Effect.succeed(child)))
      } finally {
        Fs.closeSync(log)
      }
    } catch (cause) {
      failed(cause)
    }
  })

/** Whether a start failed for a temporary reason: backends of a killed server hold its memory until they notice. */
const isPassing = (log: string): boolean => /pre-existing shared memory block|lock file ".*" already exists/.test(log)

/** Starts the server and waits until it accepts connections, however long recovery takes. */
const launch = Effect.fnUntraced(function*(
  cluster: PostgresCluster,
  binaries: PostgresBinaries
): Effect.fn.Return<void, EmbeddedPostgresError> {
  for (let attempt = 1;; attempt++) {
    if (running(cluster)?.isReady === true) return
    removeStaleFile(cluster)
    const child = yield* spawnServer(cluster, binaries)
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    const isReady = yield* Effect.sync(() => {
      const server = running(cluster)
      return server?.pid === child.pid && server?.isReady === true
    }).pipe(
      Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (ready) => ready || hasEnded() }),
      // Until it has written postmaster.pid, only its parent can find it.
      Effect.onInterrupt(() => Effect.sync(() => child.kill("SIGINT")))
    )
    if (isReady) return
    const log = logTail(cluster)
    if (attempt >= 50 || !isPassing(log)) {
      return yield* new EmbeddedPostgresError({
        message: `The embedded PostgreSQL in ${cluster.directory} ended while it started:\n  ${log}` +
          (yield* DataDirectory.diskCure(cluster.directory, log))
      })
    }
    yield* Effect.sleep("100 millis")
  }
})

/**
 * Adopts a server that a killed service left running, if it has these settings and this version and answers within 3
 * seconds. Returns whether it did; a server that cannot be adopted is stopped.
 */
const adopt = Effect.fnUntraced(function*(
  cluster: PostgresCluster,
  binaries: PostgresBinaries,
  socket: string,
  isReconfigured: boolean
) {
  if (running(cluster) === undefined) return false
  if (!isReconfigured) {
    const version = yield* check(socket).pipe(
      Effect.retry({ schedule: Schedule.spaced("50 millis"), while: () => running(cluster) !== undefined }),
      Effect.timeoutOption("3 seconds"),
      Effect.orElseSucceed(() => undefined)
    )
    if (version?._tag === "Some" && version.value === binaries.version) return true
  }
  yield* Effect.logWarning("Stopping an embedded PostgreSQL that an earlier start left behind")
  yield* stop(cluster, 2000)
  return false
})

/** Restarts the server whenever it ends while the service runs. */
const supervise = (cluster: PostgresCluster, binaries: PostgresBinaries): Effect.Effect<never> =>
  Effect.gen(function*() {
    yield* Effect.sleep("250 millis")
    if (running(cluster) !== undefined) return
    yield* Effect.logError("The embedded PostgreSQL ended, starting it again")
    yield* launch(cluster, binaries).pipe(
      Effect.tapError((error) => Effect.logError(error.message)),
      Effect.retry(doublingPauses("200 millis", "10 seconds")),
      Effect.orDie
    )
    yield* Effect.logInfo("The embedded PostgreSQL runs again")
  }).pipe(Effect.forever)

/** The reason why a server did not start. */
type StartFailure = EmbeddedPostgresError | DataDirectory.DataDirectoryError

/**
 * Runs a PostgreSQL in the data directory until the scope closes; the first start creates it. Only the operating
 * system's user of this process can connect. Fails when another live service uses the directory.
 */
export const start = Effect.fnUntraced(function*(
  options: EmbeddedPostgresOptions
): Effect.fn.Return<EmbeddedPostgres, StartFailure, Scope.Scope> {
  yield* DataDirectory.ensure(options.directory)
  yield* DataDirectory.own(options.directory)
  yield* ensureServerAccount(Path.join(options.directory, "postgres"))
  const cluster = yield* inDirectory(options.directory)
  const binaries = yield* locate(options.directory, cluster.user, options.binaries)
  // Its files are about to change owner, which a running server would not survive.
  if (isForeign(cluster)) yield* stop(cluster, 20_000)
  yield* initialise(cluster, binaries)
  const socket = yield* socketDirectory(cluster)
  yield* Effect.addFinalizer(() => stop(cluster, 4000))
  // A process that exits without a complete stop still stops its server.
  const abandon = () => {
    const server = running(cluster)
    if (server !== undefined) signal(server.pid, "SIGINT")
  }
  process.once("exit", abandon)
  yield* Effect.addFinalizer(() => Effect.sync(() => process.removeListener("exit", abandon)))

  const isReconfigured = yield* configure(cluster, { durable: true, connections: 200, ...options })
  const isAdopted = yield* adopt(cluster, binaries, socket, isReconfigured)
  if (!isAdopted) {
    yield* launch(cluster, binaries)
    yield* check(socket).pipe(
      Effect.catch(Effect.fnUntraced(function*(error) {
        const log = logTail(cluster)
        return yield* new EmbeddedPostgresError({
          message: `The embedded PostgreSQL does not respond: ${error.reason.message}\n  ${log}` +
            (yield* DataDirectory.diskCure(cluster.directory, log))
        })
      }))
    )
  }
  yield* Effect.forkScoped(supervise(cluster, binaries))
  return { url: urlOf(socket, role), isAdopted }
})

/** A server that is starting: done when it accepts connections, or when it failed. */
type Begun = Deferred.Deferred<EmbeddedPostgres, StartFailure>

/** The server that this program has begun to start before it needs it. */
export const BegunPostgres = Context.Reference<Begun | undefined>(
  "countersign/runtime/postgres/BegunPostgres",
  { defaultValue: () => undefined }
)

/**
 * Starts the server as {@link start} does, in parallel to what the caller does next. Answers at once; only callers
 * that wait for the server learn of a failure. When the scope closes, the server stops, and an unfinished start is
 * cancelled.
 */
export const begin = Effect.fnUntraced(function*(
  options: EmbeddedPostgresOptions
): Effect.fn.Return<Begun, never, Scope.Scope> {
  const started = yield* Deferred.make<EmbeddedPostgres, StartFailure>()
  yield* start(options).pipe(
    Effect.exit,
    Effect.tap((exit) => Deferred.done(started, exit)),
    Effect.andThen(Effect.never),
    // The scope of this fiber, closed once nothing of the start continues.
    Effect.scoped,
    Effect.forkScoped({ startImmediately: true })
  )
  return started
})

/**
 * The URL of the server that a live service runs in the data directory, valid for the scope; `undefined` when none
 * accepts connections or none was ever created. Starts and stops nothing.
 */
export const attach = Effect.fnUntraced(function*(
  directory: string
): Effect.fn.Return<Redacted.Redacted | undefined, EmbeddedPostgresError, Scope.Scope> {
  if (!Fs.existsSync(directory)) return undefined
  const cluster = yield* inDirectory(directory)
  return running(cluster)?.isReady === true ? urlOf(yield* socketDirectory(cluster), role) : undefined
})
