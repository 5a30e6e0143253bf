import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Countersign } from "../../../src/client/api/index.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { guardProcess } from "../../fixtures/Guarded.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"

const port = await freePort()
const service = await startService({ as: "program", environment: { PORT: String(port) } })
const client = new Countersign({ baseUrl: service.url, token: adminToken, maxRetries: 20 })

describe("a receiver that is killed again and again, of a service that is killed too", () => {
  it("ends with each event once and none missing", async () => {
    const directory = await mkdtemp(join(tmpdir(), "countersign-hooks-"))
    atEnd(() => rm(directory, { recursive: true, force: true }))
    const database = join(directory, "receiver.sqlite")
    const receiverPort = await freePort()
    const { secret, webhook } = await client.webhooks.create({
      name: "Mine",
      url: `http://127.0.0.1:${receiverPort}/hooks`
    })

    const start = async () => {
      const child = spawn(process.execPath, [join(import.meta.dirname, "../../fixtures/hookReceiver.ts")], {
        env: {
          ...process.env,
          DATABASE: database,
          URL: service.url,
          TOKEN: adminToken,
          SECRET: secret,
          PORT: String(receiverPort)
        },
        stdio: ["ignore", "pipe", "inherit"]
      })
      guardProcess(child)
      await once(child.stdout, "data")
      return child
    }
    let receiver = await start()

    const product = await client.products.create({ name: "Studio", code: "studio" })
    const policy = await client.policies.create(product.id, { name: "P", code: "p", license_type: "perpetual" })
    const { license } = await client.licenses.create({ product_id: product.id, policy_id: policy.id })
    for (let round = 0; round < 5; round++) {
      const killed = new Promise<unknown>((resolve) => receiver.once("exit", resolve))
      for (let index = 0; index < 8; index++) {
        await client.licenses.suspend(license.id)
        if (index === 3) receiver.kill("SIGKILL")
        await client.licenses.reinstate(license.id)
      }
      await killed
      if (round === 2) {
        await service.kill("SIGKILL")
        await service.start()
      }
      // Of the last one nothing is delivered again before the receiver has read the feed.
      if (round === 4) await client.webhooks.update(webhook.id, { is_active: false })
      receiver = await start()
    }
    const events = await service.feed()
    assert.isAbove(events.length, 80)

    const rows = new DatabaseSync(database, { readOnly: true })
    const effects = () =>
      rows.prepare("SELECT event, source FROM effects ORDER BY sequence").all().map(({ event, source }) => ({
        event: String(event),
        source: String(source)
      }))
    await eventually("the receiver has read the feed", () => effects().some(({ source }) => source === "feed"))
    await client.webhooks.update(webhook.id, { is_active: true })
    // The first event that the receiver could be told of is that of its endpoint.
    const expected = events.slice(events.findIndex(({ event_type }) => event_type === "webhook.created"))
    // More may have come, of what happened before or happens meanwhile.
    await eventually("every event has arrived", () => {
      const told = new Set(effects().map(({ event }) => event))
      return expected.every(({ id }) => told.has(id))
    })
    const found = effects()
    assert.strictEqual(new Set(found.map(({ event }) => event)).size, found.length, "each event once")
    assert.includeMembers([...new Set(found.map(({ source }) => source))], ["delivery", "feed"])
    receiver.kill("SIGKILL")
    rows.close()
  })
})
