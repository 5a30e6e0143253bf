import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"

/** More than are attempted at once. */
const events = 40

describe("a stop by SIGTERM", () => {
  it("ends what is under way, writes it down, and so repeats and loses nothing", async () => {
    const service = await startService({ as: "program" })
    const target = await startReceiver()
    let answered = 0
    const answer = (response: ServerResponse) => {
      answered += 1
      response.writeHead(200).end()
    }
    // In the middle of the work: some are answered, ten are under way until the stop has begun, the rest waits.
    const underWay: Array<ServerResponse> = []
    target.respond = (response) => {
      if (answered < 10) answer(response)
      else underWay.push(response)
    }
    // Paused until all has happened: an attempt without an answer fails after 10 seconds, and is then repeated by right.
    const { webhook } = await service.data("POST", "/api/v1/webhooks", {
      name: "Slow",
      url: target.url,
      event_types: ["product.created"],
      is_active: false
    })
    const products: Array<string> = []
    for (let index = 0; index < events; index++) {
      const { id } = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
      products.push(id)
    }
    await service.data("PATCH", `/api/v1/webhooks/${webhook.id}`, { is_active: true })
    await eventually("some are answered and some are not", () => underWay.length === 10)
    const inspect = await session(service.databaseUrl)
    const shards = async () => {
      const [row] = await inspect.query(
        "SELECT count(*)::int AS n FROM pg_locks JOIN pg_database d ON d.oid = database " +
          "WHERE locktype = 'advisory' AND datname = current_database()"
      )
      return row.n
    }
    const owned = await shards()
    service.signal("SIGTERM")
    // All are interrupted at once. The shard of the lane that ends its attempts is the last one that is given back.
    await eventually("the lane was interrupted: other shards are given back", async () => await shards() < owned)
    target.respond = answer
    for (const response of underWay) answer(response)
    assert.strictEqual(await service.ended(), 0)
    const before = target.received.length
    assert.strictEqual(answered, before, "no attempt was cut off")
    assert.isBelow(before, events)
    const [lane] = await inspect.query(
      "SELECT delivered_total::int AS delivered, (SELECT count(*)::int FROM webhook_retries) AS retries FROM webhook_lanes"
    )
    assert.deepStrictEqual(lane, { delivered: before, retries: 0 }, "all is written down as delivered")
    await inspect.close()
    await startService({ databaseUrl: service.databaseUrl })
    const arrived = () => target.received.map(({ body }) => JSON.parse(body).data.id)
    await eventually("the rest", () => new Set(arrived()).size === events)
    assert.sameMembers(arrived(), products, "each once")
  })
})
