import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)

const subscribe = async (url: string, event_types: ReadonlyArray<string> = ["product.created"]): Promise<string> =>
  (await service.data("POST", "/api/v1/webhooks", { name: "Billing", url, event_types })).webhook.id

const endpoint = (id: string): Promise<Body> => service.data("GET", `/api/v1/webhooks/${id}`)
const lane = async (id: string): Promise<Body> =>
  (await database.query("SELECT * FROM webhook_lanes WHERE endpoint_id = $1", [id]))[0]
const happen = async (count: number) => {
  for (let index = 0; index < count; index++) {
    await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
  }
}

describe("a receiver that limits its rate", () => {
  it("gets nearly all that it takes, without a failure, an attempt that counts or a row", async () => {
    const target = await startReceiver()
    let window = 0
    let taken = 0
    let refused = 0
    const arrived = new Set<string>()
    target.respond = (response, { body }) => {
      const second = Math.floor(performance.now() / 1000)
      if (second !== window) {
        window = second
        taken = 0
      }
      taken += 1
      if (taken > 5) {
        refused += 1
        return void response.writeHead(429, { "retry-after": "1" }).end("slow down")
      }
      arrived.add(JSON.parse(body).id)
      response.writeHead(204).end()
    }
    const id = await subscribe(target.url)
    const started = performance.now()
    await happen(60)
    await eventually("the burst is caught up with", () => arrived.size === 60)
    const seconds = (performance.now() - started) / 1000
    // 60 at 5 a second take 12 s; a breaker that opens takes minutes.
    assert.isBelow(seconds, 120, `${refused} refused`)
    assert.isBelow(refused, 40)
    await eventually("it is written", async () => Number((await lane(id))["delivered_total"]) === 60)
    const row = await lane(id)
    assert.deepInclude(row, { breaker: "closed", consecutive_failures: 0, failing_since: null })
    assert.strictEqual(Number(row["failed_total"]), 0)
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_retries WHERE endpoint_id = $1", [id]), 0)
    assert.notProperty(await endpoint(id), "failing_since")
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })

  it("rests as it says, says so on the endpoint, and loses nothing", async () => {
    const target = await startReceiver()
    let isOpen = false
    target.respond = (response) =>
      isOpen ? response.writeHead(200).end() : response.writeHead(503, { "retry-after": "12" }).end()
    const id = await subscribe(target.url)
    const at = performance.now()
    await happen(3)
    await eventually("it is refused", () => target.received.length > 0)
    await eventually("the endpoint says so", async () => (await endpoint(id))["last_outcome"] !== undefined)
    const { last_outcome } = await endpoint(id)
    assert.deepInclude(last_outcome, { class: "throttled", status: 503 })
    assert.isAbove(Date.parse(last_outcome.next_attempt_at) - Date.parse(last_outcome.at), 11_000)
    isOpen = true
    const refused = target.received.length
    await eventually("all arrive", () => new Set(target.eventIds().slice(refused)).size === 3)
    assert.isAtMost(refused, 3)
    assert.isAbove(target.received[refused]!.at - at, 11_900)
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })

  it("is shown as failing when it has taken nothing for minutes, and keeps its place", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(429, { "retry-after": "3600" }).end()
    const id = await subscribe(target.url)
    await happen(2)
    await eventually("it rests", async () => (await lane(id))["rest_until"] !== null)
    const before = await lane(id)
    assert.notProperty(await endpoint(id), "failing_since")
    await database.query(
      "UPDATE webhook_lanes SET throttled_since = now() - interval '5 days' WHERE endpoint_id = $1",
      [id]
    )
    const shown = await endpoint(id)
    assert.property(shown, "failing_since")
    assert.strictEqual(shown["status"], "active")
    await eventually("health says so", async () => {
      const health = await service.data("GET", "/api/v1/ops/webhook-health")
      const worst = health.worst.find(({ webhook_id }: Body) => webhook_id === id)
      return worst?.state === "failing" && worst.last_outcome === "429"
    })
    assert.strictEqual((await lane(id))["cursor_seq"], before["cursor_seq"])
    assert.strictEqual(Number((await lane(id))["failed_total"]), 0)

    // Another receiver is asked at once, however long the one before wanted to rest.
    const other = await startReceiver()
    await service.data("PATCH", `/api/v1/webhooks/${id}`, { url: other.url })
    await eventually("both arrive elsewhere", () => new Set(other.eventIds()).size === 2)
    await eventually("it does not fail any more", async () => (await endpoint(id))["failing_since"] === undefined)
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })
})
