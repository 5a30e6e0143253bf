import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { hasTerminals, launch, temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey } from "../../fixtures/Service.ts"
import { eventually, migrated, session } from "../../fixtures/Session.ts"

/** What the test holds while commands are to take long. */
const gate = 42

/**
 * A database in which a change of the master key waits before its first row, for as long as `gate` is held. It tries again
 * and again, because a wait for a lock would be cut off.
 */
const gated = async () => {
  const databaseUrl = await migrated()
  const environment = {
    DATABASE_URL: databaseUrl,
    COUNTERSIGN_MASTER_KEY: masterKey,
    COUNTERSIGN_ADMIN_TOKEN: adminToken
  }
  assert.strictEqual((await runCommand(["keys", "list"], environment)).status, 0)
  const sql = await session(databaseUrl)
  await sql.query(`
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      WHILE NOT pg_try_advisory_xact_lock_shared(${gate}) LOOP PERFORM pg_sleep(0.05); END LOOP;
      RETURN NULL;
    END $$`)
  await sql.query("CREATE TRIGGER gate BEFORE INSERT ON data_keys FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate()")
  await sql.query(`SELECT pg_advisory_lock(${gate})`)
  return {
    environment,
    reached: () =>
      eventually("the command waits at the gate", async () => {
        const waiting = await sql.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        )
        return waiting.length > 0
      }),
    open: () => sql.query(`SELECT pg_advisory_unlock(${gate})`)
  }
}

describe("a command that takes long", () => {
  it("shows on a terminal how far it is, of how much, and nothing of it elsewhere", async (context) => {
    if (!hasTerminals()) return context.skip("script of util-linux is not installed")
    const newKey = join(temporaryDirectory(), "new.key")
    writeFileSync(newKey, Buffer.alloc(32, 8).toString("base64"))
    const rewrap = ["src/runtime/cli.ts", "keys", "rewrap", "--new-key-file", newKey]
    const [piped, watched] = [await gated(), await gated()]
    const elsewhere = launch(rewrap, piped.environment)
    await piped.reached()
    const onTerminal = launch(rewrap, watched.environment, { isOnTerminal: true })
    const bar = /Changing the master key {2}\[ +\] {2}0 % {2}0 of \d\d+ {2}0\/s/
    await eventually("a bar is drawn", () => bar.test(onTerminal.output()))
    // The other one began before, so it too takes longer than what is shown.
    await Promise.all([piped.open(), watched.open()])

    assert.strictEqual(await onTerminal.ended, 0, onTerminal.output())
    const left = onTerminal.output().split("\r\u001B[2K").at(-1)!
    assert.match(left, /^\d+ data keys were wrapped with the new master key/, "the bar is erased")
    assert.strictEqual(await elsewhere.ended, 0, elsewhere.errors())
    assert.match(elsewhere.output(), /^\d+ data keys were wrapped with the new master key/)
    assert.strictEqual(elsewhere.errors(), "")
  })
})
