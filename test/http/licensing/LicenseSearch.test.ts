// What a person has written finds a license in a body, so that no address ever has a key; and licenses say what their ids
// stand for.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { environmentOf } from "../../../src/domain/ground/environments/Environment.ts"
import { makeCustomer, makeOrder, makeSubscription } from "../../fixtures/Commerce.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import vectors from "../../vectors/keys.json" with { type: "json" }

const service = await startService()

const search = (text: string, more: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/licenses/search", { text, ...more })
const found = async (text: string): Promise<ReadonlyArray<string>> =>
  (await search(text)).licenses.map(({ id }: Body) => id)

/** A license of a customer who is linked, with an order and a subscription, and no name of its own. */
const linked = async () => {
  const { policy, product } = await service.issue()
  const customer = await makeCustomer(service)
  const order = await makeOrder(service, product)
  const subscription = await makeSubscription(service, product)
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    order_id: order.id,
    subscription_id: subscription.id
  })
  const names = {
    product: product.name,
    policy: policy.name,
    customer: customer.name,
    order: order.external_id,
    subscription: subscription.external_id
  }
  return { customer, key, license, names, policy, product }
}

describe("searchLicenses", () => {
  it("finds the license of a key however it was pasted, as the table of all readers has it", async () => {
    const { policy, product } = await service.issue()
    const owners = new Map<string, string>()
    const cases = vectors.cases.flatMap(({ key, pasted }: { pasted: string; key?: string }) =>
      // A key of the test environment is made there, and no license of live may have it.
      key === undefined || environmentOf(key) === "test" ? [] : [{ key, pasted }]
    )
    for (const { key } of cases) {
      if (owners.has(key)) continue
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        license_key: key
      })
      owners.set(key, license.id)
    }
    assert.isAbove(cases.length, 40)
    const wrong: Array<string> = []
    for (const { key, pasted } of cases) {
      const [id, ...others] = await found(pasted)
      if (id !== owners.get(key) || others.length > 0) wrong.push(pasted)
    }
    assert.deepStrictEqual(wrong, [])
  })

  it("finds by a key that was replaced, and nothing by one that is mistyped or nobody's", async () => {
    const { key, license } = await service.issue()
    const mistyped = key.slice(0, -1) + (key.endsWith("7") ? "8" : "7")
    assert.deepStrictEqual(await search(mistyped), { licenses: [], has_more: false })
    assert.deepStrictEqual(await search(`${randomUUID()}`), { licenses: [], has_more: false })
    await service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, { overlap_minutes: 0 })
    assert.deepStrictEqual(await found(key), [license.id])
  })

  it("finds what the list finds by anything else, with names, and says when there is more", async () => {
    const { customer, license, names } = await linked()
    for (const text of [license.id, customer.name.toLowerCase(), customer.code, `  ${license.license_key_last4}`]) {
      const { licenses } = await search(text)
      const first = licenses.find(({ id }: Body) => id === license.id)
      assert.deepStrictEqual(first?.names, names, text)
    }
    const two = await service.issue({ license: { customer_name: "Search Twin" } })
    await service.issue({ license: { customer_name: "search twin" } })
    const { has_more, licenses } = await search("Search twin", { limit: 1 })
    assert.deepStrictEqual([licenses.length, has_more], [1, true])
    assert.lengthOf((await search("Search twin")).licenses, 2)
    assert.include(await found("SEARCH TW"), two.license.id)
    assert.deepStrictEqual(await search("-".repeat(4000)), { licenses: [], has_more: false })
    assert.deepStrictEqual(await search("   "), { licenses: [], has_more: false })
  })

  it("refuses what is no search, by whoever may not", async () => {
    const post = (body: object, token?: string) =>
      service.call("POST", "/api/v1/licenses/search", { body, ...(token === undefined ? {} : { token }) })
    invalid(await post({ text: "" }), "text", "invalid_value")
    invalid(await post({ text: "x".repeat(4001) }), "text", "invalid_value")
    invalid(await post({ text: "x", limit: 51 }), "limit", "invalid_value")
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "r", scopes: ["product:read"] })
    refused(await post({ text: "x" }, token), 403, "TOKEN_SCOPE_DENIED")
  })
})

describe("include_names", () => {
  it("adds what the ids of a license stand for, to one and to each of a list, and only where it is asked for", async () => {
    const { license, names } = await linked()
    const path = `/api/v1/licenses/${license.id}`
    assert.notProperty(await service.data("GET", path), "names")
    assert.deepStrictEqual((await service.data("GET", `${path}?include_names=true`)).names, names)
    const both = await service.data("GET", `${path}?include_names=true&include_terms=true`)
    assert.deepStrictEqual(both.names, names)
    assert.property(both, "terms")
    const list = `/api/v1/licenses?customer_id=${license.customer_id}`
    assert.notProperty((await service.data("GET", list))[0], "names")
    assert.deepStrictEqual((await service.data("GET", `${list}&include_names=true`))[0].names, names)
    const alone = await service.issue()
    assert.deepStrictEqual(
      (await service.data("GET", `/api/v1/licenses/${alone.license.id}?include_names=true`)).names,
      {
        product: alone.product.name,
        policy: alone.policy.name
      }
    )
    refused(await service.call("GET", `${list}&include_names=perhaps`), 400, "INVALID_QUERY")
  })

  it("is no part of what an entity tag stands for, nor of a cursor", async () => {
    const { customer, license, product } = await linked()
    const path = `/api/v1/licenses/${license.id}`
    const tag = async (query: string) => (await service.call("GET", path + query)).headers["etag"]
    const before = await tag("")
    assert.strictEqual(await tag("?include_names=true"), before)
    await service.data("PATCH", `/api/v1/customers/${customer.id}`, { name: "Renamed" })
    assert.strictEqual(await tag("?include_names=true"), before)
    assert.strictEqual((await service.data("GET", `${path}?include_names=true`)).names.customer, "Renamed")
    const first = await service.call("GET", `/api/v1/licenses?product_id=${product.id}&limit=1&include_names=true`)
    const { next_cursor } = first.body.page_info
    const second = await service.call(
      "GET",
      `/api/v1/licenses?product_id=${product.id}&limit=1&cursor=${encodeURIComponent(next_cursor)}`
    )
    assert.strictEqual(second.status, 200)
  })
})

describe("the metadata of customers", () => {
  it("is searched only by those who may read it, so that nobody finds it out by guesses", async () => {
    const { customer, license } = await linked()
    const guess = `tier ${randomUUID()}`
    await service.data("PATCH", `/api/v1/customers/${customer.id}`, { metadata: { tier: guess } })
    const tokenOf = async (...scopes: ReadonlyArray<string>): Promise<string> =>
      (await service.data("POST", "/api/v1/api-keys", { name: "k", scopes })).token
    const listed = async (token: string, q: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `/api/v1/licenses?q=${encodeURIComponent(q)}`, undefined, { token }))
        .map(({ id }: Body) => id)
    const searched = async (token: string): Promise<number> =>
      (await service.data("POST", "/api/v1/licenses/search", { text: guess }, { token })).licenses.length
    const [both, alone] = [await tokenOf("license:read", "customer:read"), await tokenOf("license:read")]
    assert.deepStrictEqual([await listed(both, guess), await searched(both)], [[license.id], 1])
    assert.deepStrictEqual([await listed(alone, guess), await searched(alone)], [[], 0])
    // What the answer shows anyway is still found, also among many filters.
    assert.deepStrictEqual(await listed(alone, customer.code), [license.id])
    const within = `${guess}&product_id=${license.product_id}`
    assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses?q=${within}`, undefined, { token: alone }), [])
  })
})
