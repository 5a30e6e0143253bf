import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { isRunning, replaceSecret, thisProcess } from "../postgres/DataDirectory.ts"
import { AppConfig } from "./Config.ts"

const fileName = "service.port"

/** Whether others than this user and root may have written a file; where there are no users, that is not known. */
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
 * The port at which the service of a data directory listens; undefined where none says it that runs. Never a host: whoever
 * can place a file, as in a repository that is cloned, would be sent the token of whoever runs a command beside it.
 */
export const keptPort = (directory: string): Effect.Effect<number | undefined> =>
  Effect.sync(() => read(directory)?.port)

/**
 * Writes down at which port this process listens, until the scope closes, so that commands beside it need not be told. No
 * directory is made for that, and what cannot be written keeps no service from its work.
 */
export const keepPort = Effect.fnUntraced(function*(port: number) {
  const { dataDirectory, isDataDirectoryUsed } = yield* AppConfig
  if (!isDataDirectoryUsed) return
  yield* Effect.acquireRelease(
    Effect.ignore(replaceSecret(dataDirectory, fileName, JSON.stringify({ ...thisProcess(), port }))),
    // Another node with the same directory may have written its own.
    () =>
      Effect.ignore(
        Effect.try(() => read(dataDirectory)?.pid === process.pid && Fs.unlinkSync(Path.join(dataDirectory, fileName)))
      )
  )
})
