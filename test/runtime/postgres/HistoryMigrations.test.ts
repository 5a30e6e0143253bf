import { assert, beforeAll, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { verifyEvents } from "../../../src/client/verify/index.ts"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import reports from "../../../src/runtime/postgres/migrations/0008_reports.ts"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import { makeHistory } from "../../fixtures/History.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"

const target = (url: string) =>
  Database.layerTarget.pipe(Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(url) })))

/** Brings a database to where the migrations before this one had it. */
const migrate = (url: string, before: string) =>
  Effect.runPromise(
    Migrator.make({})({
      loader: Migrator.fromRecord(
        Object.fromEntries(Object.entries(migrations).filter(([name]) => name < before)) as typeof migrations
      ),
      table: "schema_migrations"
    }).pipe(Effect.provide(target(url)))
  )

const content = "id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data, commitments, " +
  "personal, request_id, traceparent, created_at"

/** What a person did before the upgrade, and what was read of it; the service has ended. */
let service: Service
let feed: ReadonlyArray<Body>
let checkpoint: Body
let proof: Body
let publicKeys: Body

beforeAll(async () => {
  service = await startService()
  await makeHistory(service)
  feed = await service.feed()
  checkpoint = await eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= feed.length ? body.data : undefined
  })
  proof = await service.data("GET", `/api/v1/events/${feed[20].id}/proof?size=${feed.length}`)
  publicKeys = await service.data("GET", "/api/v1/system/public-keys")
  await service.stop()
})

