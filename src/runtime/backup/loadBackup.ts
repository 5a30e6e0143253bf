import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { pipeline } from "node:stream/promises"
import { verifyEvents } from "../../client/verify/verifyEvents.ts"
import type { EventsVerdict } from "../../client/verify/verifyEvents.ts"
import { LogArchive } from "../../services/evidence/retention/LogDrop.ts"
import { unfinishedRestore } from "../../services/evidence/transparency/WitnessKeeper.ts"
import { databaseOf } from "../../services/ground/persistence/Database.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { unwrapAll } from "../../services/keys/security/DataKeys.ts"
import { listDataKeys } from "../../services/keys/security/DataKeySql.ts"
import { keyWrapping } from "../../services/keys/security/KeyWrapping.ts"
import * as Migrations from "../postgres/Migrations.ts"
import { makeProgress } from "../terminal/Progress.ts"
import {
  backedUp,
  indexesWithoutConstraint,
  ownFunctions,
  passing,
  quoted,
  references,
  referredFirst,
  tableColumns
} from "./BackupTables.ts"
import type { CopyConnection } from "./CopyConnection.ts"
import type { BackedUpTable, BackupManifest, OpenBackup } from "./readBackup.ts"
import { compare, makeMeter } from "./readBackup.ts"

/** Events that are read at once. */
const page = 5000

/**
 * Verifies the log of this database as `countersign verify events` verifies an export of it: the chain and tree of
 * the events that are kept, against the newest signed checkpoint. Undefined if nothing was signed yet.
 */
export const verifyLog: Effect.Effect<EventsVerdict | undefined, never, LogArchive> = Effect.gen(function*() {
  const log = yield* LogArchive
  const start = yield* log.start
  const checkpoint = yield* log.checkpointWithin(Number.MAX_SAFE_INTEGER)
  if (checkpoint === undefined || checkpoint.tree_size <= start.sequence) return undefined
  const keys = yield* log.keys
  const context = yield* Effect.context<never>()
  const lines = async function*(): AsyncGenerator<string, void> {
    for (let first = start.sequence + 1; first <= checkpoint.tree_size; first += page) {
      yield* await Effect.runPromiseWith(context)(log.lines(first, Math.min(checkpoint.tree_size, first + page - 1)))
    }
  }
  // Its key may have been revoked since. A checkpoint that was kept counts all the same.
  return yield* Effect.promise(() => verifyEvents({ lines: lines(), start, notes: [checkpoint.note], ...keys }))
})

/** The backup was not loaded, and the database is as it was. The message says why. */
export class LoadRefused extends Data.TaggedError("LoadRefused")<{ readonly message: string }> {}

/** The tables of Countersign that are in the current schema. */
export const ownTables = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const rows = yield* sql.unsafe<{ readonly name: string }>(tableColumns)
  const own = new Set([...backedUp, ...passing])
  return rows.map(({ name }) => name).filter((name) => own.has(name))
})

/** Removes the tables and functions of Countersign; anything else in the schema stays. */
const removeOwn = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, tables: ReadonlyArray<string>) {
  const functions = yield* sql<{ readonly signature: string }>`
    SELECT oid::regprocedure::text AS signature FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
      AND proname = ANY (${ownFunctions}::text[])`
  yield* sql.unsafe(`DROP TABLE ${tables.map(quoted).join(", ")} CASCADE`)
  for (const { signature } of functions) yield* sql.unsafe(`DROP FUNCTION IF EXISTS ${signature} CASCADE`)
})

const listOf = (table: Pick<BackedUpTable, "name" | "columns">): string =>
  `${quoted(table.name)} (${table.columns.map(quoted).join(", ")})`

/**
 * Creates the tables of the backup's schema; with `replace` existing ones are dropped first.
 * Returns the tables of the backup, each after those it refers to.
 */
