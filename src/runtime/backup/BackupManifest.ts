import { Result, Schema } from "effect"
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"

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
export const readManifest = (text: string): Result.Result<BackupManifest, string> => {
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
export const isSealed = (manifest: string, seal: string, masterKey: Uint8Array): boolean => {
  const expected = Buffer.from(sealOf(manifest, masterKey))
  const found = Buffer.from(seal.trim())
  return expected.length === found.length && timingSafeEqual(expected, found)
}
