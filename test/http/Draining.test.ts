import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { startReceiver } from "../fixtures/Receiver.ts"
import { startService } from "../fixtures/Service.ts"
import { eventually } from "../fixtures/Session.ts"

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
    await service.data("POST", "/api/v1/webhooks", {
      name: "Slow",
      url: target.url,
      event_types: ["product.created"]
    })
    const products: Array<string> = []
    for (let index = 0; index < events; index++) {
      const { id } = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
      products.push(id)
    }
    await eventually("some are answered and some are not", () => underWay.length === 10)
    service.signal("SIGTERM")
    await delay(400)
    target.respond = answer
    for (const response of underWay) answer(response)
    assert.strictEqual(await service.ended(), 0)
    const before = target.received.length
    assert.strictEqual(answered, before, "no attempt was cut off")
    assert.isBelow(before, events)
    await startService({ databaseUrl: service.databaseUrl })
    const arrived = () => target.received.map(({ body }) => JSON.parse(body).data.id)
    await eventually("the rest", () => new Set(arrived()).size === events)
    assert.sameMembers(arrived(), products, "each once")
  })
})
