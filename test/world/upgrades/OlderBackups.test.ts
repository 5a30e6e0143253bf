import { assert, describe, it } from "@effect/vitest"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sealOf } from "../../../src/runtime/backup/readBackup.ts"
import { base, newest, requiredStop } from "../../../src/runtime/postgres/Migrations.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { newerRelease } from "../../fixtures/NewerRelease.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import { released, releasedFacts, stopBackup, stopVersion } from "../../fixtures/Released.ts"
import { expectReleasedFacts } from "../../fixtures/ReleasedFacts.ts"
import { startService } from "../../fixtures/Service.ts"
import { database, session } from "../../fixtures/Session.ts"

const directory = temporaryDirectory()
const masterKey = Buffer.from(released.environment.COUNTERSIGN_MASTER_KEY, "base64")

const restore = (databaseUrl: string, file: string) =>
  runCommand(["restore", file], { ...released.environment, DATABASE_URL: databaseUrl })

describe("a backup", () => {
  it("of the required stop is loaded and served with everything it had", async () => {
    const url = await database()
    const ended = await restore(url, stopBackup)
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.match(ended.output, /chain, tree and signature of [\d,]+ events verify/)
    const sql = await session(url)
    const [schema] = await sql.query("SELECT max(migration_id)::int AS version FROM schema_migrations")
    assert.deepStrictEqual(schema, { version: newest })
    const service = await startService({ databaseUrl: url })
    await expectReleasedFacts(service, releasedFacts(stopVersion))
    await service.stop()
    await expectHealthy(url, [])
  })

  it("of schema 255 is loaded by a version that has migrations after it, and migrated", async () => {
    const url = await database()
    const program = await newerRelease(directory, "cli")
    const ended = await run([program, "restore", stopBackup], { ...released.environment, DATABASE_URL: url })
    assert.strictEqual(ended.status, 0, ended.errors)
    const sql = await session(url)
    const applied = await sql.query("SELECT name FROM schema_migrations WHERE migration_id > 9000 ORDER BY 1")
    assert.deepStrictEqual(applied, [{ name: "next" }, { name: "online" }])
  })

  it.each<readonly [string, string, string, string]>([
    [
      "newer schema",
      `"migration": ${base}`,
      `"migration": ${newest + 1}`,
      `has schema ${newest + 1}; this version knows schemas up to ${newest}. Restore it with version`
    ],
    [
      "schema before the base",
      `"migration": ${base}`,
      "\"migration\": 247",
      `is too old for this version, which takes over schema ${base} and later ones. No changes were made: restore it with ` +
      `version ${requiredStop}, start that once, and then this one`
    ],
    [
      "newer format",
      "\"format\": 1",
      "\"format\": 2",
      "it has format 2, and this version reads 1: restore it with a newer version"
    ]
  ])("of a %s is refused before anything is written", async (name, from, to, message) => {
    const newer = join(directory, `${name}.backup`)
    copyFileSync(stopBackup, newer)
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
