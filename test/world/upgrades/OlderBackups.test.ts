import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sealOf } from "../../../src/runtime/backup/BackupManifest.ts"
import { connect } from "../../../src/runtime/backup/CopyConnection.ts"
import { writeBackup } from "../../../src/runtime/backup/writeBackup.ts"
import { newest } from "../../../src/runtime/postgres/Migrations.ts"
import { migrations } from "../../../src/runtime/postgres/migrations/index.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { lastReleased, released, releasedDatabase, releasedFacts } from "../../fixtures/Released.ts"
import { expectReleasedFacts } from "../../fixtures/ReleasedFacts.ts"
import { startService } from "../../fixtures/Service.ts"
import { database, session } from "../../fixtures/Session.ts"

/** The first schema that a backup can be of: it has every table that the head of the log is read from. */
const older = 18

const directory = temporaryDirectory()
const path = join(directory, "older.backup")
const masterKey = Buffer.from(released.environment.COUNTERSIGN_MASTER_KEY, "base64")

const restore = (databaseUrl: string, file: string) =>
  runCommand(["restore", file], { ...released.environment, DATABASE_URL: databaseUrl })

/** Brings the tables of a released version to a schema between that and this one. */
const migrateTo = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, last: number) {
  const [schema] = yield* sql<{ readonly version: number }>`
    SELECT max(migration_id)::int AS version FROM schema_migrations`
  for (const [name, migration] of Object.entries(migrations)) {
    const id = Number.parseInt(name, 10)
    if (id <= schema!.version || id > last) continue
    yield* sql.withTransaction(migration).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    yield* sql`INSERT INTO schema_migrations (migration_id, name) VALUES (${id}, ${name.replace(/^\d+_/, "")})`
  }
})

describe("a backup", () => {
  beforeAll(async () => {
    const url = await releasedDatabase(lastReleased)
    await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const connection = yield* connect(Redacted.make(url), "countersign backup")
      yield* migrateTo(connection.sql, older)
      const { manifest } = yield* writeBackup(connection, path, masterKey)
      assert.strictEqual(manifest.migration, older)
    })))
  })

  it("of an older schema is loaded, migrated, and served with everything it had", async () => {
    const url = await database()
    const ended = await restore(url, path)
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.match(ended.output, /chain, tree and signature of [\d,]+ events verify/)
    const sql = await session(url)
    const [schema] = await sql.query("SELECT max(migration_id)::int AS version FROM schema_migrations")
    assert.deepStrictEqual(schema, { version: newest })
    const service = await startService({ databaseUrl: url })
    await expectReleasedFacts(service, releasedFacts(lastReleased))
    await service.stop()
    await expectHealthy(url, [])
  })

  it.each<readonly [string, string, string, string]>([
    [
      "newer schema",
      // A blank less makes room for the third digit, so that nothing after it moves.
      ` "migration": ${older}`,
      `"migration": ${newest + 1}`,
      `has schema ${newest + 1}; this version knows schemas up to ${newest}. Restore it with version`
    ],
    [
      "newer format",
      "\"format\": 1",
      "\"format\": 2",
      "it has format 2, and this version reads 1: restore it with a newer version"
    ]
  ])("of a %s is refused before anything is written", async (name, from, to, message) => {
    const newer = join(directory, `${name}.backup`)
    copyFileSync(path, newer)
    const bytes = readFileSync(newer)
    const start = bytes.indexOf("{\n  \"format\": 1")
    const content = bytes.toString("utf8", start, bytes.indexOf("\n}\n", start) + 3)
    const written = content.replace(from, to)
    assert.lengthOf(written, content.length)
    bytes.write(written, start)
    // As the version that wrote it would have sealed it.
    bytes.write(sealOf(written, masterKey), bytes.indexOf(sealOf(content, masterKey)))
    writeFileSync(newer, bytes)
    const url = await database()
    const ended = await restore(url, newer)
    assert.strictEqual(ended.status, 1, ended.errors)
    assert.include(ended.errors, message)
    const sql = await session(url)
    assert.deepStrictEqual(
      await sql.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
      []
    )
  })
})
