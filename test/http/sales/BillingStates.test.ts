import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  makeCustomer,
  makeOrder,
  makeProduct,
  makeSubscription,
  orderBody,
  subscriptionBody
} from "../../fixtures/Commerce.ts"
import { makeFollowing } from "../../fixtures/Following.ts"
import type { Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const day = 86_400_000
const from = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()

let service: Service
let product: Body

beforeAll(async () => {
  service = await startService()
  product = await makeProduct(service)
})

/** A license that follows a subscription in the middle of its period, and a function that changes that. */
const follower = async () => {
  const { issue, subscription } = await makeFollowing(service, {
    current_period_start: from(-10 * day),
    current_period_end: from(20 * day)
  })
  const { license } = await issue()
  return async (changes: object): Promise<Body> => {
    await service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, changes)
    return service.data("GET", `/api/v1/licenses/${license.id}`)
  }
}

describe("a license that follows its subscription", () => {
  it("ends at once with a subscription that says when it ended, and with the period otherwise", async () => {
    const change = await follower()
    assert.strictEqual((await change({ status: "canceled" })).status, "active")
    const ended_at = from(-1_000)
    const ended = await change({ status: "canceled", ended_at })
    assert.deepInclude(ended, { status: "expired", expires_at: ended_at, ends_without_grace: true })
    assert.strictEqual((await change({ status: "active" })).status, "active")
  })

  it.each(["unpaid", "disputed", "incomplete"])("is suspended while its subscription is %s", async (status) => {
    const change = await follower()
    assert.deepInclude(await change({ status }), { status: "suspended", suspended_by: "subscription" })
    assert.strictEqual((await change({ status: "active" })).status, "active")
  })

  it("is over with a subscription whose first payment never came", async () => {
    const change = await follower()
    await change({ status: "incomplete" })
    const license = await change({ status: "incomplete_expired" })
    assert.isBelow(Date.parse(license.expires_at), Date.now() + day)
    assert.isTrue(license.ends_without_grace)
  })
})

describe("a license of a subscription that was not paid", () => {
  it.each(["unpaid", "disputed", "incomplete"])(
    "stays suspended when the subscription is canceled while it is %s, and when it is changed then",
    async (status) => {
      const change = await follower()
      await change({ status })
      const suspended = { status: "suspended", suspended_by: "subscription" }
      assert.deepInclude(await change({ status: "canceled" }), suspended)
      assert.deepInclude(await change({ metadata: { seen: "twice" } }), suspended)
      assert.strictEqual((await change({ status: "active" })).status, "active")
    }
  )

  it("stays over when the subscription is canceled after its first payment never came", async () => {
    const change = await follower()
    const { ends_without_grace, expires_at, status } = await change({ status: "incomplete_expired" })
    assert.strictEqual(status, "expired")
    const over = { ends_without_grace, expires_at, status }
    assert.deepInclude(await change({ status: "canceled" }), over)
    assert.deepInclude(await change({ quantity: 2 }), over)
  })

  it("is reinstated when a pause had suspended it", async () => {
    const change = await follower()
    await change({ status: "paused" })
    assert.strictEqual((await change({ status: "canceled" })).status, "active")
  })
})

