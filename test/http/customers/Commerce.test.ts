import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import {
  makeCustomer,
  makeOrder,
  makeProduct,
  makeSubscription,
  orderBody,
  subscriptionBody
} from "../../fixtures/Commerce.ts"
import type { Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { makeTeam } from "../../fixtures/Teams.ts"

let service: Service
let product: Body
let other: Body
let customer: Body

const subscribe = (of: Body = product, more?: object): Promise<Body> => makeSubscription(service, of, more)
const order = (of: Body = product, more?: object): Promise<Body> => makeOrder(service, of, more)

beforeAll(async () => {
  service = await startService()
  product = await makeProduct(service)
  other = await makeProduct(service)
  customer = await makeCustomer(service)
})

describe("subscriptions", () => {
  it("are created, read, changed and deleted, each change an event", async () => {
    const made = await subscribe(product, { customer_id: customer.id, metadata: { plan: "pro" } })
    assert.match(made.id, /^sub_/)
    assert.deepStrictEqual(made, {
      id: made.id,
      product_id: product.id,
      customer_id: customer.id,
      external_system: "stripe",
      external_id: made.external_id,
      status: "active",
      current_period_start: "2026-01-01T00:00:00.000Z",
      current_period_end: "2027-01-01T00:00:00.000Z",
      cancel_at_period_end: false,
      metadata: { plan: "pro" },
      created_at: made.created_at,
      updated_at: made.created_at
    })
    const path = `/api/v1/subscriptions/${made.id}`
    assert.deepStrictEqual(await service.data("GET", path), made)
    const changed = await service.data("PATCH", path, { status: "past_due", cancel_at_period_end: true })
    assert.deepStrictEqual(changed, {
      ...made,
      status: "past_due",
      cancel_at_period_end: true,
      updated_at: changed.updated_at
    })
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "subscription.created",
      "subscription.updated",
      "subscription.deleted"
    ])
    assert.deepStrictEqual(events[1].data, changed)
  })

  it("need both dates of their period, in order", async () => {
    const path = `/api/v1/products/${product.id}/subscriptions`
    const { current_period_end: _, ...half } = subscriptionBody()
    invalid(await service.call("POST", path, { body: half }), "current_period_end", "required")
    invalid(
      await service.call("POST", path, { body: subscriptionBody({ current_period_end: "2025-12-31T23:59:59Z" }) }),
      "current_period_end",
      "before_start"
    )
    const made = await subscribe()
    invalid(
      await service.call("PATCH", `/api/v1/subscriptions/${made.id}`, {
        body: { current_period_start: "2027-01-01T00:00:01Z" }
      }),
      "current_period_end",
      "before_start"
    )
  })

  it("have canceled_at only while canceled", async () => {
    const path = `/api/v1/products/${product.id}/subscriptions`
    const canceled_at = "2026-06-01T00:00:00.000Z"
    invalid(
      await service.call("POST", path, { body: subscriptionBody({ canceled_at }) }),
      "canceled_at",
      "not_canceled"
    )
    const canceled = await subscribe(product, { status: "canceled", canceled_at })
    assert.strictEqual(canceled.canceled_at, canceled_at)
    const one = `/api/v1/subscriptions/${canceled.id}`
    assert.strictEqual((await service.data("PATCH", one, { metadata: { a: 1 } })).canceled_at, canceled_at)
    invalid(
      await service.call("PATCH", one, { body: { status: "active", canceled_at } }),
      "canceled_at",
      "not_canceled"
    )
    assert.strictEqual((await service.data("GET", one)).status, "canceled")
    const back = await service.data("PATCH", one, { status: "active" })
    assert.notProperty(back, "canceled_at")
    invalid(await service.call("PATCH", one, { body: { canceled_at } }), "canceled_at", "not_canceled")
    assert.strictEqual((await service.data("PATCH", one, { status: "canceled", canceled_at })).canceled_at, canceled_at)
  })

  it("are unique per product by where they come from", async () => {
    const made = await subscribe()
    const same = { external_system: made.external_system, external_id: made.external_id }
    refused(
      await service.call("POST", `/api/v1/products/${product.id}/subscriptions`, { body: subscriptionBody(same) }),
      409,
      "CONFLICT"
    )
    await subscribe(other, same)
    await subscribe(product, { ...same, external_system: "paddle" })
    const another = await subscribe()
    refused(await service.call("PATCH", `/api/v1/subscriptions/${another.id}`, { body: same }), 409, "CONFLICT")
  })

  it("have a customer that exists, and lose it by an empty id", async () => {
    const path = `/api/v1/products/${product.id}/subscriptions`
    refused(
      await service.call("POST", path, { body: subscriptionBody({ customer_id: "cus_none" }) }),
      404,
      "NOT_FOUND"
    )
    const made = await subscribe()
    assert.notProperty(made, "customer_id")
    const one = `/api/v1/subscriptions/${made.id}`
    refused(await service.call("PATCH", one, { body: { customer_id: "cus_none" } }), 404, "NOT_FOUND")
    assert.strictEqual((await service.data("PATCH", one, { customer_id: customer.id })).customer_id, customer.id)
    assert.notProperty(await service.data("PATCH", one, { customer_id: "" }), "customer_id")
  })

  it("know no other status, no other member and no other product", async () => {
    const path = `/api/v1/products/${product.id}/subscriptions`
    refused(await service.call("POST", path, { body: subscriptionBody({ status: "late" }) }), 422, "VALIDATION_ERROR")
    refused(await service.call("POST", path, { body: subscriptionBody({ plan: "pro" }) }), 400, "UNKNOWN_FIELD")
    refused(
      await service.call("POST", "/api/v1/products/prod_none/subscriptions", { body: subscriptionBody() }),
      404,
      "NOT_FOUND"
    )
    refused(await service.call("PATCH", "/api/v1/subscriptions/sub_none", { body: {} }), 404, "NOT_FOUND")
    for (const status of ["trialing", "active", "past_due", "paused", "canceled"]) {
      assert.strictEqual((await subscribe(other, { status })).status, status)
    }
  })
})

