import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeProduct } from "../../fixtures/Commerce.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, invalid, refused, startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

const collection = "/api/v1/billing/connections"

let service: Service
let database: Session
let product: Body
let policy: Body

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  product = await makeProduct(service)
  policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Pro",
    code: "pro",
    license_type: "subscription"
  })
})

// They were made by no event, and the log would have to know them.
afterAll(async () => {
  await database.query("DELETE FROM purchases WHERE state IS NULL")
})

const mapping = () => ({ prices: [{ by: "price", value: "price_1", policy_id: policy.id, quantity: "seats" }] })
const connect = (more: object = {}): Promise<Body> =>
  service.data("POST", collection, { provider: "stripe", name: "Stripe", ...more })

/** A purchase, as an event of its provider would have made it. */
const purchase = async (connection: Body, status: string, holds: ReadonlyArray<object> = []) => {
  const id = `pur_${randomUUID()}`
  await database.query(
    "INSERT INTO purchases (id, connection_id, name, status, holds) VALUES ($1, $2, $3, $4, $5)",
    [id, connection.id, `subscription/sub_${id}`, status, JSON.stringify(holds)]
  )
  return id
}

describe("a billing connection", () => {
  it("is created, read, changed and deleted, each change an event, and shows no secret", async () => {
    const secret = `whsec_${randomUUID()}`
    const api_key = `rk_${randomUUID()}`
    const made = await connect({ secret, api_key, mapping: mapping() })
    const path = `${collection}/${made.id}`
    assert.match(made.id, /^bcn_/)
    assert.deepInclude(made, {
      provider: "stripe",
      has_secret: true,
      has_api_key: true,
      mapping: mapping(),
      events_path: `/api/v1/billing/connections/${made.id}/events`
    })
    assert.deepStrictEqual(await service.data("GET", `/api/v1/billing/connections/${made.id}`), made)
    assert.deepStrictEqual((await service.data("GET", collection)).map(({ id }: Body) => id), [made.id])
    const changed = await service.data("PATCH", path, { name: "Shop", api_key: "" })
    assert.deepInclude(changed, { name: "Shop", has_api_key: false, mapping: mapping() })
    await service.data("PATCH", path, { secret: `whsec_${randomUUID()}` })
    for (const key of [api_key, `rk_${randomUUID()}`]) await service.data("PATCH", path, { api_key: key })
    await service.data("PATCH", path, { secret: `whsec_${randomUUID()}`, api_key: "" })
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type.slice("billing_connection.".length)), [
      "created",
      "updated",
      "secret_rotated",
      "updated",
      "updated",
      "updated",
      "secret_rotated",
      "deleted"
    ])
    const said = JSON.stringify([made, changed, events])
    assert.notInclude(said, secret)
    assert.notInclude(said, api_key)
  })

  it("is not changed by a request that says nothing new", async () => {
    const secret = `whsec_${randomUUID()}`
    const { id } = await connect({ secret })
    const made = await service.call("GET", `${collection}/${id}`)
    for (const body of [{}, { secret }, { api_key: "" }]) {
      const same = await service.call("PATCH", `${collection}/${id}`, { body })
      assert.strictEqual(same.status, 200, same.text)
      assert.deepStrictEqual(same.body.data, made.body.data)
    }
    const told = await service.feed(`&resource_id=${id}`)
    assert.deepStrictEqual(told.map(({ event_type }) => event_type), ["billing_connection.created"])
  })

  it("says after its credentials were lost what it has, in its row as in its event", async () => {
    const { id } = await connect({ secret: "whsec_lost", api_key: "rk_lost" })
    await database.query("UPDATE billing_connections SET credentials = NULL WHERE id = $1", [id])
    const has = { has_secret: false, has_api_key: false }
    assert.deepInclude(await service.data("PATCH", `${collection}/${id}`, { name: "Shop" }), has)
    const [row] = await database.query("SELECT has_secret, has_api_key FROM billing_connections WHERE id = $1", [id])
    assert.deepStrictEqual(row, has)
    const [, updated] = await service.feed(`&resource_id=${id}`)
    assert.deepInclude(updated!.data, has)
  })

  it("maps to policies that exist", async () => {
    const none = { prices: [{ by: "price", value: "price_1", policy_id: "pol_none" }] }
    const body = { provider: "stripe", name: "Stripe", mapping: none }
    invalid(await service.call("POST", collection, { body }), "mapping.prices.0.policy_id", "not_found")
    const { id } = await connect()
    invalid(
      await service.call("PATCH", `${collection}/${id}`, { body: { mapping: none } }),
      "mapping.prices.0.policy_id",
      "not_found"
    )
  })

  it("names the address at which its events are received, in each environment", async () => {
    testDatabaseOf(service)
    for (const [token, prefix] of [[adminToken, ""], [testToken, "/test"]] as const) {
      const { events_path, id } = await service.data("POST", collection, { provider: "stripe", name: "Shop" }, {
        token
      })
      assert.strictEqual(events_path, `${prefix}${collection}/${id}/events`)
      const answer = await service.call("POST", events_path, { token: null, raw: "{}" })
      assert.notStrictEqual(answer.status, 404, "the event is refused for its signature, and not for its address")
      await service.data("DELETE", `${collection}/${id}`, undefined, { token })
    }
  })

  it("takes no API key of the provider's other mode, when it is made or later, and says where the key belongs", async () => {
    testDatabaseOf(service)
    const keys = [
      ["stripe", "sk_live_1", "sk_test_1"],
      ["stripe", "rk_live_1", "rk_test_1"],
      ["paddle", "pdl_live_apikey_1", "pdl_sdbx_apikey_1"],
      ["chargebee", "acme:live_1", "acme-test:test_1"]
    ] as const
    for (const [provider, live, test] of keys) {
      for (
        const [token, own, other, text] of [[adminToken, live, test, "live"], [testToken, test, live, "test"]] as const
      ) {
        const body = { provider, name: "Shop" }
        const refusal = await service.call("POST", collection, { token, body: { ...body, api_key: other } })
        invalid(refusal, "api_key", "other_environment")
        assert.include(refusal.text, `this is the ${text} environment`)
        assert.notInclude(refusal.text, other)
        const made = await service.data("POST", collection, { ...body, api_key: own }, { token })
        const path = `${collection}/${made.id}`
        invalid(await service.call("PATCH", path, { token, body: { api_key: other } }), "api_key", "other_environment")
        assert.isTrue((await service.data("PATCH", path, { api_key: own, name: "Ours" }, { token })).has_api_key)
      }
    }
  })

  it("is not deleted while purchases came by it", async () => {
    const made = await connect()
    await purchase(made, "done")
    refused(await service.call("DELETE", `${collection}/${made.id}`), 409, "IN_USE")
  })
})

