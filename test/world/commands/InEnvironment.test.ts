import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { database, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const service = await startService()
const testDatabase = testDatabaseOf(service)
const directory = temporaryDirectory()

const settings = {
  DATABASE_URL: service.databaseUrl,
  COUNTERSIGN_MASTER_KEY: masterKey,
  COUNTERSIGN_ADMIN_TOKEN: adminToken,
  COUNTERSIGN_DATA_DIR: directory,
  COUNTERSIGN_URL: service.url
}

const command = async (...args: ReadonlyArray<string>) => {
  const ended = await runCommand(args, settings)
  return { ...ended, said: `${ended.output}${ended.errors}` }
}

/** The same in the test environment, where it must go well. */
const inTest = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { errors, output, said, status } = await command(...args, "--environment", "test")
  assert.strictEqual(status, 0, said)
  return output === "" ? errors : output
}

const call = (method: string, path: string, body?: unknown): Promise<Body> =>
  service.data(method, path, body, { token: testToken })

/** Whatever happens in test, the log of live ends where it ended. */
const liveEnd = async () => (await service.feed()).at(-1)

const other = await database()
const restored = testDatabaseOf({ ...service, databaseUrl: other } as typeof service)
const backupFile = join(directory, "test.backup")

describe("--environment test", () => {
  let license: Body
  let before: Body

  beforeAll(async () => {
    await service.issue()
    before = await liveEnd()
    const product = await call("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
    const policy = await call("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: "annual",
      license_type: "subscription",
      duration: "P1Y"
    })
    license = (await call("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id })).license
    await call("PUT", "/api/v1/environment/clock", { advance: "P13M" })
  })

  it("prints the admin token of test, which follows from the master key", async () => {
    assert.strictEqual((await inTest("token")).trim(), testToken)
    assert.include(await inTest("token", "--file"), "follows from the master key")
    assert.strictEqual((await command("token")).output.trim(), adminToken)
    const { COUNTERSIGN_MASTER_KEY: _key, DATABASE_URL: _url, ...without } = settings
    const unknown = await runCommand(["token", "--environment", "test"], without)
    assert.deepStrictEqual([unknown.status, unknown.output], [3, ""])
  })

  it("finds nothing to say after a year in a minute", async () => {
    assert.include(await inTest("doctor"), "0 differences")
    assert.include(await inTest("migrate", "status"), "None is pending")
    assert.include(await inTest("keys", "list"), "sig_")
  })

  it("asks the API in test, whatever token is set", async () => {
    const found = JSON.parse(await inTest("api", "getLicense", license.id, "--json"))
    assert.strictEqual((found.data ?? found).id, license.id)
    const live = await runCommand(["api", "getLicense", license.id, "--environment", "test"], {
      ...settings,
      COUNTERSIGN_TOKEN: adminToken
    })
    assert.strictEqual(live.status, 1, live.output)
  })

  it("is a database of its own in a backup, which is restored with its time and into test alone", async () => {
    const { now } = await call("GET", "/api/v1/environment")
    const written = JSON.parse(await inTest("backup", backupFile, "--json"))
    assert.strictEqual(written.manifest.environment, "test")
    assert.isAtLeast(Date.parse(written.manifest.taken_at), Date.parse(now) - 1000)
    assert.isAbove(statSync(backupFile).size, 0)

    const into = { ...settings, DATABASE_URL: other }
    const refused = await runCommand(["restore", backupFile], into)
    assert.strictEqual(refused.status, 1, refused.output)
    assert.include(refused.errors, "a backup of the test environment, and not restored into live")

    const loaded = await runCommand(["restore", backupFile, "--environment", "test"], into)
    assert.strictEqual(loaded.status, 0, loaded.errors)
    const doctor = await runCommand(["doctor", "--environment", "test"], into)
    assert.strictEqual(doctor.status, 0, doctor.output + doctor.errors)
    const { query } = await session(restored)
    const [row] = await query(
      "SELECT now() > pg_catalog.now() + interval '390 days' AS moved, count(*)::int AS licenses FROM licenses"
    )
    assert.deepStrictEqual({ ...row }, { moved: true, licenses: 1 })
  })

  it("takes no backup of live for one of test, nor the reverse", async () => {
    const file = join(directory, "live.backup")
    assert.strictEqual((await command("backup", file)).status, 0)
    const refused = await command("restore", file, "--environment", "test")
    assert.strictEqual(refused.status, 1)
    assert.include(refused.errors, "a backup of the live environment, and not restored into test")
    const named = await runCommand(["backup", join(directory, "wrong.backup")], {
      ...settings,
      DATABASE_URL: testDatabase
    })
    assert.strictEqual(named.status, 1)
    assert.include(named.errors, "add --environment test")
    assert.isFalse(existsSync(join(directory, "wrong.backup")))
  })

  it("is made by the command that migrates, and by no other", async () => {
    const own = await database()
    testDatabaseOf({ ...service, databaseUrl: own } as typeof service)
    const beside = { ...settings, DATABASE_URL: own }
    const missing = await runCommand(["doctor", "--environment", "test"], beside)
    assert.strictEqual(missing.status, 3, missing.errors)
    const made = await runCommand(["migrate", "up", "--environment", "test"], beside)
    assert.strictEqual(made.status, 0, made.errors)
    const status = await runCommand(["migrate", "status", "--environment", "test"], beside)
    assert.strictEqual(status.status, 0, status.output)
  })

  it("has an admin token that is rotated by itself: each machine with the master key knows it, and no reset undoes it", async () => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const standing = (token: string) =>
      Promise.all([service, other].map(async (node) => (await node.call("GET", "/api/v1/products", { token })).status))
    assert.deepStrictEqual(await standing(testToken), [200, 200])
    const first = (await inTest("token", "rotate")).trim()
    const next = (await inTest("token", "rotate")).trim()
    assert.match(next, /^admin_test_/)
    assert.strictEqual(new Set([testToken, first, next]).size, 3)
    // Another machine than the one where it was rotated, whose data directory keeps nothing.
    const elsewhere = { ...settings, COUNTERSIGN_DATA_DIR: temporaryDirectory() }
    const printed = await runCommand(["token", "--environment", "test"], elsewhere)
    assert.strictEqual(printed.output.trim(), next, printed.errors)
    for (const withdrawn of [testToken, first]) {
      assert.deepStrictEqual(await standing(withdrawn), [401, 401])
    }
    assert.deepStrictEqual(await standing(next), [200, 200])
    assert.strictEqual((await service.call("GET", "/api/v1/products")).status, 200)

    const file = join(directory, "rotated.backup")
    await inTest("backup", file)
    assert.strictEqual((await service.call("POST", "/api/v1/environment/reset", { token: next })).status, 200)
    assert.deepStrictEqual(await standing(next), [200, 200])
    for (const withdrawn of [testToken, first]) assert.deepStrictEqual(await standing(withdrawn), [401, 401])
    const last = (await inTest("token", "rotate")).trim()
    for (const withdrawn of [testToken, first, next]) assert.deepStrictEqual(await standing(withdrawn), [401, 401])
    assert.deepStrictEqual(await standing(last), [200, 200])

    // A database that was lost is restored with the token of its time.
    const fresh = { ...settings, DATABASE_URL: await database() }
    testDatabaseOf({ ...service, databaseUrl: fresh.DATABASE_URL } as typeof service)
    const loaded = await runCommand(["restore", file, "--environment", "test"], fresh)
    assert.strictEqual(loaded.status, 0, loaded.errors)
    assert.strictEqual((await runCommand(["token", "--environment", "test"], fresh)).output.trim(), next)
    const restored = await startService({ databaseUrl: fresh.DATABASE_URL })
    const statuses = [testToken, first, next].map(async (token) =>
      (await restored.call("GET", "/api/v1/products", { token })).status
    )
    assert.deepStrictEqual(await Promise.all(statuses), [401, 401, 200])
  })

  it("has changed nothing of live", async () => {
    assert.deepStrictEqual(await liveEnd(), before)
    assert.include((await command("doctor")).output, "0 differences")
  })
})