it("keeps feed, hashes and proofs of a database from before, and places what waited in it", async () => {
  // The database as it was: no tree, and the last five events still waiting, as a dump of another server has them.
  const old = await database()
  await migrate(old, "0010")
  const from = await session(service.databaseUrl)
  const into = await session(old)
  const placed = feed.length - 5
  const copy = async (table: string, columns: string, rows: string, parameters: ReadonlyArray<unknown> = []) => {
    const [{ all }] = await from.query(`SELECT jsonb_agg(to_jsonb(t))::text AS all FROM (${rows}) t`, parameters)
    await into.query(
      `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
      [all ?? "[]"]
    )
  }
  await into.query("SET session_replication_role = replica")
  const tables = await into.query(`
    SELECT table_name, string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_type = 'BASE TABLE' AND table_schema = current_schema() AND is_generated = 'NEVER'
      AND table_name NOT IN ('events', 'event_outbox', 'event_tiles', 'event_checkpoints', 'event_chain',
        'schema_migrations')
    GROUP BY table_name`)
  for (const { columns, table_name } of tables) {
    await into.query(`DELETE FROM ${table_name}`)
    await copy(table_name, columns, `SELECT * FROM ${table_name}`)
  }
  await copy(
    "events",
    `sequence, ${content}, previous_hash, hash`,
    "SELECT * FROM events WHERE sequence <= $1 ORDER BY sequence",
    [placed]
  )
  await copy(
    "event_outbox",
    `xid, ordinal, ${content}`,
    `SELECT '999999999999' AS xid, sequence - 30 AS ordinal, ${content} FROM events WHERE sequence > $1
     ORDER BY sequence DESC`,
    [placed]
  )
  await into.query(
    "UPDATE event_chain SET tree_size = 0, last_sequence = $1, last_hash = decode($2, 'hex')",
    [placed, feed[placed - 1].hash]
  )
  // What the history of today is encrypted with came later, and is not what this is about.
  await migrate(old, "9999")
  for (const table of ["data_keys", "data_key_wraps"]) {
    const [{ columns }] = await into.query(
      `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = current_schema() AND is_generated = 'NEVER'`,
      [table]
    )
    await copy(table, columns, `SELECT * FROM ${table}`)
  }
  // The leaves of today's events name the previous one of their license, which their places keep.
  for (
    const { hash, license_id, license_previous, sequence } of await from.query(
      `
      SELECT sequence, license_id, license_previous, license_previous_hash AS hash FROM event_places
      WHERE license_previous IS NOT NULL AND sequence <= $1`,
      [placed]
    )
  ) {
    await into.query(
      "UPDATE event_places SET license_id = $2, license_previous = $3, license_previous_hash = $4 WHERE sequence = $1",
      [sequence, license_id, license_previous, hash]
    )
  }
  await into.query("UPDATE event_chain SET linked_from = 1, last_hash = NULL")
  // What the terms of its licenses count from came later too, and stands in its events.
  for (
    const { id, term_anchor } of await from.query("SELECT id, term_anchor FROM licenses WHERE term_anchor IS NOT NULL")
  ) {
    await into.query("UPDATE licenses SET term_anchor = $1 WHERE id = $2", [term_anchor, id])
  }
  // So did who created its API keys.
  for (
    const { created_by, id } of await from.query(
      "SELECT id, created_by FROM management_keys WHERE created_by IS NOT NULL"
    )
  ) {
    await into.query("UPDATE management_keys SET created_by = $1 WHERE id = $2", [JSON.stringify(created_by), id])
  }
  await from.close()

  const upgraded = await startService({ databaseUrl: old })
  assert.deepStrictEqual((await upgraded.feed()).slice(0, feed.length), feed)
  const later = await upgraded.data("POST", "/api/v1/products", { name: "After", code: "after" })
  const after = await upgraded.feed()
  assert.deepStrictEqual(after.slice(0, feed.length), feed)
  assert.include(after.slice(feed.length).map(({ resource_id }) => resource_id), later.id)
  const [{ known }] = await into.query("SELECT count(DISTINCT ordinal)::int AS known FROM event_records")
  assert.strictEqual(known, after.length)

  const now = await eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await upgraded.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= after.length ? body.data : undefined
  })
  const lines = [...await upgraded.feed()].filter(({ sequence }) => sequence <= now.tree_size)
  const verdict = await verifyEvents({
    lines: [...lines, { checkpoint: now }],
    publicKeys,
    notes: [checkpoint.note]
  })
  assert.isTrue(verdict.ok, JSON.stringify(verdict))
  const same = await upgraded.data("GET", `/api/v1/events/${feed[20].id}/proof?size=${feed.length}`)
  assert.deepStrictEqual(same.hashes, proof.hashes)
  assert.strictEqual(same.root_hash, proof.root_hash)
})

const columnsOfReports = [
  "id",
  "feature_code",
  "total_consumptions",
  "product_id",
  "customer_id",
  "order_id",
  "subscription_id",
  "request_id"
]

// After the other, which copies the rows of this database.
it("brings what was used and what happened before into the tables of reports as if they had been there", async () => {
  const inside = await session(service.databaseUrl)
  const contents = async () => {
    const all: Record<string, ReadonlyArray<unknown>> = {}
    for (const table of ["usage_records", "usage_corrections", "usage_days", "activities"]) {
      all[table] = (await inside.query(
        // When it was counted, with the license locked, no event says.
        `SELECT (to_jsonb(t) - '{counted_at,settles_from,settled_count}'::text[])::text AS row FROM ${table} t
         ${table === "activities" ? "WHERE result_class <> 'refused'" : ""} ORDER BY 1`
      )).map(({ row }) => JSON.parse(row))
    }
    return all
  }
  const before = await contents()
  for (const [table, rows] of Object.entries(before)) assert.isNotEmpty(rows, table)

  // The database as it was before.
  await inside.query("DROP VIEW usage_ledger")
  await inside.query("DROP TABLE activities, usage_corrections, usage_days")
  await inside.query(
    `ALTER TABLE usage_records ${columnsOfReports.map((column) => `DROP COLUMN ${column}`).join(", ")}`
  )
  await inside.query("DROP INDEX usage_records_by_time")
  await inside.query("DROP INDEX usage_records_by_license_id")
  await inside.query("DROP STATISTICS usage_records_hours")

  await Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(reports)).pipe(
      Effect.provide(target(service.databaseUrl))
    )
  )
  // What came later, and is not what this is about.
  await inside.query("ALTER TABLE usage_days ADD COLUMN overage numeric")
  await inside.query("ALTER TABLE usage_corrections ADD COLUMN refund_of text, ADD COLUMN grants jsonb")
  await inside.query("ALTER TABLE activities ADD COLUMN reason text")
  assert.deepStrictEqual(await contents(), before)
})
