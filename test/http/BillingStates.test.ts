import { assert, beforeAll, describe, it } from "@effect/vitest"
import {
  makeCustomer,
  makeOrder,
  makeProduct,
  makeSubscription,
  orderBody,
  subscriptionBody
} from "../fixtures/Commerce.ts"
import { makeFollowing } from "../fixtures/Following.ts"
import type { Service } from "../fixtures/Service.ts"
import { invalid, refused, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"

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
