import { Data, Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { exitCode } from "../terminal/ExitCode.ts"

/** The data directory cannot be used. The message says why and what to do. */
export class DataDirectoryError extends Data.TaggedError("DataDirectoryError")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException | undefined)?.code

/** The cure for a failure of the file system, by its code. */
const cures: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room on it, or set COUNTERSIGN_DATA_DIR to a directory on another one",
  EDQUOT: "The disk quota is used up: make room, or set COUNTERSIGN_DATA_DIR to a directory on another disk",
  EROFS: "The file system is mounted read-only: mount it for writing, or set COUNTERSIGN_DATA_DIR to a " +
    "directory on another one"
}

/** The free space of a directory for users other than root, in bytes; undefined if it is not known in time. */
export const roomIn = (directory: string): Effect.Effect<number | undefined> =>
  Effect.tryPromise(() => Fs.promises.statfs(directory)).pipe(
    Effect.map(({ bavail, bsize }) => bavail * bsize),
    Effect.timeout("1 second"),
    Effect.orElseSucceed(() => undefined)
  )

/** Less than this is a full disk to a database, in bytes: its log grows by files of 16 MiB. */
const leastRoom = 16 * 1024 ** 2

/**
 * The cure for a database that failed in a directory, as a line of a message; empty unless the disk is full now or
 * was, by what the database said.
 */
export const diskCure = (directory: string, said: string): Effect.Effect<string> =>
  Effect.map(
    said.includes("No space left on device") ? Effect.succeed(0) : roomIn(directory),
    (room = Infinity) => room < leastRoom ? `\n${cures["ENOSPC"]}` : ""
  )

/** The failure to use a data directory, with what to do about it. */
export const unusable = (directory: string, cause: unknown): DataDirectoryError =>
  new DataDirectoryError({
    message: `Cannot use the data directory ${directory}: ${(cause as Error).message}. ` +
      (cures[codeOf(cause) ?? ""] ?? "Set COUNTERSIGN_DATA_DIR to a directory that this user can write to")
  })

/**
 * Creates the directory with mode 0700 if it does not exist. An existing one keeps its mode: it may be a mount point.
 */
export const ensure = (directory: string): Effect.Effect<void, DataDirectoryError> =>
  Effect.try({
    try: () => {
      Fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
      Fs.accessSync(directory, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK)
    },
    catch: (cause) => unusable(directory, cause)
  })

/** Whether there is an embedded database in the directory. */
export const hasDatabase = (directory: string): boolean => Fs.existsSync(Path.join(directory, "postgres", "PG_VERSION"))

/** The text of a file; `undefined` when there is none. */
export const readIfPresent = (file: string): string | undefined => {
  try {
    return Fs.readFileSync(file, "utf8")
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/**
 * Creates a file of mode 0600 atomically, even across a crash, and only if it does not exist. Returns whether it was
 * created.
 */
const createWhole = (file: string, text: string): boolean => {
  const draft = `${file}.${randomBytes(6).toString("hex")}`
  Fs.writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true })
  try {
    Fs.linkSync(draft, file)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  } finally {
    Fs.unlinkSync(draft)
  }
}

const flushDirectory = (directory: string): void => {
  const descriptor = Fs.openSync(directory, "r")
  try {
    Fs.fsyncSync(descriptor)
  } finally {
    Fs.closeSync(descriptor)
  }
}

/** The text of a secret, and whether this call made it. */
export interface KeptSecret {
  readonly value: string
  readonly isNew: boolean
}

/** Reads the secret kept in `file` (mode 0600) of the directory; makes and keeps one if there is none. */
export const keepSecret = (
  directory: string,
  file: string,
  make: () => string
): Effect.Effect<KeptSecret, DataDirectoryError> =>
  Effect.try({
    try: () => {
      const path = Path.join(directory, file)
      const kept = readIfPresent(path)
      if (kept !== undefined) return { value: kept.trim(), isNew: false }
      const isNew = createWhole(path, `${make()}\n`)
      flushDirectory(directory)
      return { value: Fs.readFileSync(path, "utf8").trim(), isNew }
    },
    catch: (cause) => unusable(directory, cause)
  })

/** Replaces the secret kept in `file` atomically: after a crash the file holds the old or the new one, complete. */
export const replaceSecret = (
  directory: string,
  file: string,
  value: string
): Effect.Effect<void, DataDirectoryError> =>
  Effect.try({
    try: () => {
      const path = Path.join(directory, file)
      const draft = `${path}.${randomBytes(6).toString("hex")}`
      Fs.writeFileSync(draft, `${value}\n`, { flag: "wx", mode: 0o600, flush: true })
      Fs.renameSync(draft, path)
      flushDirectory(directory)
    },
    catch: (cause) => unusable(directory, cause)
  })

/** A process. The start time detects a reused pid. */
interface ProcessName {
  readonly pid: number
  readonly started?: string | undefined
}

