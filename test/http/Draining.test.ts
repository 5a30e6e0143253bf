import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { startReceiver } from "../fixtures/Receiver.ts"
import { startService } from "../fixtures/Service.ts"
import { eventually } from "../fixtures/Session.ts"

describe("a stop by SIGTERM", () => {
  it("ends what is under way, writes it down, and so repeats and loses nothing", async () => {
    const service = await startService({ as: "program" })
    const target = await startReceiver()
    let answered = 0
    target.respond = (response) =>
      setTimeout(() => {
        answered += 1
        response.writeHead(200).end()
      }, 400)
    await service.data("POST", "/api/v1/webhooks", {
      name: "Slow",
      url: target.url,
      event_types: ["product.created"]
    })
    const products: Array<string> = []
    for (let index = 0; index < 60; index++) {
      const { id } = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
      products.push(id)
    }
    // In the middle of the work: some have arrived, ten are under way, the rest waits.
    await eventually("some are answered and some are not", () => answered >= 10 && target.received.length > answered)
    assert.strictEqual(await service.kill("SIGTERM"), 0)
    const before = target.received.length
    assert.strictEqual(answered, before, "no attempt was cut off")
    assert.isBelow(before, 60)
    await service.start()
    const arrived = () => target.received.map(({ body }) => JSON.parse(body).data.id)
    await eventually("the rest", () => new Set(arrived()).size === 60, 30)
    assert.sameMembers(arrived(), products, "each once")
  })
})