describe("orders", () => {
  it("are created, read, changed and deleted, each change an event", async () => {
    const subscription = await subscribe()
    const made = await order(product, {
      customer_id: customer.id,
      subscription_id: subscription.id,
      period_start: "2026-01-01T00:00:00Z",
      period_end: "2026-02-01T00:00:00Z"
    })
    assert.match(made.id, /^ord_/)
    assert.deepStrictEqual(made, {
      id: made.id,
      product_id: product.id,
      customer_id: customer.id,
      subscription_id: subscription.id,
      external_system: "stripe",
      external_id: made.external_id,
      status: "paid",
      period_start: "2026-01-01T00:00:00.000Z",
      period_end: "2026-02-01T00:00:00.000Z",
      metadata: {},
      created_at: made.created_at,
      updated_at: made.created_at
    })
    const path = `/api/v1/orders/${made.id}`
    assert.deepStrictEqual(await service.data("GET", path), made)
    const changed = await service.data("PATCH", path, { status: "fulfilled", customer_id: "", subscription_id: "" })
    assert.notProperty(changed, "customer_id")
    assert.notProperty(changed, "subscription_id")
    assert.strictEqual(changed.status, "fulfilled")
    assert.strictEqual((await service.call("DELETE", path)).status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    const events = await service.feed(`&resource_id=${made.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "order.created",
      "order.updated",
      "order.deleted"
    ])
    assert.deepStrictEqual(events[1].data, changed)
  })

  it("have both dates of a period or none", async () => {
    const path = `/api/v1/products/${product.id}/orders`
    const start = { period_start: "2026-01-01T00:00:00Z" }
    const end = { period_end: "2026-02-01T00:00:00Z" }
    invalid(await service.call("POST", path, { body: orderBody(start) }), "period_end", "both_or_none")
    invalid(await service.call("POST", path, { body: orderBody(end) }), "period_start", "both_or_none")
    invalid(
      await service.call("POST", path, { body: orderBody({ ...end, period_start: "2026-03-01T00:00:00Z" }) }),
      "period_end",
      "before_start"
    )
    const one = `/api/v1/orders/${(await order()).id}`
    invalid(await service.call("PATCH", one, { body: start }), "period_end", "both_or_none")
    await service.data("PATCH", one, { ...start, ...end })
    // The other date is there by now.
    const moved = await service.data("PATCH", one, { period_end: "2026-03-01T00:00:00Z" })
    assert.strictEqual(moved.period_start, "2026-01-01T00:00:00.000Z")
    invalid(
      await service.call("PATCH", one, { body: { period_end: "2025-01-01T00:00:00Z" } }),
      "period_end",
      "before_start"
    )
  })

  it("are unique per product by where they come from", async () => {
    const made = await order()
    const same = { external_system: made.external_system, external_id: made.external_id }
    refused(
      await service.call("POST", `/api/v1/products/${product.id}/orders`, { body: orderBody(same) }),
      409,
      "CONFLICT"
    )
    await order(other, same)
    refused(await service.call("PATCH", `/api/v1/orders/${(await order()).id}`, { body: same }), 409, "CONFLICT")
    // Twenty at once: one.
    const external_id = randomUUID()
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        () => service.call("POST", `/api/v1/products/${product.id}/orders`, { body: orderBody({ external_id }) })
      )
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(19).fill(409)])
  })

  it("point to a subscription of their own product", async () => {
    const path = `/api/v1/products/${product.id}/orders`
    const foreign = await subscribe(other)
    invalid(
      await service.call("POST", path, { body: orderBody({ subscription_id: foreign.id }) }),
      "subscription_id",
      "other_product"
    )
    refused(
      await service.call("POST", path, { body: orderBody({ subscription_id: "sub_none" }) }),
      404,
      "NOT_FOUND"
    )
    refused(await service.call("POST", path, { body: orderBody({ customer_id: "cus_none" }) }), 404, "NOT_FOUND")
    const one = `/api/v1/orders/${(await order()).id}`
    invalid(
      await service.call("PATCH", one, { body: { subscription_id: foreign.id } }),
      "subscription_id",
      "other_product"
    )
  })

  it("know no other status", async () => {
    refused(
      await service.call("POST", `/api/v1/products/${product.id}/orders`, { body: orderBody({ status: "open" }) }),
      422,
      "VALIDATION_ERROR"
    )
    for (const status of ["pending", "paid", "fulfilled", "canceled", "refunded"]) {
      assert.strictEqual((await order(other, { status })).status, status)
    }
  })
})

describe("lists", () => {
  it("answer the newest first, page by page, of their own product", async () => {
    const mine = await makeProduct(service)
    for (const kind of ["orders", "subscriptions"]) {
      const make = kind === "orders" ? order : subscribe
      const ids: Array<string> = []
      for (let index = 0; index < 5; index++) ids.unshift((await make(mine)).id)
      const path = `/api/v1/products/${mine.id}/${kind}`
      const seen: Array<string> = []
      let cursor = ""
      do {
        const { body } = await service.call("GET", `${path}?limit=2${cursor}`)
        seen.push(...body.data.map((row: Body) => row.id))
        // What comes meanwhile is newer than every page to come.
        await make(mine)
        cursor = body.page_info.has_more ? `&cursor=${body.page_info.next_cursor}` : ""
      } while (cursor !== "")
      assert.deepStrictEqual(seen, ids)
      refused(await service.call("GET", `${path}?limit=0`), 400, "INVALID_QUERY")
      refused(await service.call("GET", `/api/v1/products/prod_none/${kind}`), 404, "NOT_FOUND")
    }
  })

  it("need product:read, and changes product:write", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "reader", scopes: ["product:read"] })
    const made = await order()
    assert.strictEqual((await service.call("GET", `/api/v1/orders/${made.id}`, { token })).status, 200)
    for (const [method, path] of [["PATCH", `orders/${made.id}`], ["POST", `products/${product.id}/orders`]] as const) {
      refused(
        await service.call(method, `/api/v1/${path}`, { token, body: {} }),
        403,
        "TOKEN_SCOPE_DENIED"
      )
    }
  })
})

describe("customers that belong to another", () => {
  const path = ({ id }: Body) => `/api/v1/customers/${id}`
  const give = (one: Body, parent: Body | null) =>
    service.call("PATCH", path(one), { body: { parent_id: parent?.id ?? null } })

  it("are listed by it, move with it, and keep it until they are given another or none", async () => {
    const group = await makeCustomer(service)
    const company = await makeCustomer(service, { parent_id: group.id })
    assert.strictEqual(company.parent_id, group.id)
    const branch = await makeCustomer(service)
    const { body } = await give(branch, company)
    assert.deepStrictEqual(body.data, { ...branch, parent_id: company.id, updated_at: body.data.updated_at })
    const listed = async (of: Body) =>
      (await service.data("GET", `/api/v1/customers?parent_id=${of.id}`)).map(({ id }: Body) => id)
    assert.deepStrictEqual([await listed(group), await listed(company)], [[company.id], [branch.id]])
    assert.strictEqual((await service.data("PATCH", path(branch), { name: "N" })).parent_id, company.id)
    refused(await service.call("DELETE", path(company)), 409, "IN_USE")
    assert.notProperty((await give(branch, null)).body.data, "parent_id")
    assert.strictEqual((await service.call("DELETE", path(company))).status, 204)
    const told = await service.feed(`&resource_id=${branch.id}`)
    assert.deepStrictEqual(told.map(({ data }) => data["parent_id"]), [undefined, company.id, company.id, undefined])
  })

  it("stay with it when either is erased, and nothing personal is left in whom they belong to", async () => {
    const [group, below] = [await makeCustomer(service), await makeCustomer(service)]
    await give(below, group)
    await service.data("POST", `${path(group)}/erase`, {})
    const { customer: erased } = await service.data("POST", `${path(below)}/erase`, {})
    assert.strictEqual(erased.parent_id, group.id)
    assert.strictEqual((await service.data("GET", path(below))).parent_id, group.id)
    // Who was erased may still get companies below it, as it keeps its pools.
    assert.strictEqual((await give(await makeCustomer(service), group)).status, 200)
  })

  it("are no circle, no longer line than five, and of nobody who is not there", async () => {
    const line: Array<Body> = []
    for (let level = 0; level < 5; level++) {
      const parent = line.at(-1)
      line.push(await makeCustomer(service, parent === undefined ? {} : { parent_id: parent.id }))
    }
    const create = (parent_id: string) =>
      service.call("POST", "/api/v1/customers", { body: { name: "N", code: randomUUID(), parent_id } })
    invalid(await give(line[0]!, line[0]!), "parent_id", "cycle")
    invalid(await give(line[1]!, line[4]!), "parent_id", "cycle")
    invalid(await create(line[4]!.id), "parent_id", "too_deep")
    const [above, below] = [await makeCustomer(service), await makeCustomer(service)]
    invalid(await give(line[0]!, above), "parent_id", "too_deep")
    assert.strictEqual((await give(line[3]!, above)).status, 200)
    assert.strictEqual((await give(line[3]!, line[2]!)).status, 200)
    refused(await give(below, { id: "cus_unknown" }), 404, "NOT_FOUND")
    refused(await create("cus_unknown"), 404, "NOT_FOUND")
    const { token } = await makeTeam(service, "limited")
    const limited = (body: object) =>
      service.call("POST", "/api/v1/customers", { token, body: { name: "N", code: randomUUID(), ...body } })
    refused(await limited({ parent_id: above.id }), 404, "NOT_FOUND")
    const own = (await limited({})).body.data
    assert.strictEqual((await limited({ parent_id: own.id })).body.data.parent_id, own.id)
    const moved = await service.call("PATCH", path(own), { token, body: { parent_id: above.id } })
    invalid(moved, "parent_id", "limited_key")
  })

  it("are no circle either when each is given the other at once", async () => {
    const pairs = await Promise.all(
      Array.from(
        { length: 8 },
        () => Promise.all([makeCustomer(service), makeCustomer(service), makeCustomer(service)])
      )
    )
    await Promise.all(pairs.map(async ([a, b, c]) => {
      const answers = await Promise.all([give(a, b), give(b, c), give(c, a)])
      assert.lengthOf(answers.filter(({ status }) => status === 200), 2)
      for (const answer of answers) {
        if (answer.status !== 200) invalid(answer, "parent_id", "cycle")
      }
    }))
  })
})
