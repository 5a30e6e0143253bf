import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeCustomer, makeOrder, makeProduct, makeSubscription } from "../../fixtures/Commerce.ts"
import type { Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let product: Body
let other: Body

const makePolicy = (of: Body): Promise<Body> =>
  service.data("POST", `/api/v1/products/${of.id}/policies`, {
    name: "Annual",
    code: randomUUID(),
    license_type: "subscription"
  })

const subscribe = (of: Body = product, more?: object): Promise<Body> => makeSubscription(service, of, more)
const order = (of: Body = product, more?: object): Promise<Body> => makeOrder(service, of, more)

beforeAll(async () => {
  service = await startService()
  product = await makeProduct(service)
  other = await makeProduct(service)
})

describe("where a license comes from", () => {
  let policy: Body
  const issue = (origin: object) =>
    service.call("POST", "/api/v1/licenses", { body: { product_id: product.id, policy_id: policy.id, ...origin } })
  const issued = async (origin: object): Promise<Body> => {
    const answer = await issue(origin)
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.body.data.license
  }

  beforeAll(async () => {
    policy = await makePolicy(product)
  })

  it("is answered, and kept on its event", async () => {
    const subscription = await subscribe()
    const bought = await order(product, { subscription_id: subscription.id })
    const license = await issued({ order_id: bought.id, subscription_id: subscription.id })
    assert.deepInclude(license, { order_id: bought.id, subscription_id: subscription.id })
    assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses/${license.id}`), license)
    const [created] = await service.feed(`&resource_id=${license.id}`)
    assert.deepInclude(created.data, { order_id: bought.id, subscription_id: subscription.id })
  })

  it("includes the subscription that the order brings along", async () => {
    const subscription = await subscribe()
    const bought = await order(product, { subscription_id: subscription.id })
    assert.deepInclude(await issued({ order_id: bought.id }), {
      order_id: bought.id,
      subscription_id: subscription.id
    })
    const single = await issued({ order_id: (await order()).id })
    assert.notProperty(single, "subscription_id")
    assert.notProperty(await issued({ subscription_id: subscription.id }), "order_id")
    assert.notProperty(await issued({}), "order_id")
  })

  it("keeps the subscription of its issue when the order moves to another one", async () => {
    const [one, two] = [await subscribe(), await subscribe()]
    const bought = await order(product, { subscription_id: one.id })
    const license = await issued({ order_id: bought.id })
    await service.data("PATCH", `/api/v1/orders/${bought.id}`, { subscription_id: two.id })
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).subscription_id, one.id)
    assert.strictEqual((await issued({ order_id: bought.id })).subscription_id, two.id)
  })

  it("is refused when order and subscription do not agree", async () => {
    const [one, two] = [await subscribe(), await subscribe()]
    const bought = await order(product, { subscription_id: one.id })
    invalid(await issue({ order_id: bought.id, subscription_id: two.id }), "subscription_id", "not_of_order")
    // An order without a subscription contradicts none.
    assert.strictEqual(
      (await issued({ order_id: (await order()).id, subscription_id: two.id })).subscription_id,
      two.id
    )
  })

  it("is refused when it does not exist or belongs to another product", async () => {
    refused(await issue({ order_id: "ord_none" }), 404, "NOT_FOUND")
    refused(await issue({ subscription_id: "sub_none" }), 404, "NOT_FOUND")
    invalid(await issue({ order_id: (await order(other)).id }), "order_id", "other_product")
    invalid(await issue({ subscription_id: (await subscribe(other)).id }), "subscription_id", "other_product")
  })

  it("filters the list of licenses, by cursor too", async () => {
    const subscription = await subscribe()
    const bought = await order(product, { subscription_id: subscription.id })
    const ids: Array<string> = []
    for (let index = 0; index < 3; index++) ids.unshift((await issued({ order_id: bought.id })).id)
    const direct = await issued({ subscription_id: subscription.id })
    const list = async (query: string): Promise<Body> => (await service.call("GET", `/api/v1/licenses?${query}`)).body
    const idsOf = (body: Body): ReadonlyArray<string> => body.data.map(({ id }: Body) => id)
    assert.deepStrictEqual(idsOf(await list(`order_id=${bought.id}`)), ids)
    assert.deepStrictEqual(idsOf(await list(`subscription_id=${subscription.id}`)), [direct.id, ...ids])
    assert.deepStrictEqual(idsOf(await list(`subscription_id=${subscription.id}&order_id=${bought.id}`)), ids)
    assert.deepStrictEqual(idsOf(await list("order_id=ord_none")), [])
    const first = await list(`order_id=${bought.id}&limit=2`)
    const rest = await list(`order_id=${bought.id}&limit=2&cursor=${first.page_info.next_cursor}`)
    assert.deepStrictEqual([...idsOf(first), ...idsOf(rest)], ids)
    refused(
      await service.call("GET", `/api/v1/licenses?order_id=ord_none&cursor=${first.page_info.next_cursor}`),
      400,
      "INVALID_CURSOR"
    )
  })

  it("is found on an index", async () => {
    const inspect = await session(service.databaseUrl)
    for (const column of ["order_id", "subscription_id"]) {
      await inspect.query("SET enable_seqscan = off")
      const plan = await inspect.query(
        `EXPLAIN SELECT 1 FROM licenses l WHERE l.${column} = 'x' AND l.id < 'y' ORDER BY l.id DESC LIMIT 50`
      )
      const text = JSON.stringify(plan)
      assert.include(text, `licenses_by_${column === "order_id" ? "order" : "subscription"}`)
      assert.notInclude(text, "Sort")
    }
    await inspect.close()
  })
})

describe("deletes are refused while something points to the resource", () => {
  it("says so for a customer", async () => {
    const mine = await makeCustomer(service)
    const path = `/api/v1/customers/${mine.id}`
    const bought = await order(product, { customer_id: mine.id })
    const subscription = await subscribe(product, { customer_id: mine.id })
    const { detail } = refused(await service.call("DELETE", path), 409, "IN_USE")
    assert.include(detail, "orders")
    assert.include(detail, "subscriptions")
    await service.call("DELETE", `/api/v1/orders/${bought.id}`)
    await service.call("DELETE", `/api/v1/subscriptions/${subscription.id}`)
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
  })

  it("says so for a product", async () => {
    const mine = await makeProduct(service)
    const bought = await order(mine)
    const subscription = await subscribe(mine)
    const { detail } = refused(await service.call("DELETE", `/api/v1/products/${mine.id}`), 409, "IN_USE")
    assert.include(detail, "orders")
    assert.include(detail, "subscriptions")
    await service.call("DELETE", `/api/v1/orders/${bought.id}`)
    await service.call("DELETE", `/api/v1/subscriptions/${subscription.id}`)
    assert.strictEqual((await service.call("DELETE", `/api/v1/products/${mine.id}`)).status, 204)
  })

  it("says so for a subscription and for an order", async () => {
    const subscription = await subscribe()
    const bought = await order(product, { subscription_id: subscription.id })
    const policy = await makePolicy(product)
    const path = `/api/v1/subscriptions/${subscription.id}`
    assert.include(refused(await service.call("DELETE", path), 409, "IN_USE").detail, "orders")
    await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      order_id: bought.id
    })
    assert.include(refused(await service.call("DELETE", path), 409, "IN_USE").detail, "licenses")
    assert.include(
      refused(await service.call("DELETE", `/api/v1/orders/${bought.id}`), 409, "IN_USE").detail,
      "licenses"
    )
  })
})
