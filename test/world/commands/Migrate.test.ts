import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { newerRelease } from "../../fixtures/NewerRelease.ts"
import { run, temporaryDirectory } from "../../fixtures/Program.ts"
import { lastReleased, released, releasedDatabase } from "../../fixtures/Released.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"

const masterKey = released.environment.COUNTERSIGN_MASTER_KEY

describe("countersign migrate", () => {
  it("lists what is pending, runs it, and a start that only checks refuses before and not after", async () => {
    const directory = temporaryDirectory()
    const settings = {
      DATABASE_URL: await releasedDatabase(lastReleased),
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_DATA_DIR: join(directory, "none")
    }
    // Of a release that has migrations after the base, whatever this one has.
    const [service, command] = await Promise.all(
      (["main", "cli"] as const).map((program) => newerRelease(directory, program))
    )
    const before = await run([command!, "migrate", "status"], settings)
    assert.strictEqual(before.status, 1, before.errors)
    assert.match(
      before.output,
      /^MIGRATION +APPLIED +RUNS +DOES\n0255_base +\d{4}-\d\d-\d\d [\d:]{8} +at once +all tables, as schema\.sql has them\n/
    )
    assert.match(before.output, /^9998_online +pending +online +shares of the next release$/m)
    const [, pending] = /^(\d+) are pending: countersign migrate up$/m.exec(before.output)!

    assert.isFalse(existsSync(settings.COUNTERSIGN_DATA_DIR), "a secret was left behind")

    const start = await run([service!], { ...settings, PORT: "0", COUNTERSIGN_MIGRATE: "check" })
    assert.strictEqual(start.status, 3, start.errors)
    assert.include(start.errors, `${pending} migrations are pending`)
    assert.include(start.errors, "countersign migrate up")

    // Without a terminal it draws nothing.
    const up = await run([command!, "migrate", "up"], { ...settings, COUNTERSIGN_MIGRATE: "check" })
    assert.strictEqual(up.status, 0, up.errors)
    const lines = up.output.trimEnd().split("\n")
    assert.lengthOf(lines.filter((line) => /^\d{4}_\w+: .+ \(\d+ ms\)$/.test(line)), Number(pending))
    assert.strictEqual(lines.at(-1), "The schema is up to date.")
    assert.notInclude(up.output + up.errors, "\u001B")

    const after = await run([command!, "migrate", "status", "--json"], settings)
    assert.strictEqual(after.status, 0, after.errors)
    const { migrations, newer, pending: left } = JSON.parse(after.output)
    assert.deepStrictEqual([left, newer], [0, 0])
    for (const { applied_at, does } of migrations) {
      assert.isNotEmpty(does)
      assert.match(applied_at, /^\d{4}-/)
    }
    assert.strictEqual((await run([command!, "migrate", "up"], settings)).output, "None is pending.\n")

    // The release before, beside or after it.
    const older = await runCommand(["migrate", "status"], settings)
    assert.strictEqual(older.status, 0, older.errors)
    assert.include(older.output, "None is pending. 2 more belong to a later version")
  })

  it("makes no tables behind another node that has made them", async () => {
    const databaseUrl = await database()
    const node = await session(databaseUrl)
    const observer = await session(databaseUrl)
    await node.query("BEGIN")
    await node.query(`SELECT pg_advisory_xact_lock(${0x436f756e})`)
    const up = runCommand(["migrate", "up"], { DATABASE_URL: databaseUrl, COUNTERSIGN_MASTER_KEY: masterKey })
    await eventually("the command waits for the node", async () => {
      const [row] = await observer.query(
        "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      )
      return row.n > 0
    })
    await node.query(
      "CREATE TABLE schema_migrations (migration_id integer PRIMARY KEY, created_at timestamptz DEFAULT now(), name text)"
    )
    await node.query("INSERT INTO schema_migrations (migration_id, name) SELECT n, n FROM generate_series(1, 9999) n")
    await node.query("COMMIT")
    const ended = await up
    assert.strictEqual(ended.status, 0, ended.errors)
    assert.deepStrictEqual(await node.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"), [
      { name: "schema_migrations" }
    ])
  })

  it("says that there is no database where it was told to look, and makes none", async () => {
    const directory = join(temporaryDirectory(), "none")
    const { errors, output, status } = await runCommand(["migrate", "up"], { COUNTERSIGN_DATA_DIR: directory })
    assert.deepStrictEqual([status, output], [3, ""])
    assert.include(errors, `There is no database in ${directory} yet`)
    assert.isFalse(existsSync(directory))
  })
})
