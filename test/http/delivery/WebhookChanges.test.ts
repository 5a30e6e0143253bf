import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { verifyDelivery } from "../../../src/client/verify/index.ts"
import { makeCustomer } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)

const makeProduct = () => service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
const create = async (url: string, more: object = {}): Promise<Body> =>
  await service.data("POST", "/api/v1/webhooks", { name: "Billing", url, event_types: ["product.created"], ...more })
const endpoint = (id: string): Promise<Body> => service.data("GET", `/api/v1/webhooks/${id}`)
const change = (id: string, body: object): Promise<Body> => service.data("PATCH", `/api/v1/webhooks/${id}`, body)
const remove = (id: string) => service.call("DELETE", `/api/v1/webhooks/${id}`)
const kindsOf = async (id: string): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)

describe("a change of a webhook endpoint", () => {
  it("is none where every value stands already", async () => {
    const { secret, webhook } = await create("https://hooks.example.com/a")
    const { event_types, id, is_active, name, updated_at, url } = webhook
    const before = await database.query("SELECT * FROM webhook_secrets WHERE endpoint_id = $1", [id])
    for (const body of [{}, { name }, { url }, { event_types }, { is_active }, { event_types, is_active, name, url }]) {
      assert.strictEqual((await change(id, body))["updated_at"], updated_at, JSON.stringify(body))
    }
    for (let time = 0; time < 5; time++) {
      const answer = await change(id, { secret })
      assert.strictEqual(answer["secret"], secret)
      assert.strictEqual(answer["webhook"].updated_at, updated_at)
    }
    assert.deepStrictEqual(
      await database.query("SELECT * FROM webhook_secrets WHERE endpoint_id = $1", [id]),
      before
    )
    assert.deepStrictEqual(await kindsOf(id), ["webhook.created"])
    await change(id, { name, is_active: false })
    await change(id, { is_active: false })
    assert.deepStrictEqual(await kindsOf(id), ["webhook.created", "webhook.updated"])
    await remove(id)
  })

  it("takes no secret that libraries for webhooks cannot verify with, says the cure, and delivers what they verify", async () => {
    const target = await startReceiver()
    const bytes = Buffer.alloc(32, 0xfb)
    const secret = `whsec_${bytes.toString("base64")}`
    const { webhook: { id } } = await create(target.url, { secret })
    for (const wrong of [`whsec_${bytes.toString("base64url")}`, secret.replaceAll("=", ""), "whsec_correct horse"]) {
      for (
        const answer of [
          await service.call("POST", "/api/v1/webhooks", {
            body: { name: "Billing", url: target.url, secret: wrong }
          }),
          await service.call("PATCH", `/api/v1/webhooks/${id}`, { body: { secret: wrong } })
        ]
      ) {
        assert.strictEqual(answer.status, 422)
        const [found, ...others] = answer.body.error.fields
        assert.deepInclude(found, { path: "secret", code: "invalid_value" })
        assert.match(found.message, /not padded standard base64.* or leave out whsec_$/)
        assert.isEmpty(others)
        assert.notInclude(JSON.stringify(answer.body), wrong.slice(6))
      }
    }
    await makeProduct()
    await eventually("a delivery", () => target.received.length === 1)
    const [{ body, headers }] = target.received as [typeof target.received[0]]
    new Webhook(secret).verify(body, headers as Record<string, string>)
    await remove(id)
  })

  it("leaves the secret before its overlap, however often the new one is given", async () => {
    const target = await startReceiver()
    const first = `whsec_${Buffer.alloc(32, "a").toString("base64")}`
    const second = `whsec_${Buffer.alloc(32, "b").toString("base64")}`
    const { webhook: { id } } = await create(target.url, { secret: first })
    for (let time = 0; time < 6; time++) await change(id, { secret: second })
    await makeProduct()
    await eventually("a delivery", () => target.received.length === 1)
    const [{ body, headers }] = target.received as [typeof target.received[0]]
    for (const secret of [first, second]) await verifyDelivery(body, headers, [secret])
    // The one before becomes the newest again, and stands once.
    await change(id, { secret: first })
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_secrets WHERE endpoint_id = $1", [id]), 2)
    // The overlap of those that were replaced is shortened without another secret.
    await change(id, { secret: first, secret_overlap_seconds: 0 })
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_secrets WHERE endpoint_id = $1", [id]), 1)
    assert.deepStrictEqual(await kindsOf(id), [
      "webhook.created",
      "webhook.secret_rotated",
      "webhook.secret_rotated",
      "webhook.secret_rotated"
    ])
    await remove(id)
  })

  it("stops the retries of a kind that is not taken any more", async () => {
    const target = await startReceiver()
    target.respond = (response) => response.writeHead(500).end()
    const { webhook: { id } } = await create(target.url)
    await makeProduct()
    await eventually(
      "it fails",
      async () => (await database.query("SELECT 1 FROM webhook_retries WHERE endpoint_id = $1", [id])).length === 1
    )
    await change(id, { event_types: ["customer.*"] })
    assert.lengthOf(await database.query("SELECT 1 FROM webhook_retries WHERE endpoint_id = $1", [id]), 0)
    const before = target.received.length
    target.respond = (response) => response.writeHead(200).end()
    await makeCustomer(service)
    await eventually("what it takes arrives", () => target.received.length > before)
    // The first retry was due after 5 to 6.25 s.
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    const kinds = target.received.slice(before).map(({ body }) => JSON.parse(body).event_type ?? JSON.parse(body).type)
    assert.deepStrictEqual([...new Set(kinds)], ["customer.created"])
    await remove(id)
  })

  it("of the URL sends what waits for the old one at once, and says before what was wrong with it", async () => {
    const wrong = await startReceiver()
    const right = await startReceiver()
    wrong.respond = (response) =>
      response.writeHead(308, { location: `${right.url}?token=a-secret-of-the-receiver` }).end()
    const { webhook: { id } } = await create(wrong.url)
    for (let index = 0; index < 14; index++) await makeProduct()
    await eventually(
      "the breaker opens",
      async () =>
        (await database.query("SELECT breaker FROM webhook_lanes WHERE endpoint_id = $1", [id]))[0]!["breaker"] ===
          "open"
    )
    await eventually("the outcome is shown", async () => (await endpoint(id))["last_outcome"] !== undefined)
    const { last_outcome } = await endpoint(id)
    assert.deepInclude(last_outcome, {
      class: "redirected",
      status: 308,
      location: `http://127.0.0.1:${right.port}/***`
    })
    assert.property(last_outcome, "next_attempt_at")
    await database.query(
      `UPDATE webhook_lanes SET probe_at = now() + interval '300 seconds', probe_count = 9 WHERE endpoint_id = $1`,
      [id]
    )
    await database.query("UPDATE webhook_retries SET due_at = now() + interval '12 hours' WHERE endpoint_id = $1", [id])
    await change(id, { url: right.url })
    // Without the change, the first of them would be sent after five minutes.
    await eventually("all arrive", () => new Set(right.eventIds()).size === 14)
    await eventually("it is shown, and nothing waits", async () => {
      const { last_outcome } = await endpoint(id)
      return last_outcome.class === "delivered" && !("next_attempt_at" in last_outcome)
    })
    await remove(id)
  })
})