describe("what billing systems say beside a period", () => {
  it("is kept of subscriptions and orders", async () => {
    const ended_at = "2026-06-01T00:00:00.000Z"
    const subscription = await makeSubscription(service, product, { status: "canceled", quantity: 5, ended_at })
    assert.deepInclude(subscription, { quantity: 5, ended_at })
    const path = `/api/v1/subscriptions/${subscription.id}`
    assert.deepInclude(await service.data("PATCH", path, { quantity: 8 }), { quantity: 8, ended_at })
    invalid(await service.call("PATCH", path, { body: { status: "active", ended_at } }), "ended_at", "not_ended")
    assert.notProperty(await service.data("PATCH", path, { status: "active" }), "ended_at")
    invalid(await service.call("PATCH", path, { body: { quantity: 0 } }), "quantity", "invalid_value")
    for (const status of ["partially_refunded", "disputed"]) {
      const order = await makeOrder(service, product, { status, quantity: 2, ended_at })
      assert.deepInclude(order, { status, quantity: 2, ended_at })
    }
  })

  it("is taken back by null, and a license whose subscription did not end works again", async () => {
    const change = await follower()
    const ended = { status: "canceled", ended_at: from(-1_000), canceled_at: from(-2_000) }
    assert.strictEqual((await change(ended)).status, "expired")
    assert.strictEqual((await change({ ended_at: null })).status, "active")
    const subscription = await makeSubscription(service, product, { ...ended, quantity: 5 })
    const path = `/api/v1/subscriptions/${subscription.id}`
    const left = await service.data("PATCH", path, { ended_at: null, canceled_at: null, quantity: null })
    for (const member of ["ended_at", "canceled_at", "quantity"]) assert.notProperty(left, member)
    const period = { period_start: from(-day), period_end: from(day) }
    const order = await makeOrder(service, product, { ...period, quantity: 2, ended_at: from(-1_000) })
    const one = `/api/v1/orders/${order.id}`
    invalid(await service.call("PATCH", one, { body: { period_end: null } }), "period_end", "both_or_none")
    const none = { period_start: null, period_end: null, quantity: null, ended_at: null }
    const cleared = await service.data("PATCH", one, none)
    for (const member of Object.keys(none)) assert.notProperty(cleared, member)
  })

  it("is taken back by a request that puts the record without it, and nothing else is", async () => {
    const period = { current_period_start: from(-day), current_period_end: from(day) }
    const said = { quantity: 2, ended_at: from(-1_000) }
    const customer = await makeCustomer(service)
    const kept = { customer_id: customer.id, metadata: { plan: "pro" }, source_updated_at: from(-day) }
    const records = [
      ["subscriptions", { status: "canceled", ...period, canceled_at: from(-1_000) }],
      ["orders", { status: "disputed", period_start: from(-day), period_end: from(day) }]
    ] as const
    for (const [kind, body] of records) {
      const path = `/api/v1/products/${product.id}/${kind}/by-external-id/shop/${crypto.randomUUID()}`
      const made = await service.data("PUT", path, { ...body, ...said, ...kept })
      assert.deepInclude(made, { ...body, ...said, ...kept })
      const needed = kind === "orders" ? { status: "paid" } : { status: "canceled", ...period }
      for (const none of [{}, { quantity: null, ended_at: null }]) {
        const left = await service.data("PUT", path, { ...needed, ...none })
        assert.strictEqual(left.id, made.id)
        assert.deepInclude(left, { ...needed, ...kept, ...(kind === "orders" ? {} : { cancel_at_period_end: false }) })
        for (const member of ["quantity", "ended_at", "canceled_at", "period_start", "period_end"]) {
          assert.notProperty(left, member)
        }
      }
      const fresh = path.replace(/[^/]+$/, crypto.randomUUID())
      assert.notProperty(await service.data("PUT", fresh, { ...needed, quantity: null }), "quantity")
    }
    const address = `/api/v1/customers-by-external-id/shop/${crypto.randomUUID()}`
    assert.notProperty(await service.data("PUT", address, { name: "Ada", email: "" }), "email")
    assert.property(await service.data("PUT", address, { name: "Ada", email: "ada@example.com" }), "email")
    assert.property(await service.data("PUT", address, { name: "Ada" }), "email")
    assert.notProperty(await service.data("PUT", address, { name: "Ada", email: "" }), "email")
  })

  it("finds a record by the ID of its billing system, and a conflict names it", async () => {
    const kinds = [
      ["subscriptions", makeSubscription, subscriptionBody],
      ["orders", makeOrder, orderBody]
    ] as const
    for (const [name, make, bodyOf] of kinds) {
      const made = await make(service, product)
      const another = await make(service, product)
      const path = `/api/v1/products/${product.id}/${name}`
      const { external_id, external_system } = made
      const found = await service.data("GET", `${path}?external_system=${external_system}&external_id=${external_id}`)
      assert.deepStrictEqual(found, [made])
      assert.deepStrictEqual(await service.data("GET", `${path}?external_id=none`), [])
      const same = { external_system, external_id }
      const twice = await service.call("POST", path, { body: bodyOf(same) })
      refused(twice, 409, "CONFLICT")
      assert.strictEqual(twice.body.error.detail, made.id)
      const moved = await service.call("PATCH", `/api/v1/${name}/${another.id}`, { body: same })
      refused(moved, 409, "CONFLICT")
      assert.strictEqual(moved.body.error.detail, made.id)
    }
    const customer = await makeCustomer(service)
    const body = { name: "Another", code: customer.code }
    const twice = await service.call("POST", "/api/v1/customers", { body })
    refused(twice, 409, "CONFLICT")
    assert.strictEqual(twice.body.error.detail, customer.id)
  })
})
