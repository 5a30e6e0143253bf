import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { readIfPresent } from "../postgres/DataDirectory.ts"
import { addressUrl, AppConfig } from "./Config.ts"

const fileIn = (directory: string): string => Path.join(directory, "service.url")

const read = (directory: string): string | undefined => {
  try {
    return readIfPresent(fileIn(directory))?.trim() || undefined
  } catch {
    return undefined
  }
}

/** Where the service of a data directory listens; undefined where none has said it. One that was killed still stands there. */
export const keptAddress = (directory: string): Effect.Effect<string | undefined> => Effect.sync(() => read(directory))

/**
 * Writes down where the service listens, until the scope closes, so that commands beside it need not be told its port. No
 * directory is made for that, and what cannot be written keeps no service from its work.
 */
export const keepAddress = Effect.fnUntraced(function*(port: number) {
  const { dataDirectory, host, isDataDirectoryUsed } = yield* AppConfig
  if (!isDataDirectoryUsed) return
  const file = fileIn(dataDirectory)
  const address = addressUrl(host, port)
  yield* Effect.acquireRelease(
    Effect.ignore(Effect.try(() => Fs.writeFileSync(file, `${address}\n`, { mode: 0o600 }))),
    // Another node with the same directory may have written its own.
    () => Effect.ignore(Effect.try(() => read(dataDirectory) === address && Fs.unlinkSync(file)))
  )
})
