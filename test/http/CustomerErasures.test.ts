import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { verifyEvents } from "../../src/client/index.ts"
import type { Issued, Service } from "../fixtures/Service.ts"
import { refused, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import { eventually } from "../fixtures/Session.ts"

let service: Service
let customer: Body
let other: Body
let issued: Issued
let moved: Issued

const transfer = (license: string, body: object) =>
  service.data("POST", `/api/v1/licenses/${license}/transfer`, body, {
    headers: { "idempotency-key": randomUUID() }
  })

/** The checkpoint that covers the feed as it is now. */
const checkpointOf = (events: ReadonlyArray<Body>): Promise<Body> =>
  eventually("a checkpoint covers the feed", async () => {
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && body.data.tree_size >= events.length ? body.data : undefined
  })

beforeAll(async () => {
  service = await startService()
  const post = (path: string, body: unknown) => service.data("POST", `/api/v1/${path}`, body)
  customer = await post("customers", { name: "Erika Mustermann", code: "erika", email: "erika@secret.example" })
  other = await post("customers", { name: "Lyon SARL", code: "lyon", email: "it@lyon.example" })
  const owned = { customer_id: customer.id, customer_email: "buyer@secret.example", customer_name: "Erika Secret" }
  const policy = { max_activations: 5, max_transfers: 5, max_floating_users: 2 }
  issued = await service.issue({ policy, license: owned })
  moved = await service.issue({ policy, license: owned })
  for (const { key } of [issued, moved]) {
    await service.license("activate", key, { fingerprint: "a", hostname: "secret-laptop" })
    await service.license("floating/checkout", key, { fingerprint: "b", hostname: "secret-desk" })
  }
  const field = await post(`products/${issued.product.id}/custom-fields`, {
    resource_type: "customer",
    code: "nick",
    name: "Nick",
    value_type: "string"
  })
  await service.data("PUT", `/api/v1/customers/${customer.id}/custom-fields/${field.id}`, {
    string_value: "secret-nick"
  })
  await service.data("PATCH", `/api/v1/customers/${customer.id}`, { email: "new@secret.example" })
  await transfer(moved.license.id, {
    customer_id: other.id,
    customer_email: "buyer@lyon.example",
    customer_name: "Lyon",
    reset_devices: true
  })
  await service.license("activate", moved.key, { fingerprint: "c", hostname: "lyon-laptop" })
})

describe("an erasure", () => {
  it("takes every personal value of the customer out of the history, and leaves all that was signed valid", async () => {
    const before = await service.feed()
    const early = await checkpointOf(before)
    assert.include(JSON.stringify(before).toLowerCase(), "secret")

    const { customer: left, events } = await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.deepInclude(left, { id: customer.id, code: "erika", name: "Erased customer" })
    assert.isUndefined(left.email)
    const after = await service.feed()
    assert.notInclude(JSON.stringify(after).toLowerCase(), "secret")
    assert.notInclude(JSON.stringify(after), "Erika")
    const changed = after.filter((event, index) => JSON.stringify(event) !== JSON.stringify(before[index]))
    assert.strictEqual(changed.length - 1, events)
    assert.deepInclude(after.at(-1), { event_type: "customer.erased", resource_id: customer.id })
    assert.deepStrictEqual(after.at(-1).metadata, { events })
    assert.deepStrictEqual(after.slice(0, before.length).map(({ hash }) => hash), before.map(({ hash }) => hash))

    const publicKeys = await service.data("GET", "/api/v1/system/public-keys")
    const verdict = await verifyEvents({
      lines: [...after, { checkpoint: await checkpointOf(after) }],
      publicKeys,
      notes: [early.note]
    })
    assert.isTrue(verdict.ok, JSON.stringify(verdict))
    if (verdict.ok) assert.isAtLeast(verdict.erased, events)
  })

  it("leaves what belongs to others", async () => {
    const text = JSON.stringify(await service.feed())
    for (const kept of ["it@lyon.example", "buyer@lyon.example", "lyon-laptop", "Lyon SARL"]) assert.include(text, kept)
    const license = await service.data("GET", `/api/v1/licenses/${moved.license.id}`)
    assert.strictEqual(license.customer_email, "buyer@lyon.example")
  })

  it("takes them out of the resources, which go on", async () => {
    const license = await service.data("GET", `/api/v1/licenses/${issued.license.id}`)
    assert.isUndefined(license.customer_email)
    assert.isUndefined(license.customer_name)
    const devices = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices`)
    assert.notInclude(JSON.stringify(devices), "secret")
    assert.deepStrictEqual(await service.data("GET", `/api/v1/customers/${customer.id}/custom-fields`), [])
    const answer = await service.license("validate", issued.key, { fingerprint: "a" })
    assert.strictEqual(answer.status, 200, answer.text)
  })

  it("repeats, with an event only when there was something new", async () => {
    const count = (await service.feed()).length
    const again = await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.strictEqual(again.events, 0)
    assert.lengthOf(await service.feed(), count)
    await service.data("PATCH", `/api/v1/customers/${customer.id}`, { name: "Erika Secret" })
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    assert.notInclude(JSON.stringify(await service.feed()), "Erika")
  })

  it("needs a customer", async () => {
    refused(await service.call("POST", "/api/v1/customers/cus_none/erase"), 404, "NOT_FOUND")
  })
})