/** The holder of a lock. The token tells holders within one process apart. */
interface Holder extends ProcessName {
  readonly host: string
  readonly token: string
}

/** The tokens of the locks that this process holds. */
const held = new Set<string>()

/**
 * The start time of a process, in a form that is unique for its pid even across reboots; `undefined` when the process
 * is gone, is a zombie, or the system does not tell.
 */
const startedAt = (pid: number): string | undefined => {
  try {
    const stat = Fs.readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may hold spaces; the state is field 3 and the start time field 22 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (fields[0] === "Z" || fields[0] === "X") return undefined
    return `${Fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${fields[19]}`
  } catch {
    return undefined
  }
}

/** Whether a process exists, whoever owns it. A zombie may still count as existing. */
const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

/** This process, for {@link isRunning} of another one. */
export const thisProcess = (): ProcessName => ({ pid: process.pid, started: startedAt(process.pid) })

/** Whether exactly this process runs; without its start time that is said only where the system tells none. */
export const isRunning = ({ pid, started }: ProcessName): boolean =>
  Number.isSafeInteger(pid) && pid > 0 && processExists(pid) && started === startedAt(pid)

const isAlive = (holder: Holder): boolean => {
  if (holder.pid === process.pid && holder.started === startedAt(process.pid)) return held.has(holder.token)
  if (!processExists(holder.pid)) return false
  return holder.started === undefined || holder.started === startedAt(holder.pid)
}

/** Reads a lock file. An unreadable one was truncated by a crash of the machine, and nobody holds it. */
const readHolder = (file: string): Holder | "unreadable" | undefined => {
  const text = readIfPresent(file)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isHolder = typeof value === "object" && value !== null && "pid" in value && Number.isInteger(value.pid) &&
      "token" in value && typeof value.token === "string"
    return isHolder ? value as Holder : "unreadable"
  } catch {
    return "unreadable"
  }
}

const isStale = (holder: Holder | "unreadable"): boolean => holder === "unreadable" || !isAlive(holder)

const tokenOf = (holder: Holder | "unreadable" | undefined): string | undefined =>
  typeof holder === "object" ? holder.token : holder

/**
 * One attempt to take the lock: true when it is ours, the live holder if there is one, false to try again. Of several
 * processes that find the same stale lock, the one that creates the claim replaces it, and only if the lock is still
 * that one.
 */
const tryLock = (file: string, mine: Holder): boolean | Holder => {
  const text = JSON.stringify(mine)
  if (createWhole(file, text)) return true
  const found = readHolder(file)
  if (found === undefined) return false
  if (found !== "unreadable" && isAlive(found)) return found

  const claim = `${file}.claim`
  if (!createWhole(claim, text)) {
    const claimant = readHolder(claim)
    if (claimant !== undefined && isStale(claimant)) Fs.rmSync(claim, { force: true })
    return false
  }
  try {
    if (tokenOf(readHolder(file)) !== tokenOf(found)) return false
    const draft = `${file}.${mine.token}`
    Fs.writeFileSync(draft, text, { flag: "wx", mode: 0o600 })
    Fs.renameSync(draft, file)
    return true
  } finally {
    Fs.rmSync(claim, { force: true })
  }
}

/**
 * Holds the directory for this service until the scope closes; fails when a live service holds it. The lock of a killed
 * process is taken over. Processes in other containers are invisible, so a volume must belong to one container.
 */
export const own = Effect.fnUntraced(function*(
  directory: string
): Effect.fn.Return<void, DataDirectoryError, Scope.Scope> {
  const file = Path.join(directory, "service.lock")
  const mine: Holder = {
    ...thisProcess(),
    host: Os.hostname(),
    token: randomBytes(12).toString("hex")
  }
  const attempt = Effect.try({
    try: () => {
      held.add(mine.token)
      const outcome = tryLock(file, mine)
      if (outcome !== true) held.delete(mine.token)
      return outcome
    },
    catch: (cause) => {
      held.delete(mine.token)
      return unusable(directory, cause)
    }
  })
  const release = Effect.sync(() => {
    if (tokenOf(readHolder(file)) === mine.token) Fs.rmSync(file, { force: true })
    held.delete(mine.token)
  })

  for (let attempts = 0; attempts < 200; attempts++) {
    const outcome = yield* Effect.acquireRelease(attempt, (result) => result === true ? release : Effect.void)
    if (outcome === true) return
    if (outcome !== false) {
      return yield* new DataDirectoryError({
        message: `The data directory ${directory} is in use by another Countersign (process ${outcome.pid}). ` +
          "Stop that one, or set COUNTERSIGN_DATA_DIR to another directory for this one"
      })
    }
    yield* Effect.sleep("10 millis")
  }
  return yield* new DataDirectoryError({
    message: `Cannot lock the data directory ${directory}: ${file} keeps changing`
  })
})
