import { Result, Schema } from "effect"
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import * as Fs from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import type { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import type { BackupEntry } from "./BackupFile.ts"
import { openEntry, readEntries, readEntry } from "./BackupFile.ts"

/** The format of the files that this version writes, and the only one that it reads. */
export const format = 1

/** A count or a length. */
const many = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The digest of a table: its rows as `COPY ... TO STDOUT` sends them, before they were compressed. */
const BackedUpTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: many,
  bytes: many,
  sha256: Schema.String
})
export type BackedUpTable = typeof BackedUpTable.Type

/** The manifest of a backup, its last but one entry. */
export const BackupManifest = Schema.Struct({
  format: Schema.Literal(format),
  /** The environment that it is of; absent in a backup of live. */
  environment: Schema.optionalKey(Schema.Literals(["test"])),
  /** How often the admin token of another environment than live was rotated. */
  token_turn: Schema.optionalKey(many),
  /** The version of the service that wrote it. */
  service_version: Schema.String,
  postgres_version: Schema.String,
  /** The number of the last migration of the database. */
  migration: many,
  /** The database's clock at the moment of the snapshot, ISO 8601 in UTC. */
  taken_at: Schema.String,
  log: Schema.Struct({
    /** The log's name; absent when no service was ever started on the database. */
    name: Schema.optionalKey(Schema.String),
    epoch: many,
    last_sequence: many,
    /** `hash` of the last event, 64 hex digits. */
    last_hash: Schema.String,
    /** The newest signed checkpoint; absent when there is none yet. */
    checkpoint: Schema.optionalKey(Schema.Struct({ tree_size: many, note: Schema.String }))
  }),
  tables: Schema.Array(BackedUpTable),
  /** The identity columns, and the value that each gives next. */
  sequences: Schema.Array(Schema.Struct({ table: Schema.String, column: Schema.String, next: Schema.String }))
})
export type BackupManifest = typeof BackupManifest.Type

export const manifestEntry = "manifest.json"
export const sealEntry = "manifest.hmac"

/** The entry of a table. */
export const entryOf = (table: string): string => `tables/${table}.copy.zst`

const decode = Schema.decodeUnknownResult(BackupManifest)

/** Reads a manifest; a failure completes a sentence that begins with the file. */
const readManifest = (text: string): Result.Result<BackupManifest, string> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Result.fail("its manifest is not JSON")
  }
  const version = typeof value === "object" && value !== null && "format" in value ? value.format : undefined
  if (typeof version === "number" && version > format) {
    return Result.fail(`it has format ${version}, and this version reads ${format}: restore it with a newer version`)
  }
  return Result.mapError(decode(value), (error) => `its manifest is not valid: ${error.message}`)
}

/**
 * HMAC-SHA-256 of a manifest, under a key that is derived from the master key: nobody without it can have changed the
 * manifest, nor what its digests cover. 64 hex digits.
 */
export const sealOf = (manifest: string, masterKey: Uint8Array): string =>
  createHmac(
    "sha256",
    new Uint8Array(hkdfSync("sha256", masterKey, new Uint8Array(0), "countersign/backup/v1/manifest", 32))
  ).update(manifest).digest("hex")

/** Whether a seal is that of the manifest. */
const isSealed = (manifest: string, seal: string, masterKey: Uint8Array): boolean => {
  const expected = Buffer.from(sealOf(manifest, masterKey))
  const found = Buffer.from(seal.trim())
  return expected.length === found.length && timingSafeEqual(expected, found)
}

/** The measure of a stream: lines, which are rows, bytes and their digest. */
interface Metered {
  readonly rows: number
  readonly bytes: number
  /** 64 hex digits. */
  readonly sha256: string
}

const newline = 10

/**
 * Counts and digests the chunks of a source while they pass. Text as COPY writes it has one line for each row,
 * because a newline within a value is escaped.
 */
export const makeMeter = (advance: (rows: number) => void) => {
  const hash = createHash("sha256")
  let rows = 0
  let bytes = 0
  const through = async function*(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const chunk of source) {
      let found = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) found += 1
      hash.update(chunk)
      rows += found
      bytes += chunk.length
      advance(found)
      yield chunk
    }
  }
  return {
    through,
    /** Reads a source to its end and discards it. */
    drain: async (source: AsyncIterable<Buffer>): Promise<void> => {
      for await (const _ of through(source)) { /** Counting is its only purpose. */ }
    },
    /** The sums, once the source has ended. */
    end: (): Metered => ({ rows, bytes, sha256: hash.digest("hex") })
  }
}

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
