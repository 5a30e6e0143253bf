import { assert, describe, it } from "@effect/vitest"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { fetchHandler, memoryInbox, Receiver } from "../../../src/client/webhooks/index.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Receiver as Target } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)

const create = async ({ url }: Pick<Target, "url">, more: object = {}): Promise<{ id: string; secret: string }> => {
  const { secret, webhook } = await service.data("POST", "/api/v1/webhooks", {
    name: "Billing",
    url,
    event_types: ["product.created"],
    ...more
  })
  return { id: webhook.id, secret }
}
const test = (id: string, options = {}) => service.call("POST", `/api/v1/webhooks/${id}/test`, options)
const tested = async (id: string): Promise<Body> => {
  const answer = await test(id)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}
const laneOf = async (id: string) =>
  (await database.query("SELECT * FROM webhook_lanes WHERE endpoint_id = $1", [id]))[0]
const attempts = async () =>
  (await service.call("GET", "/metrics")).text.split("\n")
    .filter((line) => line.startsWith("countersign_delivery_attempts_total{"))

describe("a test of an endpoint", () => {
  it("is a delivery that verifies, marked as a test, of which the outcome is answered and nothing else told", async () => {
    const target = await startReceiver()
    const { id, secret } = await create(target, { headers: { "X-Api-Key": "k-1" }, is_active: false })
    const before = { lane: await laneOf(id), attempts: await attempts() }
    const outcome = await tested(id)
    assert.deepInclude(outcome, { class: "delivered", status: 200 })
    assert.isAtLeast(outcome["duration_ms"], 0)
    const [{ body, headers }, ...more] = target.received as [Target["received"][0]]
    assert.isEmpty(more)
    const sent = JSON.parse(body)
    assert.deepInclude(sent, { id: outcome["event_id"], type: "webhook.test", event_type: "webhook.test", epoch: 1 })
    assert.deepInclude(sent.data, { id, status: "paused" })
    assert.deepInclude(headers, {
      "x-service-event-type": "webhook.test",
      "x-service-delivery-id": outcome["delivery_id"],
      "x-api-key": "k-1"
    })
    new StandardWebhook(secret).verify(body, headers as Record<string, string>)
    new SvixWebhook(secret).verify(body, headers as Record<string, string>)
    assert.deepStrictEqual(await laneOf(id), before.lane)
    assert.deepStrictEqual(await attempts(), before.attempts)
    assert.deepStrictEqual((await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type), [
      "webhook.created"
    ])
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })

  it("advises who has another secret at the receiver, or none at a gateway, and so does the last outcome", async () => {
    const target = await startReceiver()
    const { id } = await create(target)
    for (const status of [400, 401, 403]) {
      target.respond = (response) => response.writeHead(status).end()
      const outcome = await tested(id)
      assert.deepInclude(outcome, { class: "rejected", status })
      assert.match(outcome["advice"], /check that the receiver has the secret|check the secret/i)
    }
    await makeProduct(service)
    const { last_outcome } = await eventually("the endpoint says so", async () => {
      const endpoint = await service.data("GET", `/api/v1/webhooks/${id}`)
      return endpoint.last_outcome === undefined ? undefined : endpoint
    })
    assert.match(last_outcome.advice, /headers of the endpoint/)
    target.respond = (response) => response.writeHead(500).end()
    assert.notProperty(await tested(id), "advice")
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })

  it("says what went wrong, and disables nothing", async () => {
    const target = await startReceiver()
    const { id } = await create(target)
    const secretPath = `${target.url}/private`
    const answers: ReadonlyArray<readonly [number, Record<string, string>, Body]> = [
      [410, {}, { class: "gone", status: 410 }],
      [500, { "webhook-delivery": "disable" }, { class: "gone", status: 500 }],
      [503, { "retry-after": "60" }, { class: "throttled", status: 503 }],
      [308, { location: secretPath }, {
        class: "redirected",
        status: 308,
        location: `http://127.0.0.1:${target.port}/***`
      }]
    ]
    for (const [status, headers, expected] of answers) {
      target.respond = (response) => response.writeHead(status, headers).end()
      assert.deepInclude(await tested(id), expected)
    }
    const closed = await create({ url: "http://127.0.0.1:9/" })
    assert.deepInclude(await tested(closed.id), { class: "connect" })
    assert.notProperty(await tested(closed.id), "status")
    await service.call("DELETE", `/api/v1/webhooks/${closed.id}`)
    assert.deepInclude(await service.data("GET", `/api/v1/webhooks/${id}`), { status: "active" })
    assert.notProperty(await service.data("GET", `/api/v1/webhooks/${id}`), "last_outcome")
    await service.call("DELETE", `/api/v1/webhooks/${id}`)
  })

  it("needs the scope, an endpoint, and patience after ten in a minute", async () => {
    const target = await startReceiver()
    const { id } = await create(target)
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "Reader", scopes: ["event:read"] })
    assert.strictEqual((await test(id, { token })).status, 403)
    assert.strictEqual((await test("whk_06eqpx1trxz3h94vqjm3a6kz7c")).status, 404)
    for (let time = 0; time < 10; time++) await tested(id)
    const refused = await test(id)
    assert.strictEqual(refused.status, 429, refused.text)
    assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
    const other = await create(target)
    await tested(other.id)
    assert.lengthOf(target.received, 11)
    for (const each of [id, other.id]) await service.call("DELETE", `/api/v1/webhooks/${each}`)
  })

  it("is answered by the kit without a handler, or by its own, and neither remembered nor a place of the feed", async () => {
    const handled: Array<string> = []
    const tests: Array<string> = []
    const inbox = memoryInbox()
    let secret = ""
    const target = await startReceiver()
    const receiver = (more: object = {}) =>
      new Receiver({ secrets: () => secret, inbox, handle: ({ type }) => void handled.push(type), ...more })
    let handler = fetchHandler(receiver())
    target.respond = async (response, { body, headers }) => {
      const answer = await handler(
        new Request("http://127.0.0.1/hooks", { method: "POST", body, headers: headers as Record<string, string> })
      )
      response.writeHead(answer.status).end()
    }
    const made = await create(target)
    secret = made.secret
    assert.deepInclude(await tested(made.id), { class: "delivered", status: 204 })
    assert.isUndefined(await inbox.readPlace())
    handler = fetchHandler(receiver({ onTest: ({ data, type }: Body) => tests.push(`${type} ${data.id}`) }))
    await tested(made.id)
    assert.deepStrictEqual(tests, [`webhook.test ${made.id}`])
    handler = fetchHandler(receiver({ onTest: () => Promise.reject(new Error("no")), onError: () => undefined }))
    assert.deepInclude(await tested(made.id), { class: "server_error", status: 500 })
    assert.isEmpty(handled)
    await makeProduct(service)
    await eventually("an event is handled", () => handled.length > 0)
    assert.deepStrictEqual(handled, ["product.created"])
    await service.call("DELETE", `/api/v1/webhooks/${made.id}`)
  })
})
