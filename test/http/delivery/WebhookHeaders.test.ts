import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Received, Receiver } from "../../fixtures/Receiver.ts"
import { learnSecret } from "../../fixtures/Secrets.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)

/** A value that stands nowhere but in the requests of the receiver: when this file ends, everything else is searched for it. */
const value = (): string => {
  const made = `key ${randomUUID()}`
  learnSecret("the value of a header", made)
  return made
}

const create = async ({ own, url }: Receiver, headers: object): Promise<Body> => {
  for (const name of Object.keys(headers)) own.add(name.toLowerCase())
  const body = { name: "Gateway", url, event_types: ["product.created"], headers }
  return (await service.data("POST", "/api/v1/webhooks", body)).webhook
}
const change = (id: string, body: object): Promise<Body> => service.data("PATCH", `/api/v1/webhooks/${id}`, body)
const remove = (id: string) => service.call("DELETE", `/api/v1/webhooks/${id}`)

/** The delivery of a product that is made now. */
const delivery = async (target: Receiver): Promise<Received> => {
  const { id } = await makeProduct(service)
  return eventually("it arrives", () => target.received.find(({ body }) => JSON.parse(body).data.id === id))
}

describe("headers of an endpoint's own", () => {
  it("are sent with each delivery, set and removed one by one, and named and never shown", async () => {
    const target = await startReceiver()
    const [key, other, third] = [value(), value(), value()]
    const made = await create(target, { "X-Api-Key": key, "X-Tenant": other })
    assert.deepStrictEqual(made["header_names"], ["X-Api-Key", "X-Tenant"])
    const { id } = made
    assert.deepInclude((await delivery(target)).headers, { "x-api-key": key, "x-tenant": other })

    const tag = (await service.call("GET", `/api/v1/webhooks/${id}`)).headers["etag"]
    const changed = await change(id, { headers: { "x-api-key": third, "X-Tenant": null } })
    assert.deepStrictEqual(changed["header_names"], ["x-api-key"])
    assert.notStrictEqual((await service.call("GET", `/api/v1/webhooks/${id}`)).headers["etag"], tag)
    const { headers } = await delivery(target)
    assert.strictEqual(headers["x-api-key"], third)
    assert.notProperty(headers, "x-tenant")

    // What stands already is no change, and what is not named stays.
    const { updated_at } = await change(id, { headers: { "x-api-key": third, "X-Nothing": null } })
    assert.strictEqual(updated_at, changed["updated_at"])
    await change(id, { name: "Gateway of the shop" })
    assert.strictEqual((await delivery(target)).headers["x-api-key"], third)
    assert.notProperty(await change(id, { headers: { "X-Api-Key": null } }), "header_names")
    assert.notProperty((await delivery(target)).headers, "x-api-key")

    const told = await service.feed(`&resource_id=${id}`)
    assert.deepStrictEqual(told.map(({ data, event_type }) => [event_type, data["header_names"]]), [
      ["webhook.created", ["X-Api-Key", "X-Tenant"]],
      ["webhook.updated", ["x-api-key"]],
      ["webhook.updated", ["x-api-key"]],
      ["webhook.updated", undefined]
    ])
    await remove(id)
    const [row] = await database.query("SELECT headers FROM webhook_endpoints WHERE id = $1", [id])
    assert.isNull(row!["headers"])
  })

  it("are those of now for what waits since before, and never go where a redirect leads", async () => {
    const target = await startReceiver()
    const elsewhere = await startReceiver()
    const [before, now] = [value(), value()]
    target.respond = (response, { headers }) =>
      headers["authorization"] === now
        ? response.writeHead(204).end()
        : response.writeHead(307, { location: elsewhere.url }).end()
    const { id } = await create(target, { authorization: before })
    const { id: product } = await makeProduct(service)
    await eventually("it is refused", () => target.received.length > 0)
    await change(id, { headers: { Authorization: now } })
    await database.query("UPDATE webhook_retries SET due_at = now() WHERE endpoint_id = $1", [id])
    await eventually(
      "it is taken",
      () =>
        target.received.some(({ body, headers }) =>
          JSON.parse(body).data.id === product && headers["authorization"] === now
        )
    )
    assert.isEmpty(elsewhere.received)
    await remove(id)
  })

  it("are refused by name where they are ours, the connection's, too many or malformed, without what is in them", async () => {
    const target = await startReceiver()
    const { id } = await create(target, { "X-1": "1" })
    const secret = value()
    const ours = `host Content-Length content-type Connection transfer-encoding TE trailer upgrade keep-alive expect
      proxy-authorization webhook-id Webhook-Anything svix-id traceparent tracestate baggage X-Service-Signature
      user-agent accept-encoding X-Forwarded-For forwarded metadata-flavor`.split(/\s+/)
    const malformed = ["X Api", "X:Api", "", "Ä", "x".repeat(65), "X\r\nY"]
    const bad: ReadonlyArray<readonly [string, object]> = [
      ...[...ours, ...malformed].map((name) => ["headers", { [name]: secret }] as const),
      ["headers", Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`X-${index}`, secret]))],
      ["headers", { "X-Api-Key": secret, "x-api-key": secret }],
      ...["a\r\nHost: evil", "a\nb", "", " a", "a ", "\u0000", "ä", "a".repeat(2_049)]
        .map((wrong) => ["headers.X-Api-Key", { "X-Api-Key": wrong }] as const),
      ["headers.X-Api-Key", { "X-Api-Key": 7 }]
    ]
    for (const [path, headers] of bad) {
      for (
        const answer of [
          await service.call("POST", "/api/v1/webhooks", { body: { name: "Gateway", url: target.url, headers } }),
          await service.call("PATCH", `/api/v1/webhooks/${id}`, { body: { headers } })
        ]
      ) {
        assert.strictEqual(answer.status, 422, JSON.stringify(headers))
        assert.strictEqual(answer.body.error.fields[0].path, path, answer.text)
        assert.notInclude(answer.text, secret)
        assert.notInclude(answer.text, "evil")
      }
    }
    // Nine are too many even if they are set one after the other.
    await change(id, { headers: Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`X-A-${at}`, "v"])) })
    const full = await service.call("PATCH", `/api/v1/webhooks/${id}`, { body: { headers: { "X-Ninth": "v" } } })
    assert.deepInclude(full.body.error.fields[0], { path: "headers", code: "invalid_value" })
    assert.lengthOf((await service.data("GET", `/api/v1/webhooks/${id}`)).header_names, 8)
    await remove(id)
  })
})