describe("purchases", () => {
  it("are listed by status, connection and the ID at their provider, with what they wait for", async () => {
    const made = await connect()
    const holds = [{ code: "unmapped", message: "No entry has price_9.", price: "price_9", name: "Pro yearly" }]
    const waiting = await purchase(made, "waiting", holds)
    const done = await purchase(made, "done")
    const list = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `/api/v1/billing/purchases?connection_id=${made.id}&${query}`)).map(({ id }: Body) =>
        id
      )
    assert.sameMembers([...await list("")], [waiting, done])
    assert.deepStrictEqual(await list("status=waiting"), [waiting])
    assert.deepStrictEqual(await list(`external_id=sub_${done}`), [done])
    assert.deepStrictEqual(await list(`q=sub_${done}`), [done])
    assert.deepStrictEqual(await list("license_id=lic_06eqpx1trxz3h94vqjm3a6kz7c"), [])
    const shown = await service.data("GET", `/api/v1/billing/purchases/${waiting}`)
    assert.deepInclude(shown, { status: "waiting", holds, kind: "subscription", events: [], notes: [] })
    refused(await service.call("GET", "/api/v1/billing/purchases/pur_none"), 404, "NOT_FOUND")
    assert.deepInclude((await service.data("GET", "/api/v1/billing/unmapped-prices"))[0], {
      connection_id: made.id,
      price: "price_9",
      name: "Pro yearly",
      purchases: 1
    })
    const retried = await service.data("POST", `/api/v1/billing/purchases/${waiting}/retry`)
    assert.strictEqual(retried.id, waiting)
    await eventually("it is looked at, and no event says what was bought", async () => {
      const { holds } = await service.data("GET", `/api/v1/billing/purchases/${waiting}`)
      return holds[0]?.code === "nothing_bought" || undefined
    })
  })
})

describe("a record that its billing system names", () => {
  it("is created by the first request and changed by the next, and several at once make one", async () => {
    const period = { current_period_start: "2026-11-01T00:00:00Z", current_period_end: "2026-12-01T00:00:00Z" }
    const records = [
      [
        "/api/v1/customers",
        (id: string, body: object) => service.data("PUT", `/api/v1/customers-by-external-id/stripe/${id}`, body),
        { name: "Ada" },
        { name: "Ada Lovelace" }
      ],
      [
        `/api/v1/products/${product.id}/subscriptions`,
        (id: string, body: object) =>
          service.data("PUT", `/api/v1/products/${product.id}/subscriptions/by-external-id/stripe/${id}`, body),
        { status: "active", ...period },
        { status: "past_due", ...period }
      ],
      [
        `/api/v1/products/${product.id}/orders`,
        (id: string, body: object) =>
          service.data("PUT", `/api/v1/products/${product.id}/orders/by-external-id/stripe/${id}`, body),
        { status: "pending" },
        { status: "paid" }
      ]
    ] as const
    for (const [list, put, first, next] of records) {
      const external_id = randomUUID()
      const made: ReadonlyArray<Body> = await Promise.all(
        Array.from({ length: 5 }, () => put(external_id, first))
      )
      assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
      assert.deepInclude(made[0], { external_system: "stripe", external_id })
      const changed = await put(external_id, next)
      assert.strictEqual(changed.id, made[0].id)
      const found = await service.data("GET", `${list}?external_system=stripe&external_id=${external_id}`)
      assert.deepStrictEqual(found, [changed])
    }
  })

  it("is warned of by an older change, which changes nothing", async () => {
    const path = `/api/v1/products/${product.id}/orders/by-external-id/stripe/${randomUUID()}`
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
    await service.data("PUT", path, { status: "refunded", source_updated_at: at(0) })
    const { body } = await service.call("PUT", path, { body: { status: "paid", source_updated_at: at(-60) } })
    assert.strictEqual(body.data.status, "refunded")
    assert.strictEqual(body.meta.warnings[0].code, "SOURCE_OUTDATED")
  })

  it("names both of its system and its ID there, or none", async () => {
    const body = { name: "Ada", code: randomUUID(), external_id: "cus_1" }
    invalid(await service.call("POST", "/api/v1/customers", { body }), "external_system", "both_or_none")
  })
})
