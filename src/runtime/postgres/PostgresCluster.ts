import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { diskCure, readIfPresent } from "./DataDirectory.ts"
import { EmbeddedPostgresError, run, serverUserOf } from "./PostgresBinaries.ts"
import type { PostgresBinaries, ServerUser } from "./PostgresBinaries.ts"

/** The name of the superuser and of the database in every embedded server. */
export const role = "countersign"

/** One embedded server: the location of its files, and the user that runs it. */
export interface PostgresCluster {
  /** PostgreSQL's data directory, mode 0700, owned by the server's user. The socket is in it. */
  readonly directory: string
  readonly user: ServerUser
  /** The value of `-D` for the server, whose working directory is `directory`. */
  readonly argument: string
  /** The log of the server. */
  readonly log: string
}

/** Quotes a name for a line of `pg_ident.conf` or a setting. */
const quoted = (text: string): string => `"${text.replaceAll("\"", "\"\"")}"`

const refused = (what: string) => (cause: unknown): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    message: `Cannot ${what}: ${cause instanceof Error ? cause.message : String(cause)}. Give this user its own ` +
      "data directory with COUNTERSIGN_DATA_DIR, or set DATABASE_URL to a PostgreSQL 15 or newer"
  })

/** The server in `<data directory>/postgres`, whether or not it has been created. */
export const inDirectory = (dataDirectory: string): Effect.Effect<PostgresCluster, EmbeddedPostgresError> =>
  Effect.gen(function*() {
    const directory = Path.join(Fs.realpathSync(dataDirectory), "postgres")
    const user = serverUserOf(directory)
    if (process.platform === "win32" || (user !== undefined && process.platform !== "linux")) {
      return yield* new EmbeddedPostgresError({
        message: process.platform === "win32"
          ? "The embedded PostgreSQL needs Unix sockets, which Node has not on Windows. Set DATABASE_URL"
          : "The embedded PostgreSQL runs as root on Linux only. Start as another user, or set DATABASE_URL"
      })
    }
    return {
      directory,
      user,
      // The data directory is closed to the server's user. This path reaches it through the working directory alone.
      argument: user === undefined ? directory : "/proc/self/cwd",
      log: Path.join(dataDirectory, "postgres.log")
    }
  })

/** The purpose of a server. */
export interface PostgresUse {
  /** `false` trades durability for speed, in tests. */
  readonly durable: boolean
  /** How many connections it accepts. */
  readonly connections: number
}

const mebibyte = 1024 * 1024

/**
 * The `shared_buffers` of a server, in MiB: a sixteenth of the memory, at least 64, at most 512. The service, the
 * server's sessions and the system's cache, which holds every page as well, share the rest. In steps of 16, so that a
 * kernel which counts a little differently after a boot does not change it.
 *
 * @param total the machine's memory, in bytes
 * @param limit what a container may use of it, in bytes; 0 or a huge number if there is no limit
 */
export const sharedBuffers = (total: number, limit: number): number => {
  const memory = limit > 0 ? Math.min(total, limit) : total
  return Math.min(512, Math.max(64, Math.floor(memory / mebibyte / 16 / 16) * 16))
}

/** Without durability, as in tests, many small servers may run side by side. */
const buffersOf = (durable: boolean): number => durable ? sharedBuffers(Os.totalmem(), process.constrainedMemory()) : 64

/**
 * Settings for low memory and disk use, without features that a single service does not need. Tests run a statement a few times on a
 * connection, of which PostgreSQL would plan the first five anew, a third of its work: without durability it plans once.
 */
const settings = ({ connections, durable }: PostgresUse): string =>
  `# Written by Countersign at every start. To change settings, use ALTER SYSTEM.
listen_addresses = ''
unix_socket_directories = '.'
unix_socket_permissions = 0700
port = 5432
max_connections = ${connections}
shared_buffers = '${buffersOf(durable)}MB'
jit = off
io_method = 'sync'
max_parallel_workers_per_gather = 0
max_logical_replication_workers = 0
synchronous_commit = on
fsync = ${durable ? "on" : "off"}
full_page_writes = ${durable ? "on" : "off"}
min_wal_size = '64MB'
max_wal_size = '512MB'
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
log_min_messages = 'log'
log_min_error_statement = 'panic'
${durable ? "" : "plan_cache_mode = 'force_generic_plan'"}
`

/**
 * Only the operating system's user of this process may connect, and only through the socket; the kernel verifies the
 * user.
 */
const configurationFiles = (use: PostgresUse, osUser: string): Readonly<Record<string, string>> => ({
  "countersign.conf": settings(use),
  "pg_hba.conf": "local all all peer map=countersign\n",
  "pg_ident.conf": `countersign ${quoted(osUser)} ${role}\n`
})

const osUserName: Effect.Effect<string, EmbeddedPostgresError> = Effect.try({
  try: () => Os.userInfo().username,
  catch: () =>
    new EmbeddedPostgresError({
      message: `The user id ${process.getuid?.()} has no name on this system, which PostgreSQL needs. ` +
        "Add one to /etc/passwd, start as another user, or set DATABASE_URL to a PostgreSQL 15 or newer"
    })
})

const writeOwned = (file: string, text: string, user: ServerUser): void => {
  const draft = `${file}.draft`
  Fs.rmSync(draft, { force: true })
  Fs.writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true })
  if (user !== undefined) Fs.chownSync(draft, user.uid, user.gid)
  Fs.renameSync(draft, file)
}

