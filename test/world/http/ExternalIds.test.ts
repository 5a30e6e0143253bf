import { assert, beforeAll, describe, it } from "@effect/vitest"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { makeFollowing } from "../../fixtures/Following.ts"
import { declared } from "../../fixtures/histories/DeclaredWrites.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let product: Body

beforeAll(async () => {
  service = await startService()
  product = await makeProduct(service)
})

const period = { current_period_start: "2026-11-01T00:00:00Z", current_period_end: "2026-12-01T00:00:00Z" }

/** The records that a billing system names: the path in front of the names, and a body that makes one. */
const records = (): ReadonlyArray<readonly [base: string, body: object]> => [
  ["/api/v1/customers-by-external-id", { name: "Ada" }],
  [`/api/v1/products/${product.id}/subscriptions/by-external-id`, { status: "active", ...period }],
  [`/api/v1/products/${product.id}/orders/by-external-id`, { status: "paid" }]
]

const at = (base: string, system: string, id: string): string =>
  `${base}/${encodeURIComponent(system)}/${encodeURIComponent(id)}`

describe("the ID of a record in its billing system", () => {
  it.each([
    ["letters", "a".repeat(255)],
    ["letters of three bytes", "客".repeat(255)],
    ["letters of four bytes", `${"😀".repeat(127)}a`],
    ["letters that URLs reserve", "/".repeat(255)]
  ])("has up to 255 characters in a path: %s", async (_, external_id) => {
    for (const [base, body] of records()) {
      const made = await service.data("PUT", at(base, "shop", external_id), body)
      assert.strictEqual(made.external_id, external_id)
      assert.strictEqual((await service.data("PUT", at(base, "shop", external_id), body)).id, made.id)
      refused(await service.call("PUT", at(base, "shop", `${external_id}a`), { body }), 404, "NOT_FOUND")
    }
  })
})

describe("a path parameter", () => {
  it("reaches its operation in its full length, in each operation", async () => {
    const operations = [...declared.values()].filter(({ path }) => path.includes(":"))
    assert.isAbove(operations.length, 50)
    for (const { method, operationId, path } of operations) {
      const filled = path.replaceAll(/:\w+/g, encodeURIComponent("ä".repeat(255)))
      const { body } = await service.call(method, filled, { token: null })
      assert.notStrictEqual(body?.error?.code, "ROUTE_NOT_FOUND", operationId)
    }
  })
})

describe("a customer that a billing system names", () => {
  const base = "/api/v1/customers-by-external-id"

  it.each([
    ["my/shop-1", ["my", "shop-1"], ["my-shop", "1"]],
    ["an address", ["shop", "a@b.example"], ["shop", "a+b.example"]],
    ["IDs that begin alike", ["shop", `${"b".repeat(200)}1`], ["shop", `${"b".repeat(200)}2`]],
    ["no letter of ASCII", ["系", "客"], ["系", "户"]]
  ])("is made beside another one whose names look like it: %s", async (_, first, second) => {
    const put = ([system, id]: ReadonlyArray<string>) => service.data("PUT", at(base, system!, id!), { name: "Ada" })
    const made = [await put(first), await put(second)]
    for (const { code, id } of made) assert.strictEqual(code, id)
    assert.deepStrictEqual([(await put(first)).id, (await put(second)).id], made.map(({ id }) => id))
  })

  it("has the code that a request gives it, then and later, and keeps it without one", async () => {
    const path = at(base, "shop", "coded")
    const [first, second] = [`a-${product.id}`, `b-${product.id}`]
    assert.strictEqual((await service.data("PUT", path, { name: "Ada", code: first })).code, first)
    assert.strictEqual((await service.data("PUT", path, { name: "Ada", code: second })).code, second)
    assert.strictEqual((await service.data("PUT", path, { name: "Ada" })).code, second)
  })

  it("leaves nothing of its names when it is erased, and the names are free then", async () => {
    const address = "ada.erased@shop.example"
    const path = at(base, "shop", address)
    const { id } = await service.data("PUT", path, { name: "Ada", email: address })
    await service.data("PUT", path, { name: "Ada Lovelace" })
    assert.include(JSON.stringify(await service.feed()), address)
    const { customer } = await service.data("POST", `/api/v1/customers/${id}/erase`)
    const shown = await service.data("GET", `/api/v1/customers/${id}`)
    for (const left of [customer, shown]) {
      assert.notProperty(left, "external_id")
      assert.notProperty(left, "external_system")
      assert.strictEqual(left.code, id)
    }
    assert.notInclude(JSON.stringify(await service.feed()), address)
    assert.notStrictEqual((await service.data("PUT", path, { name: "Ada" })).id, id)
  })
})

describe("a subscription that its billing system names", () => {
  it("changes the licenses that follow it when it is put", async () => {
    const { issue, subscription } = await makeFollowing(service, { current_period_end: "2040-01-01T00:00:00Z" })
    const { license } = await issue()
    const path = at(
      `/api/v1/products/${subscription.product_id}/subscriptions/by-external-id`,
      subscription.external_system,
      subscription.external_id
    )
    const { current_period_end, current_period_start } = subscription
    const put = async (status: string): Promise<Body> => {
      await service.data("PUT", path, { status, current_period_end, current_period_start })
      return service.data("GET", `/api/v1/licenses/${license.id}`)
    }
    const suspended = { status: "suspended", suspended_by: "subscription" }
    assert.deepInclude(await put("unpaid"), suspended)
    assert.deepInclude(await put("canceled"), suspended)
    assert.strictEqual((await put("active")).status, "active")
  })
})
