import { Data, Effect } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { Readable } from "node:stream"
import { constants, createZstdCompress } from "node:zlib"
import manifest from "../../../package.json" with { type: "json" }
import { environmentOfAnswer } from "../../domain/ground/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../services/ground/environments/CurrentEnvironment.ts"
import { replaceFile } from "../archive/replaceFile.ts"
import { makeProgress } from "../terminal/Progress.ts"
import { makeBackupWriter } from "./BackupFile.ts"
import { backedUp, identityColumns, quoted, tableColumns } from "./BackupTables.ts"
import type { CopyConnection } from "./CopyConnection.ts"
import { entryOf, format, makeMeter, manifestEntry, sealEntry, sealOf, verifyBackup } from "./readBackup.ts"
import type { BackedUpTable, BackupManifest } from "./readBackup.ts"

/** No backup was written. The message says why. */
class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

/** A table as it is found, with PostgreSQL's estimate of its rows. */
interface FoundTable {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly estimate: number
}

interface IdentityColumn {
  readonly table: string
  readonly column: string
  /** Its name, quoted. */
  readonly sequence: string
}

interface LogRow {
  readonly name: Buffer | null
  readonly epoch: number
  readonly first_sequence: bigint
  readonly last_sequence: bigint
  readonly last_hash: string
  readonly tree_size: bigint | null
  readonly note: string | null
}

/** The head of the log. The hash of its last event is in `event_archive` once that event was dropped. */
const logHead = `
  SELECT (SELECT value FROM service_state WHERE key = 'log_origin') AS name,
    coalesce((SELECT max(epoch) FROM log_epochs), 1) AS epoch,
    coalesce((SELECT max(first_sequence) FROM log_epochs), 0) AS first_sequence,
    c.last_sequence, p.tree_size, p.note,
    coalesce((SELECT encode(hash, 'hex') FROM event_places WHERE sequence = c.last_sequence),
      (SELECT encode(dropped_hash, 'hex') FROM event_archive)) AS last_hash
  FROM event_chain c
  LEFT JOIN LATERAL (SELECT tree_size, note FROM event_checkpoints ORDER BY tree_size DESC LIMIT 1) p ON true`

/** How often the admin token of an environment was rotated, from which the one follows that the rows know as valid. */
const tokenTurn = "SELECT turn AS token_turn FROM environment_token"

/** Whether the database is of an environment whose clock can be moved, which the live one is not. */
const movable = "SELECT to_regclass('environment_clock') IS NOT NULL AS found"

const begun = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

/** When the snapshot was taken, and of what. */
const moment = `
  SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS taken_at,
    split_part(current_setting('server_version'), ' ', 1) AS postgres_version,
    (SELECT max(migration_id)::int FROM schema_migrations) AS migration`

/** A backup that was written, and read back. */
export interface WrittenBackup {
  readonly manifest: BackupManifest
  /** The size of the file in bytes. */
  readonly size: number
  /** SHA-256 of the manifest, 64 hex digits: two backups that have it in common are one. */
  readonly digest: string
}

/**
 * Writes all data of the vendor to a file, as of one moment, while the service runs: one snapshot of a read-only
 * transaction, which delays nobody, not even the feed. The file is complete, read back and flushed, or does not
 * exist.
 */
export const writeBackup = Effect.fnUntraced(function*(
  connection: CopyConnection,
  path: string,
  masterKey: Uint8Array
) {
  const failed = (cause: unknown) =>
    cause instanceof BackupFailed ? cause : new BackupFailed({ message: `${path}: ${(cause as Error).message}` })
  const ask = <A extends object>(statement: string) =>
    Effect.tryPromise({ try: () => connection.rows<A>(statement), catch: failed })
  const name = yield* CurrentEnvironment
  yield* ask(begun)
  const [clock] = yield* ask<{ readonly found: boolean }>(movable)
  if (clock!.found !== (name !== "live")) {
    return yield* new BackupFailed({
      message: name === "live"
        ? "The database is that of a test environment. Name the live one, and add --environment test"
        : `The database is not that of the ${name} environment: it has no clock that can be moved`
    })
  }
  const [at] = yield* ask<Pick<BackupManifest, "taken_at" | "postgres_version" | "migration">>(moment)
  const found = yield* ask<FoundTable>(tableColumns)
  const [log] = yield* ask<LogRow>(logHead)
  if (log!.first_sequence > log!.last_sequence) {
    return yield* new BackupFailed({
      message: `Epoch ${log!.epoch} was begun by a restore, and the service was not started since. Start it once, so ` +
        "that the log says so, or keep the backup that was restored"
    })
  }
  const [turned] = name === "live" ? [] : yield* ask<{ readonly token_turn: number }>(tokenTurn)
  const tables = backedUp.flatMap((name) => found.filter((table) => table.name === name))
  const progress = yield* makeProgress(
    "Backing up",
    tables.reduce((sum, { estimate }) => sum + estimate, 0) || undefined
  )
  const advance = (rows: number) => progress.advance(rows)

  const write = async (part: string, signal: AbortSignal): Promise<WrittenBackup> => {
    const file = await Fs.open(part, "w", 0o600)
    try {
      const writer = makeBackupWriter(file, signal)
      const written: Array<BackedUpTable> = []
      for (const { columns, name } of tables) {
        const meter = makeMeter(advance)
        const rows = connection.copyOut(`COPY ${quoted(name)} (${columns.map(quoted).join(", ")}) TO STDOUT`)
        const packer = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
        await writer.add(entryOf(name), Readable.from(meter.through(rows)), packer)
        written.push({ name, columns, ...meter.end() })
      }
      // Sequences are not part of a snapshot. Read after the rows, their values are beyond all that the rows contain.
      const sequences = []
      for (const { column, sequence, table } of await connection.rows<IdentityColumn>(identityColumns)) {
        const [row] = await connection.rows<{ readonly next: string }>(
          `SELECT (last_value + is_called::int)::text AS next FROM ${sequence}`
        )
        sequences.push({ table, column, next: row!.next })
      }
      await connection.rows("COMMIT")
      const made: BackupManifest = {
        format,
        ...environmentOfAnswer(name),
        ...turned,
        service_version: manifest.version,
        ...at!,
        log: {
          ...(log!.name === null ? {} : { name: log!.name.toString("utf8") }),
          epoch: log!.epoch,
          last_sequence: Number(log!.last_sequence),
          last_hash: log!.last_hash,
          ...(log!.note === null ? {} : { checkpoint: { tree_size: Number(log!.tree_size), note: log!.note } })
        },
        tables: written,
        sequences
      }
      const content = `${JSON.stringify(made, null, 2)}\n`
      await writer.add(manifestEntry, Readable.from([content]))
      await writer.add(sealEntry, Readable.from([`${sealOf(content, masterKey)}\n`]))
      const size = await writer.end()
      return { manifest: made, size, digest: createHash("sha256").update(content).digest("hex") }
    } finally {
      await file.close()
    }
  }

  return yield* Effect.tryPromise({
    try: (signal) =>
      replaceFile(path, async (part) => {
        const written = await write(part, signal)
        // Verified before it replaces a backup that may be good.
        await verifyBackup(part, masterKey, { signal, advance: () => {} })
        return written
      }),
    catch: failed
  })
}, Effect.scoped)
