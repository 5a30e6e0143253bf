// A license whose customer is found or created in the same write.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeProduct } from "../../fixtures/Commerce.ts"
import type { CallOptions, Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"

let service: Service
let product: Body
let policy: Body

beforeAll(async () => {
  service = await startService()
  product = await makeProduct(service)
  policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: randomUUID(),
    license_type: "subscription"
  })
})

const issue = (more: object, options: CallOptions = {}) =>
  service.call("POST", "/api/v1/licenses", {
    ...options,
    body: { product_id: product.id, policy_id: policy.id, ...more }
  })

const issued = async (more: object, options: CallOptions = {}): Promise<Body> => {
  const answer = await issue(more, options)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data.license
}

const customersOf = (email: string): Promise<Body> =>
  service.data("GET", `/api/v1/customers?email=${encodeURIComponent(email)}`)

const keyWith = (scopes: ReadonlyArray<string>, more: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/api-keys", { name: "of a test", scopes, ...more })

describe("the customer of a new license", () => {
  it("is created with it, in one write with one event each", async () => {
    const license = await issued({ customer: { name: "Ada Lovelace", email: "ada@new.example" } })
    const [customer] = await customersOf("ada@new.example")
    assert.deepInclude(customer, { id: license.customer_id, name: "Ada Lovelace", code: license.customer_id })
    assert.notProperty(license, "customer_name")
    const events = await service.feed()
    const ofBoth = events.filter(({ resource_id }) => resource_id === customer.id || resource_id === license.id)
    assert.sameMembers(ofBoth.map(({ event_type }) => event_type), ["customer.created", "license.created"])
    assert.strictEqual(new Set(ofBoth.map(({ request_id }) => request_id)).size, 1)
  })

  it("is found by the address, whatever its case, and keeps the name", async () => {
    const first = await issued({ customer: { name: "Grace Hopper", email: "grace@found.example" } })
    const second = await issued({ customer: { name: "Amazing Grace", email: "Grace@FOUND.example" } })
    assert.strictEqual(second.customer_id, first.customer_id)
    assert.deepStrictEqual((await customersOf("grace@found.example")).map(({ name }: Body) => name), ["Grace Hopper"])
  })

  it("is one, of many requests at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => issued({ customer: { name: "At once", email: "at@once.example" } }))
    )
    assert.strictEqual(new Set(all.map(({ customer_id }) => customer_id)).size, 1)
    assert.lengthOf(await customersOf("at@once.example"), 1)
  })

  it("is not guessed where several have the address", async () => {
    for (const code of ["twin-a", "twin-b"]) {
      await service.data("POST", "/api/v1/customers", { name: code, code, email: "twin@several.example" })
    }
    const answer = await issue({ customer: { name: "Twin", email: "twin@several.example" } })
    invalid(answer, "customer.email", "ambiguous")
    assert.lengthOf(await customersOf("twin@several.example"), 2)
  })

  it("is found although a limited key has given its address to another one, by creating or by changing it", async () => {
    const { token } = await keyWith(["customer:write", "license:write"], { product_ids: [product.id] })
    const first = await issued({ customer: { name: "First", email: "first@shared.example" } })
    const by = { token }
    await service.data("POST", "/api/v1/customers", { name: "x", code: "made", email: "first@shared.example" }, by)
    // One that a key without a limit has made, and who has nothing but a license of the limited key's product.
    const changed = await service.data("POST", "/api/v1/customers", { name: "y", code: "changed" })
    await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      customer_id: changed.id
    })
    await service.data("PATCH", `/api/v1/customers/${changed.id}`, { email: "first@shared.example" }, by)
    assert.lengthOf(await customersOf("first@shared.example"), 3)
    const again = await issued({ customer: { name: "Again", email: "first@shared.example" } })
    assert.strictEqual(again.customer_id, first.customer_id)
  })

  it("is created by a person whose two roles allow it together, on the products that both are for", async () => {
    const other = await makeProduct(service)
    const roleOf = async (scopes: ReadonlyArray<string>, product_ids: ReadonlyArray<string>): Promise<string> =>
      (await service.data("POST", "/api/v1/roles", { name: randomUUID(), scopes, product_ids })).id
    const sells = await roleOf(["license:write"], [product.id, other.id])
    const [here, there] = [await roleOf(["customer:write"], [product.id]), await roleOf(["customer:write"], [other.id])]
    const body = {
      product_id: product.id,
      policy_id: policy.id,
      customer: { name: "Two roles", email: "two@roles.example" }
    }
    const elsewhere = await signInAs(service, "Elsewhere", [sells, there])
    refused(await asPerson(service, elsewhere, "POST", "/api/v1/licenses", body), 403, "TOKEN_SCOPE_DENIED")
    // A customer of another product is not found by a right that is for this one.
    const { id } = await service.data("POST", "/api/v1/customers", {
      name: "x",
      code: "two",
      email: "two@roles.example"
    })
    const both = await signInAs(service, "Both", [sells, here])
    const answer = await asPerson(service, both, "POST", "/api/v1/licenses", body)
    assert.strictEqual(answer.status, 201, answer.text)
    assert.notStrictEqual(answer.body.data.license.customer_id, id)
  })

  it("is not created when the license is refused", async () => {
    const customer = { name: "Nobody", email: "nobody@refused.example" }
    refused(await issue({ policy_id: "pol_00000000000000000000000000", customer }), 404, "NOT_FOUND")
    invalid(
      await issue({ maintenance_expires_at: "2999-01-01T00:00:00Z", customer }),
      "maintenance_expires_at",
      "perpetual_only"
    )
    invalid(await issue({ license_key: "not a key", customer }), "license_key", "invalid_value")
    assert.deepStrictEqual(await customersOf(customer.email), [])
  })

  it("is named in one way, and needs a name and an address", async () => {
    const [{ id }] = await customersOf("ada@new.example")
    const customer = { name: "Ada", email: "ada@new.example" }
    invalid(await issue({ customer, customer_id: id }), "customer", "contradiction")
    invalid(await issue({ customer: { name: "Ada" } }), "customer.email", "required")
    invalid(await issue({ customer: { email: "ada@new.example" } }), "customer.name", "required")
  })

  it("takes the scope of changing customers beside the one of licenses", async () => {
    const customer = { name: "Scoped", email: "scoped@new.example" }
    const { token } = await keyWith(["license:write", "customer:read"])
    const answer = await issue({ customer }, { token })
    refused(answer, 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual(answer.body.error.detail, "customer:write")
    assert.deepStrictEqual(await customersOf(customer.email), [])
    const allowed = await keyWith(["license:write", "customer:write"])
    await issued({ customer }, { token: allowed.token })
    assert.lengthOf(await customersOf(customer.email), 1)
  })

  it("is one of its own for a key limited to products, whose customers alone are found", async () => {
    const { token } = await keyWith(["license:write", "customer:write"], { product_ids: [product.id] })
    await service.data("POST", "/api/v1/customers", {
      name: "Of another",
      code: "of-another",
      email: "a@limited.example"
    })
    const customer = { name: "Of the shop", email: "a@limited.example" }
    const first = await issued({ customer }, { token })
    const second = await issued({ customer }, { token })
    assert.strictEqual(second.customer_id, first.customer_id)
    assert.sameMembers((await customersOf("a@limited.example")).map(({ name }: Body) => name), [
      "Of another",
      "Of the shop"
    ])
  })

  it("is the same after a repeated request with the same key", async () => {
    const options = { headers: { "idempotency-key": randomUUID() } }
    const customer = { name: "Twice", email: "twice@new.example" }
    const first = await issued({ customer }, options)
    assert.strictEqual((await issued({ customer }, options)).id, first.id)
    assert.lengthOf(await customersOf(customer.email), 1)
  })

  it("is not created by a row of a bulk", async () => {
    const answer = await service.call("POST", "/api/v1/licenses/bulk", {
      body: {
        defaults: { product_id: product.id, policy_id: policy.id },
        licenses: [{ customer: { name: "Ada", email: "ada@new.example" } }]
      }
    })
    invalid(answer, "licenses.0.customer", "single_only")
  })
})