const makeTables = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { migration, service_version, tables }: BackupManifest,
  replace: boolean
) {
  const before = yield* ownTables(sql)
  if (before.length > 0) {
    if (!replace) {
      return yield* new LoadRefused({ message: "The database is no longer empty: a service was started on it" })
    }
    yield* removeOwn(sql, before)
  }
  yield* Migrations.makeSchema(migration)
  const made = yield* sql.unsafe<Pick<BackedUpTable, "name" | "columns">>(tableColumns)
  for (const table of tables) {
    const { columns = [] } = made.find(({ name }) => name === table.name) ?? {}
    if (columns.join() !== table.columns.join()) {
      return yield* new LoadRefused({
        message: `The table ${table.name} has other columns in schema ${migration} of this version than in the ` +
          `backup, which ${service_version} wrote: restore it with that version`
      })
    }
  }
  return referredFirst(tables, yield* sql.unsafe<{ readonly from: string; readonly to: string }>(references))
})

const refused = (cause: unknown) => new LoadRefused({ message: (cause as Error).message })

const rowsIn = (tables: ReadonlyArray<BackedUpTable>): number => tables.reduce((sum, { rows }) => sum + rows, 0)

/** Loads the rows of the backup into its empty tables, and sets their sequences. */
const loadRows = Effect.fnUntraced(function*(
  { copyIn, sql }: CopyConnection,
  { manifest, rowsOf }: OpenBackup,
  tables: ReadonlyArray<BackedUpTable>
) {
  const loading = yield* makeProgress("Loading", rowsIn(tables))
  // Creating an index over existing rows takes a fraction of the time that updating it row by row does.
  const indexes = yield* sql.unsafe<{ readonly name: string; readonly definition: string }>(indexesWithoutConstraint)
  for (const { name } of indexes) yield* sql.unsafe(`DROP INDEX ${quoted(name)}`)
  // The schema comes with rows of its own in some tables.
  yield* sql.unsafe(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(", ")}`)
  for (const table of tables) {
    const meter = makeMeter((count) => loading.advance(count))
    yield* Effect.tryPromise({
      try: async (signal) => {
        await pipeline(rowsOf(table.name), meter.through, copyIn(`COPY ${listOf(table)} FROM STDIN`), { signal })
        compare(table, meter.end(), "in the file")
      },
      catch: refused
    })
  }
  for (const { definition } of indexes) yield* sql.unsafe(definition)
  for (const { column, next, table } of manifest.sequences) {
    yield* sql`SELECT setval(pg_get_serial_sequence(${quoted(table)}, ${column}), ${next}::bigint, false)`
  }
})

/** Reads the loaded rows back, and compares them with the digests of the backup. */
const compareRows = Effect.fnUntraced(
  function*({ copyOut }: CopyConnection, tables: ReadonlyArray<BackedUpTable>) {
    const comparing = yield* makeProgress("Comparing", rowsIn(tables))
    for (const table of tables) {
      const meter = makeMeter((count) => comparing.advance(count))
      yield* Effect.tryPromise({
        try: async () => {
          await meter.drain(copyOut(`COPY ${listOf(table)} TO STDOUT`))
          compare(table, meter.end(), "in the database")
        },
        catch: refused
      })
    }
  }
)

/**
 * Loads a verified backup in one transaction: the tables of its schema, its rows, and
 * then a comparison with its digests. Whatever ends it before the commit, a kill included, leaves the database
 * unchanged. The service does not start on the result before its epoch is decided. The caller makes sure that nobody
 * is connected, and that existing tables may be dropped with `replace`.
 */
export const loadBackup = Effect.fnUntraced(
  function*(connection: CopyConnection, backup: OpenBackup, options: {
    readonly masterKey: Uint8Array
    readonly replace: boolean
  }) {
    const { sql } = connection
    const { manifest } = backup
    yield* Migrations.lock
    const tables = yield* makeTables(sql, manifest, options.replace)
    yield* loadRows(connection, backup, tables)
    yield* compareRows(connection, tables)
    // The rows say what was applied.
    yield* Migrations.refuseBeforeBase
    const wrapping = keyWrapping(yield* Cryptography, options.masterKey)
    yield* unwrapAll(yield* listDataKeys(databaseOf(sql), wrapping), wrapping)
    yield* sql`
      INSERT INTO service_state (key, value)
      VALUES (${unfinishedRestore}, convert_to(${String(manifest.log.last_sequence)}, 'UTF8'))`
    return { rows: rowsIn(tables), tables: tables.length }
  },
  (work, connection) =>
    connection.sql.withTransaction(Effect.scoped(work)).pipe(
      Effect.provideService(SqlClient.SqlClient, connection.sql)
    )
)