describe("the URL of an endpoint", () => {
  it("stands whole only where endpoints are managed: events, deliveries, activities and logs show its origin", async () => {
    const secret = "T0-a-path-that-nobody-else-may-see"
    const other = await startReceiver()
    const target = await startReceiver()
    const url = `${target.url}/${secret}?token=${secret}`
    const watching = await create(other.url, { event_types: ["webhook.*"] })
    const { webhook: { id } } = await create(url)
    assert.strictEqual((await endpoint(id))["url"], url)
    await change(id, { name: "Ledger" })
    await change(id, { url: `${url}2` })
    await change(id, { rotate_secret: true })
    target.respond = (response) => response.writeHead(410).end()
    await makeProduct()
    await eventually("it is disabled", async () => (await endpoint(id))["status"] === "disabled")
    await remove(id)
    await eventually(
      "the other receiver is told",
      () => other.received.filter(({ body }) => body.includes(id)).length === 6
    )
    const events = await service.feed(`&resource_id=${id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "webhook.created",
      "webhook.updated",
      "webhook.updated",
      "webhook.secret_rotated",
      "webhook.disabled",
      "webhook.deleted"
    ])
    for (const { data } of events) {
      assert.strictEqual(data.url, `http://127.0.0.1:${target.port}/***`)
      assert.notProperty(data, "last_outcome")
    }
    const told = [
      JSON.stringify(events),
      JSON.stringify(other.received),
      (await service.call("GET", "/api/v1/activities?limit=200")).text,
      (await service.call("GET", "/api/v1/ops/webhook-health")).text,
      (await service.call("GET", "/metrics", { token: null })).text
    ]
    for (const text of told) assert.notInclude(text, secret)
    await remove(watching["webhook"].id)
  })
})
