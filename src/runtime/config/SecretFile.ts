import * as Fs from "node:fs"
import * as Path from "node:path"
import { byteText, strayByte } from "../../domain/ground/parsing/StrictBytes.ts"

/**
 * The text of a file with one secret, trimmed, without a byte order mark. Throws if it cannot be read, or is not
 * UTF-8: replaced bytes would be another secret.
 */
export const readSecretFile = (path: string): string => {
  const bytes = Fs.readFileSync(path)
  const stray = strayByte(bytes)
  if (stray !== undefined) throw new Error(`it is not UTF-8: its byte ${stray.offset} is ${byteText(stray.byte)}`)
  return bytes.toString("utf8").trim()
}

/** The file of a data directory that keeps the master key. */
export const masterKeyFile = (directory: string): string => Path.join(directory, "master.key")

/** The file of a data directory that keeps the admin token. */
export const adminTokenFile = (directory: string): string => Path.join(directory, "admin.token")
