import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../../fixtures/CommandLine.ts"
import type { Ended } from "../../fixtures/Program.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { database } from "../../fixtures/Session.ts"
import { adminTokenUnder, testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const oldKey = Buffer.alloc(32, 7).toString("base64")
const newKey = randomBytes(32).toString("base64")

/** It starts services one after the other, and waits for the end of one. */
const slow = 300_000

const printed = (ended: Ended): string => {
  assert.strictEqual(ended.status, 0, ended.errors)
  return ended.output.trim()
}

const refusal = (ended: Ended): string => {
  assert.strictEqual(ended.status, 2, ended.output)
  return ended.errors
}

const replays = (first: Answer, again: Answer) => {
  assert.strictEqual(again.headers["idempotency-replayed"], "true", again.text)
  assert.strictEqual(again.text, first.text)
}

describe("countersign keys rewrap", () => {
  it("changes the master key of two nodes that go on, one start after the other", async () => {
    const databaseUrl = await database()
    const settings = (key: string) => ({
      DATABASE_URL: databaseUrl,
      COUNTERSIGN_MASTER_KEY: key,
      COUNTERSIGN_ADMIN_TOKEN: adminToken
    })
    const node = (key: string) => startService({ databaseUrl, environment: { COUNTERSIGN_MASTER_KEY: key } })
    const [first, second] = await Promise.all([node(oldKey), node(oldKey)])
    const { key, license } = await first.issue()
    const { token } = await first.data("POST", "/api/v1/api-keys", { name: "k", scopes: ["license:read"] })

    /** A write that only its first answer can answer again: it shows a secret once. */
    const write = (service: Service, idempotencyKey: string) =>
      service.call("POST", "/api/v1/api-keys", {
        body: { name: idempotencyKey, scopes: ["ops:read"] },
        headers: { "idempotency-key": idempotencyKey }
      })
    /** All that hangs on the master key: hashes, the signing key, and what one node sealed for the other. */
    const works = async (one: Service, other: Service, round: string) => {
      for (const [writer, reader] of [[one, other], [other, one]] as const) {
        const answer = await write(writer, `${round}-${new URL(writer.url).port}`)
        assert.strictEqual(answer.status, 201, answer.text)
        replays(answer, await write(reader, `${round}-${new URL(writer.url).port}`))
        const activated = await writer.license("activate", key, { fingerprint: "f" })
        assert.strictEqual(activated.body?.data?.license_id, license.id, activated.text)
        assert.strictEqual((await reader.call("GET", `/api/v1/licenses/${license.id}`, { token })).status, 200)
      }
    }
    await works(first, second, "before")
    const kept = await write(second, "kept")

    const file = join(temporaryDirectory(), "new.key")
    writeFileSync(file, `${newKey}\n`)
    assert.include(
      printed(await runCommand(["keys", "rewrap", "--new-key-file", file], settings(oldKey))),
      "data keys were wrapped with the new master key"
    )
    await works(first, second, "rewrapped")

    await first.stop()
    const third = await node(newKey)
    replays(kept, await write(third, "kept"))
    await works(third, second, "one-of-two")

    assert.include(
      printed(await runCommand(["keys", "rewrap", "--finish", "--yes"], settings(newKey))),
      "The change is finished"
    )
    await works(third, second, "finished")
    // Whoever begins with the old key from now on is refused.
    assert.include(refusal(await runCommand(["keys", "list"], settings(oldKey))), "or last changed to")
    replays(kept, await write(third, "kept"))
  }, slow)

  it(
    "changes it for the test environment in the same steps, and finishes nothing that one of both would lose",
    async () => {
      const databaseUrl = await database()
      const directory = temporaryDirectory()
      const settings = (key: string) => ({
        DATABASE_URL: databaseUrl,
        COUNTERSIGN_DATA_DIR: directory,
        COUNTERSIGN_MASTER_KEY: key,
        COUNTERSIGN_ADMIN_TOKEN: adminToken
      })
      const keyFile = (key: string) => {
        const file = join(temporaryDirectory(), "new.key")
        writeFileSync(file, key)
        return file
      }
      const rewrap = (key: string, ...args: ReadonlyArray<string>) =>
        runCommand(["keys", "rewrap", ...args], settings(key))
      // Without a test environment that was used, there is one database to change.
      assert.notInclude(printed(await rewrap(oldKey, "--new-key-file", keyFile(newKey))), "test environment")
      printed(await rewrap(oldKey, "--finish", "--yes"))

      const first = await startService({ databaseUrl, environment: { COUNTERSIGN_MASTER_KEY: oldKey } })
      testDatabaseOf(first)
      const inTest = (service: Service, token: string) => service.call("GET", "/api/v1/products", { token })
      first.token = testToken
      const { key, product } = await first.issue()
      first.token = adminToken
      const begun = printed(await rewrap(oldKey, "--new-key-file", keyFile(newKey)))
      assert.match(begun, /data keys were wrapped .* \(test environment\)\./)
      assert.match(begun, /admin token of the test environment/)
      assert.strictEqual((await inTest(first, testToken)).status, 200)

      const second = await startService({ databaseUrl, environment: { COUNTERSIGN_MASTER_KEY: newKey } })
      const nextToken = adminTokenUnder(newKey)
      for (const [service, token] of [[first, testToken], [second, nextToken]] as const) {
        assert.strictEqual((await inTest(service, token)).body.data[0].id, product.id)
        assert.strictEqual((await service.license("activate", key, { fingerprint: "f" })).status, 200)
      }
      printed(await rewrap(newKey, "--finish", "--yes"))
      assert.strictEqual((await inTest(second, nextToken)).status, 200)
      const list = (key: string) => runCommand(["keys", "list", "--environment", "test"], settings(key))
      printed(await list(newKey))
      assert.include(refusal(await list(oldKey)), "or last changed to")

      // One that has gone its own way is named, and nothing is changed in live.
      const third = randomBytes(32).toString("base64")
      const own = ["--environment", "test"]
      assert.include(
        printed(await rewrap(newKey, "--new-key-file", keyFile(third), ...own)),
        "countersign keys rewrap --finish --environment test"
      )
      printed(await rewrap(third, "--finish", "--yes", ...own))
      for (const args of [["--new-key-file", keyFile(third)], ["--finish", "--yes"]]) {
        assert.include(refusal(await rewrap(newKey, ...args)), "The test environment has another master key")
      }
      assert.include(
        refusal(await runCommand(["keys", "list"], settings(third))),
        "is not the master key of this database"
      )
    },
    slow
  )
})
