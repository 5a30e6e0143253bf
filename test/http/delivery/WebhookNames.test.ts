import { assert, describe, it } from "@effect/vitest"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

const names = new URL("../../fixtures/namedAddresses.mjs", import.meta.url).href
const environment = { NODE_OPTIONS: `--import ${names}` }
const [service, closed] = await Promise.all([
  startService({ environment }),
  startService({ environment: { ...environment, COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS: "" } })
])

const create = (url: string, to = service) =>
  to.call("POST", "/api/v1/webhooks", { body: { name: "Billing", url, event_types: ["product.created"] } })

describe("plain http to a name", () => {
  it("delivers where every address of the name is in an allowed range", async () => {
    const target = await startReceiver()
    const url = `http://127-0-0-1.names.example:${target.port}/hooks`
    const made = await create(url)
    assert.strictEqual(made.status, 201, made.text)
    const { id } = await makeProduct(service)
    const delivery = await eventually(
      "a delivery",
      () => target.received.find(({ body }) => JSON.parse(body).data.id === id)
    )
    assert.strictEqual(delivery.headers.host, `127-0-0-1.names.example:${target.port}`)
    const path = `/api/v1/webhooks/${made.body.data.webhook.id}`
    assert.strictEqual((await service.call("PATCH", path, { body: { url } })).status, 200)
    await service.call("DELETE", path)
  })

  it("is refused where one address is elsewhere, none is known, or no range is allowed; https is not", async () => {
    for (
      const name of [
        "127-0-0-1.10-0-0-1.names.example",
        "93-184-216-34.names.example",
        "169-254-169-254.names.example",
        "silent.names.example",
        "billing.invalid"
      ]
    ) {
      const { body, status, text } = await create(`http://${name}:3000/`)
      assert.strictEqual(status, 422, text)
      const [{ code, message, path }] = body.error.fields
      assert.deepStrictEqual({ code, path }, { code: "HTTPS_REQUIRED", path: "url" }, name)
      assert.include(message, "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS")
    }
    const nowhere = await create("http://127-0-0-1.names.example/", closed)
    assert.strictEqual(nowhere.body.error.fields[0].code, "HTTPS_REQUIRED")
    const encrypted = await create("https://93-184-216-34.names.example/")
    assert.strictEqual(encrypted.status, 201, encrypted.text)
    await service.call("DELETE", `/api/v1/webhooks/${encrypted.body.data.webhook.id}`)
  })

  it("connects to no other address that the name gets later", async () => {
    const target = await startReceiver()
    const name = "127-0-0-1.then.10-255-255-1.names.example"
    const made = await create(`http://${name}:${target.port}/`)
    assert.strictEqual(made.status, 201, made.text)
    await makeProduct(service)
    const path = `/api/v1/webhooks/${made.body.data.webhook.id}`
    await eventually(
      "it is refused",
      async () => (await service.data("GET", path)).last_outcome?.class === "address_not_allowed"
    )
    assert.isEmpty(target.received)
    await service.call("DELETE", path)
  })
})
