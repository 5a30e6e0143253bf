import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { isRunning, replaceSecret, thisProcess } from "../postgres/DataDirectory.ts"
import { AppConfig } from "./Config.ts"

const fileName = "service.port"

/** Whether users other than this one and root may have written a file; not known where there are no users. */
const isOfOthers = ({ mode, uid }: Fs.Stats): boolean => {
  const user = process.getuid?.()
  return user !== undefined && (![0, user].includes(uid) || (mode & 0o022) !== 0)
}

/** The text of the file, unless others may have written it. */
const trustedText = (directory: string): string | undefined => {
  const file = Fs.openSync(Path.join(directory, fileName), Fs.constants.O_RDONLY | Fs.constants.O_NONBLOCK)
  try {
    const stat = Fs.fstatSync(file)
    return stat.isFile() && !isOfOthers(stat) ? Fs.readFileSync(file, "utf8") : undefined
  } finally {
    Fs.closeSync(file)
  }
}

const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536

const read = (directory: string): { readonly port: number; readonly pid: number } | undefined => {
  try {
    const { pid, port, started } = JSON.parse(trustedText(directory) ?? "{}")
    return isPort(port) && isRunning({ pid, started }) ? { port, pid } : undefined
  } catch {
    return undefined
  }
}

/**
 * The port of a data directory's service; undefined if no running service has recorded one. Never a host: anyone who
 * can place a file, as in a cloned repository, would receive the token of a command that runs beside it.
 */
export const keptPort = (directory: string): Effect.Effect<number | undefined> =>
  Effect.sync(() => read(directory)?.port)

/**
 * Records the port of this process until the scope closes, so that local commands find it. Creates no directory, and
 * a failure does not stop the service.
 */
export const keepPort = Effect.fnUntraced(function*(port: number) {
  const { dataDirectory, isDataDirectoryUsed } = yield* AppConfig
  if (!isDataDirectoryUsed) return
  yield* Effect.acquireRelease(
    Effect.ignore(replaceSecret(dataDirectory, fileName, JSON.stringify({ ...thisProcess(), port }))),
    // Another node with the same directory may have recorded its own.
    () =>
      Effect.ignore(
        Effect.try(() => read(dataDirectory)?.pid === process.pid && Fs.unlinkSync(Path.join(dataDirectory, fileName)))
      )
  )
})
