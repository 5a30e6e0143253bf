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
})
