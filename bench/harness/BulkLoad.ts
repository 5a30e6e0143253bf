import { Effect } from "effect"
import { runSql } from "./Database.ts"

const underLoad = ["max_wal_size = '4GB'", "checkpoint_timeout = '1h'", "autovacuum = off"]

/** Indexes that nothing but speed depends on: they are made after the rows. */
const indexesOf = (databaseUrl: string, tables: ReadonlyArray<string>) =>
  Effect.map(
    runSql(databaseUrl, [[
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid
       WHERE i.indrelid = ANY($1::text[]::regclass[]) AND c.oid IS NULL`,
      [tables]
    ]]),
    (rows) => rows.map((row) => ({ name: String(row["name"]), definition: String(row["definition"]) }))
  )

/**
 * Fills tables that no service uses meanwhile: without the indexes that only speed depends on, and with few checkpoints. `load`
 * answers the statements that finish its work, before the indexes are made again.
 */
export const bulkLoad = <E, R>(
  databaseUrl: string,
  tables: ReadonlyArray<string>,
  load: Effect.Effect<ReadonlyArray<readonly [sql: string, parameters: ReadonlyArray<unknown>]>, E, R>
) =>
  Effect.gen(function*() {
    const indexes = yield* indexesOf(databaseUrl, tables)
    yield* runSql(databaseUrl, [
      ...underLoad.map((setting) => [`ALTER SYSTEM SET ${setting}`, []] as const),
      ["SELECT pg_reload_conf()", []],
      ...indexes.map(({ name }) => [`DROP INDEX ${name}`, []] as const)
    ])
    const finishing = yield* load
    yield* runSql(databaseUrl, [
      ...finishing,
      ["SET maintenance_work_mem = '512MB'", []],
      ...indexes.map(({ definition }) => [definition, []] as const),
      ["VACUUM ANALYZE", []],
      ["ALTER SYSTEM RESET ALL", []],
      ["SELECT pg_reload_conf()", []],
      ["CHECKPOINT", []]
    ])
  })
