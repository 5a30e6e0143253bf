import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Migrator } from "effect/sql"
import { verifyEvents } from "../../../src/client/index.ts"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { startService } from "../../fixtures/Service.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"

/** Brings a database to where the migrations before this one had it. */
const migrate = (url: string, before: string) =>
  Effect.runPromise(
    Migrator.make({})({
      loader: Migrator.fromRecord(
        Object.fromEntries(Object.entries(migrations).filter(([name]) => name < before)) as typeof migrations
      ),
      table: "schema_migrations"
    }).pipe(
      Effect.provide(
        Database.layerTarget.pipe(Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(url) })))
      )
    )
  )

const content = "id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data, commitments, " +
  "personal, request_id, traceparent, created_at"

it("keeps feed, hashes and proofs of a database from before, and places what waited in it", async () => {
  const service = await startService()
  await makeHistory(service)
  const feed = await service.feed()
  const checkpoint = await eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= feed.length ? body.data : undefined
  })
  const proof = await service.data("GET", `/api/v1/events/${feed[20].id}/proof?size=${feed.length}`)
  const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
  await service.kill("SIGKILL")

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
      AND table_name NOT IN ('events', 'event_outbox', 'event_tiles', 'event_checkpoints', 'schema_migrations')
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
}, 120_000)
