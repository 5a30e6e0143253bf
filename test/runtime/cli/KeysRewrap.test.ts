import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ended } from "../../fixtures/Program.ts"
import { run, serve, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { database } from "../../fixtures/Session.ts"

const oldKey = Buffer.alloc(32, 7).toString("base64")
const newKey = randomBytes(32).toString("base64")

/** Each starts half a dozen processes, one after the other. */
const slow = 300_000

const cli = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>): Promise<Ended> =>
  run(["src/runtime/cli.ts", ...args], environment)

const printed = (ended: Ended): string => {
  assert.strictEqual(ended.status, 0, ended.errors)
  return ended.output.trim()
}

const refusal = (ended: Ended): string => {
  assert.strictEqual(ended.status, 1, ended.output)
  return ended.errors
}

const replays = (first: Answer, again: Answer) => {
  assert.strictEqual(again.headers["idempotency-replayed"], "true", again.text)
  assert.strictEqual(again.text, first.text)
}

describe.concurrent("countersign keys rewrap", () => {
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
      printed(await cli(settings(oldKey), "keys", "rewrap", "--new-key-file", file)),
      "data keys were wrapped under the new master key"
    )
    await works(first, second, "rewrapped")

    assert.strictEqual(await first.kill("SIGTERM"), 0)
    const third = await node(newKey)
    replays(kept, await write(third, "kept"))
    await works(third, second, "one-of-two")

    assert.include(printed(await cli(settings(newKey), "keys", "rewrap", "--finish")), "The change is finished")
    await works(third, second, "finished")
    assert.strictEqual(await second.kill("SIGTERM"), 0)
    assert.include(refusal(await cli(settings(oldKey), "start")), "or was changed to")
    replays(kept, await write(third, "kept"))
  }, slow)

  it("makes and keeps the new key where the old one is kept", async () => {
    const directory = temporaryDirectory()
    const settings = { COUNTERSIGN_DATA_DIR: directory }
    const file = join(directory, "master.key")
    const service = await serve(["src/runtime/cli.ts", "start"], settings)
    const token = readFileSync(join(directory, "admin.token"), "utf8").trim()
    const before = readFileSync(file, "utf8")
    const create = async (url: string) => {
      const { status } = await fetch(`${url}/api/v1/products`, {
        method: "POST",
        headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "p", code: randomBytes(6).toString("hex") })
      })
      return status
    }

    assert.include(printed(await cli(settings, "keys", "rewrap")), "holds the new one")
    assert.notStrictEqual(readFileSync(file, "utf8"), before)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    assert.isFalse(existsSync(`${file}.new`))
    assert.strictEqual(await create(service.url), 201)
    printed(await cli(settings, "keys", "rewrap", "--finish"))
    assert.strictEqual(await create(service.url), 201)
    assert.strictEqual(await service.stop(), 0)

    const again = await serve(["src/runtime/cli.ts", "start"], settings)
    assert.strictEqual(await create(again.url), 201)
    writeFileSync(file, before)
    assert.include(refusal(await cli(settings, "keys", "list")), "is not the key that this database was made with")
    assert.strictEqual(await again.stop(), 0)
  }, slow)
})
