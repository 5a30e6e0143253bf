import { Result } from "effect"
import * as Fs from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import type { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import type { BackupEntry } from "./BackupFile.ts"
import { openEntry, readEntries, readEntry } from "./BackupFile.ts"
import { entryOf, isSealed, manifestEntry, readManifest, sealEntry } from "./BackupManifest.ts"
import type { BackedUpTable, BackupManifest } from "./BackupManifest.ts"
import { makeMeter } from "./Meter.ts"
import type { Metered } from "./Meter.ts"

/** The file is no backup, not a whole one, or was altered. The message completes a sentence that begins with the file. */
class BackupUnusable extends Error {}

/** An open backup, whose manifest is sealed by the master key. */
export interface OpenBackup {
  readonly manifest: BackupManifest
  /** The input of COPY: the rows of a table. */
  readonly rowsOf: (table: string) => Readable
}

const required = (entries: ReadonlyArray<BackupEntry>, name: string): BackupEntry => {
  const entry = entries.find((entry) => entry.name === name)
  if (entry === undefined) throw new BackupUnusable(`it holds no ${name}`)
  return entry
}

const unpacked = (packed: Readable): Readable => {
  const rows = createZstdDecompress()
  packed.on("error", (error) => rows.destroy(error))
  rows.on("close", () => packed.destroy())
  return packed.pipe(rows)
}

const opened = async (file: FileHandle, masterKey: Uint8Array): Promise<OpenBackup> => {
  const entries = await readEntries(file)
  const content = await readEntry(file, required(entries, manifestEntry))
  const read = readManifest(content)
  if (Result.isFailure(read)) throw new BackupUnusable(read.failure)
  if (!isSealed(content, await readEntry(file, required(entries, sealEntry)), masterKey)) {
    throw new BackupUnusable(
      "its seal does not fit the master key. It was made under another one, which is needed to restore it " +
        "(COUNTERSIGN_MASTER_KEY), or it was altered"
    )
  }
  const manifest = read.success
  for (const { name } of manifest.tables) required(entries, entryOf(name))
  return {
    manifest,
    rowsOf: (table) => unpacked(openEntry(file, required(entries, entryOf(table))))
  }
}

/** Opens a backup for as long as `use` takes. Rejects with a message that begins with the path. */
export const withBackup = async <A>(
  path: string,
  masterKey: Uint8Array,
  use: (backup: OpenBackup) => Promise<A>
): Promise<A> => {
  const file = await Fs.open(path, "r")
  try {
    return await use(await opened(file, masterKey))
  } finally {
    await file.close()
  }
}

/** Fails if the rows of a table differ from the manifest. */
export const compare = (table: BackedUpTable, found: Metered, where: string): void => {
  if (found.sha256 === table.sha256 && found.rows === table.rows) return
  throw new BackupUnusable(
    `the rows of ${table.name} ${where} are not those that were backed up: ${found.rows} rows with SHA-256 ` +
      `${found.sha256}, not ${table.rows} with ${table.sha256}`
  )
}

/** Reads a whole backup, compares every table with the manifest, and answers that; writes nothing. */
export const verifyBackup = (
  path: string,
  masterKey: Uint8Array,
  options: { readonly signal: AbortSignal; readonly advance: (rows: number) => void }
): Promise<BackupManifest> =>
  withBackup(path, masterKey, async ({ manifest, rowsOf }) => {
    for (const table of manifest.tables) {
      options.signal.throwIfAborted()
      const meter = makeMeter(options.advance)
      try {
        await meter.drain(rowsOf(table.name))
      } catch (cause) {
        throw new BackupUnusable(`the rows of ${table.name} cannot be read: ${(cause as Error).message}`)
      }
      compare(table, meter.end(), "in it")
    }
    return manifest
  })