/** Writes the configuration. Returns whether it changed, so that a running server must be restarted. */
export const configure = (
  cluster: PostgresCluster,
  use: PostgresUse
): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.flatMap(osUserName, (osUser) =>
    Effect.try({
      try: () => {
        let isChanged = false
        for (const [name, text] of Object.entries(configurationFiles(use, osUser))) {
          const file = Path.join(cluster.directory, name)
          if (readIfPresent(file) === text) continue
          writeOwned(file, text, cluster.user)
          isChanged = true
        }
        return isChanged
      },
      catch: refused("configure the embedded PostgreSQL")
    }))

/** Whether the server's files belong to another user than the one that is to run it. */
export const isForeign = ({ directory, user }: PostgresCluster): boolean => {
  const stat = Fs.statSync(directory, { throwIfNoEntry: false })
  return user !== undefined && stat !== undefined && stat.uid !== user.uid
}

/**
 * Gives the files to the server's user. Files restored by root belong to root, which PostgreSQL refuses; those of an
 * earlier version belong to `nobody`. The directory comes last, so that an interrupted change is resumed at the next
 * start.
 */
const giveToServer = (cluster: PostgresCluster): void => {
  const { directory, user } = cluster
  if (user === undefined || !isForeign(cluster)) return
  const owner = Fs.statSync(directory).uid
  for (const name of Fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = Path.join(directory, name)
    // Programs of another owner, such as `nobody`, could have put links to foreign files there.
    if (owner === 0 || Fs.lstatSync(file).uid === owner) Fs.lchownSync(file, user.uid, user.gid)
  }
  Fs.chownSync(directory, user.uid, user.gid)
}

/** Removes the remains of a killed start. Its `initdb` may still be writing; then a later start removes them. */
const removeDraft = (draft: string): void => {
  try {
    Fs.rmSync(draft, { recursive: true, force: true })
  } catch {
    // Each draft has a unique name, so a remaining one is harmless.
  }
}

/**
 * Creates the server's files if there are none: in a temporary directory that is then renamed, so that an unfinished
 * `initdb` is never taken for a server. Refuses files of another major version. Requires the data directory's lock.
 */
export const initialise = Effect.fnUntraced(function*(
  cluster: PostgresCluster,
  binaries: PostgresBinaries
): Effect.fn.Return<void, EmbeddedPostgresError> {
  const parent = Path.dirname(cluster.directory)
  const major = binaries.version.split(".")[0]
  const drafts = Path.basename(cluster.directory) + ".init-"
  const found = yield* Effect.try({
    try: () => {
      for (const name of Fs.readdirSync(parent)) {
        if (name.startsWith(drafts)) removeDraft(Path.join(parent, name))
      }
      const version = readIfPresent(Path.join(cluster.directory, "PG_VERSION"))?.trim()
      if (version !== undefined) giveToServer(cluster)
      return version
    },
    catch: refused(`read the embedded database in ${cluster.directory}`)
  })
  if (found === major) return
  if (found !== undefined) {
    return yield* new EmbeddedPostgresError({
      message: `The database in ${cluster.directory} was written by PostgreSQL ${found}, this program brings ` +
        `${binaries.version}. Dump it with the older program and load it into a new data directory`
    })
  }

  const draft = yield* Effect.try({
    try: () => {
      const made = Fs.mkdtempSync(Path.join(parent, drafts))
      if (cluster.user !== undefined) Fs.chownSync(made, cluster.user.uid, cluster.user.gid)
      return made
    },
    catch: refused(`create the embedded database in ${parent}`)
  })
  yield* osUserName
  const failed = refused("create the embedded database")
  const { code, text } = yield* run(
    Path.join(binaries.directory, "initdb"),
    [
      "-D",
      cluster.user === undefined ? draft : cluster.argument,
      `--username=${role}`,
      "--auth=peer",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8"
    ],
    cluster.user,
    draft
  ).pipe(Effect.mapError(failed))
  if (code !== 0) {
    removeDraft(draft)
    const { message } = failed(new Error(`initdb failed: ${text.trim().split("\n").slice(-4).join(" | ")}`))
    return yield* new EmbeddedPostgresError({ message: message + (yield* diskCure(parent, text)) })
  }
  yield* Effect.try({
    try: () => {
      Fs.appendFileSync(Path.join(draft, "postgresql.conf"), "\ninclude_if_exists 'countersign.conf'\n", {
        flush: true
      })
      Fs.renameSync(draft, cluster.directory)
    },
    catch: failed
  })
})

/**
 * Whether a process is this cluster's server, judged on Linux by its working directory, elsewhere by its command line.
 */
const isPostmaster = (cluster: PostgresCluster, pid: number): boolean => {
  try {
    if (process.platform !== "linux") {
      const command = execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" })
      return command.includes(`postgres -D ${cluster.directory}`)
    }
    const there = Fs.statSync(`/proc/${pid}/cwd`)
    const here = Fs.statSync(cluster.directory)
    return there.ino === here.ino && there.dev === here.dev
  } catch {
    return false
  }
}

/** A running server, as `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number
  /** Whether it accepts connections; otherwise it is starting, recovering or stopping. */
  readonly isReady: boolean
}

/**
 * The server of this cluster, if it runs. A `postmaster.pid` left by a crash does not count, even when its pid now
 * belongs to another process or to a zombie.
 */
export const running = (cluster: PostgresCluster): Postmaster | undefined => {
  const lines = readIfPresent(Path.join(cluster.directory, "postmaster.pid"))?.split("\n")
  const pid = Number(lines?.[0])
  return Number.isInteger(pid) && pid > 0 && isPostmaster(cluster, pid)
    ? { pid, isReady: lines?.[7]?.trim() === "ready" }
    : undefined
}

/** Removes the `postmaster.pid` of a server that does not run, because PostgreSQL would trust a reused pid. */
export const removeStaleFile = (cluster: PostgresCluster): void => {
  if (running(cluster) === undefined) Fs.rmSync(Path.join(cluster.directory, "postmaster.pid"), { force: true })
}
