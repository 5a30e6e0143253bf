// Saved views of the list of licenses: of one who saved them, or shared with everybody.
import { assert, describe, it } from "@effect/vitest"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { asPerson, signInAs } from "../../fixtures/SignedIn.ts"

const service = await startService()
const sql = await session(service.databaseUrl)

const views = "/api/v1/license-views"

/** A key with these scopes, and its calls. */
const caller = async (scopes: ReadonlyArray<string>, product_ids?: ReadonlyArray<string>) => {
  const { token } = await service.data("POST", "/api/v1/api-keys", {
    name: `key for ${scopes.join()}`,
    scopes,
    ...(product_ids === undefined ? {} : { product_ids })
  })
  return {
    save: (body: object) => service.data("POST", views, body, { token }),
    call: (method: string, path: string, body?: object) => service.call(method, path, { token, ...(body && { body }) }),
    names: async (): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", views, undefined, { token })).map(({ name }: Body) => name)
  }
}

const view = {
  name: "VIP",
  filter: { status: "active", tag: "vip", expires_before: "2030-01-01T00:00:00+01:00" },
  order: "expires_asc",
  columns: ["owner", "expires"]
}

describe("a saved view", () => {
  it("is kept as it was saved, for its author alone, until it is shared", async () => {
    const [one, other] = [await caller(["license:read", "license:write"]), await caller(["license:read"])]
    const saved = await one.save(view)
    assert.deepInclude(saved, {
      ...view,
      filter: { ...view.filter, expires_before: "2029-12-31T23:00:00.000Z" },
      is_shared: false,
      is_own: true
    })
    assert.strictEqual(saved.author.name, "key for license:read,license:write")
    assert.deepStrictEqual([await one.names(), await other.names()], [["VIP"], []])
    const path = `${views}/${saved.id}`
    refused(await other.call("PUT", path, { name: "mine" }), 404, "NOT_FOUND")
    refused(await other.call("DELETE", path), 404, "NOT_FOUND")

    const shared = (await one.call("PUT", path, { name: "For all", is_shared: true })).body.data
    for (const left of ["order", "columns", "expires_within_days"]) assert.notProperty(shared, left)
    assert.deepStrictEqual(shared.filter, {})
    assert.deepStrictEqual(await other.names(), ["For all"])
    const [seen] = (await other.call("GET", views)).body.data
    assert.deepInclude(seen, { id: saved.id, is_own: false, is_shared: true })
    refused(await other.call("PUT", path, { name: "mine" }), 403, "TOKEN_SCOPE_DENIED")
    refused(await other.call("DELETE", path), 403, "TOKEN_SCOPE_DENIED")
    assert.strictEqual((await service.call("DELETE", path)).status, 204, "who may do everything deletes it")
    assert.deepStrictEqual([await one.names(), await other.names()], [[], []])
  })

  it("is shared by who may change licenses, and seen by no key that is limited to products", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "P", code: "p" })
    const reader = await caller(["license:read"])
    refused(await reader.call("POST", views, { name: "v", is_shared: true }), 403, "TOKEN_SCOPE_DENIED")
    const own = await reader.save({ name: "own" })
    refused(
      await reader.call("PUT", `${views}/${own.id}`, { name: "own", is_shared: true }),
      403,
      "TOKEN_SCOPE_DENIED"
    )
    const limited = await caller(["license:read"], [product.id])
    const shared = await service.data("POST", views, { name: "shared", is_shared: true })
    await limited.save({ name: "limited" })
    assert.deepStrictEqual(await limited.names(), ["limited"])
    assert.deepStrictEqual(await reader.names(), ["shared", "own"])
    refused(await limited.call("DELETE", `${views}/${shared.id}`), 404, "NOT_FOUND")
    assert.strictEqual((await service.call("DELETE", `${views}/${shared.id}`)).status, 204)
  })

  it("has bounds: its name, its days, its columns, and how many one has", async () => {
    const one = await caller(["license:read"])
    const many = Array.from({ length: 21 }, (_, index) => `c_${"abcdefghijklmnopqrstuvwxyz"[index]}`)
    for (
      const [path, body] of [
        ["name", { name: "x".repeat(61) }],
        ["columns", { name: "v", columns: many }],
        ["expires_within_days", { name: "v", expires_within_days: 0 }]
      ] as const
    ) {
      const { fields } = refused(await one.call("POST", views, body), 422, "VALIDATION_ERROR")
      assert.deepStrictEqual(fields.map((field: Body) => field.path), [path])
    }
    for (const columns of [[], ["a", "a"], ["<b>"]]) {
      refused(await one.call("POST", views, { name: "v", columns }), 422, "VALIDATION_ERROR")
    }
    refused(
      await one.call("POST", views, {
        name: "v",
        expires_within_days: 30,
        filter: { expires_before: "2030-01-01T00:00:00Z" }
      }),
      422,
      "VALIDATION_ERROR"
    )
    refused(await one.call("POST", views, { name: "v", order: "key_asc" }), 422, "VALIDATION_ERROR")
    refused(await one.call("POST", views, { name: "v", filter: { color: "red" } }), 400, "UNKNOWN_FIELD")
    const statuses = await Promise.all(
      Array.from({ length: 55 }, () => one.call("POST", views, { name: "v", expires_within_days: 30 }))
    )
    assert.strictEqual(statuses.filter(({ status }) => status === 201).length, 50)
    refused(await one.call("POST", views, { name: "v" }), 409, "STATE_CONFLICT")
  })

  it("goes with its author, and stays where others see it, for those who may share views to take over", async () => {
    const clerk = await signInAs(service, "Clerk", ["support"])
    const key = await service.data("POST", "/api/v1/api-keys", { name: "leaving", scopes: ["license:write"] })
    const [owner, reader] = [await signInAs(service, "Owner", ["owner"]), await caller(["license:read"])]
    const shared: Array<Body> = []
    for (
      const save of [
        (body: object) => asPerson(service, clerk, "POST", views, body),
        (body: object) => service.call("POST", views, { token: key.token, body })
      ]
    ) {
      assert.strictEqual((await save({ name: "private" })).status, 201)
      const made = (await save({ name: "shared", is_shared: true })).body.data
      assert.notProperty(made, "is_left")
      shared.push(made)
    }
    refused(await asPerson(service, owner, "PUT", `${views}/${shared[0].id}`, { name: "x" }), 403, "TOKEN_SCOPE_DENIED")
    await service.data("DELETE", `/api/v1/people/${clerk.id}`)
    await service.data("DELETE", `/api/v1/api-keys/${key.api_key.id}`)
    assert.deepStrictEqual(await sql.query("SELECT id FROM license_views WHERE name = 'private'"), [])
    const [removed] = await service.feed(`&resource_id=${clerk.id}&event_type=person.removed`)
    assert.deepInclude(removed!.metadata, { views_deleted: 1, shared_views: 1 })

    const [first, second] = shared.map(({ id }) => `${views}/${id}`)
    const seen: ReadonlyArray<Body> = (await reader.call("GET", views)).body.data
    assert.deepStrictEqual(seen.map(({ is_left, name }) => [name, is_left]), [["shared", true], ["shared", true]])
    for (const path of [first!, second!]) {
      refused(await reader.call("PUT", path, { name: "mine" }), 403, "TOKEN_SCOPE_DENIED")
      refused(await reader.call("DELETE", path), 403, "TOKEN_SCOPE_DENIED")
    }
    const taken = (await asPerson(service, owner, "PUT", first!, { name: "kept", is_shared: true })).body.data
    assert.deepInclude(taken, { name: "kept", is_own: true })
    assert.notProperty(taken, "is_left")
    assert.strictEqual(taken.author.id, owner.id)
    const writer = await caller(["license:read", "license:write"])
    assert.strictEqual((await writer.call("DELETE", second!)).status, 204)
    assert.strictEqual((await asPerson(service, owner, "DELETE", first!)).status, 204)
  })

  it("that names a customer is gone when the customer is erased, and no other is", async () => {
    const one = await caller(["license:read"])
    const owner = await service.data("POST", "/api/v1/customers", {
      name: "Dvořák Antonín",
      email: "antonin@dvorak.example",
      code: "dvorak"
    })
    const { policy, product } = await service.issue()
    const issue = (customer_id: string, customer_name: string) =>
      service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        customer_id,
        customer_name
      })
    await issue(owner.id, "Musikhaus Zlonice")
    const kept = ["All", "VIP, Smetana"]
    for (const name of kept) await one.save({ name, filter: { q: "smetana" } })
    for (
      const [name, filter] of [
        ["by id", { customer_id: owner.id }],
        ["by address", { customer_email: "ANTONIN@dvorak.example" }],
        ["by word", { q: "dvorak" }],
        ["by beginning", { q: "antonin@d" }],
        ["by license", { q: "zlonice" }],
        ["of dvořák antonín", {}]
      ] as const
    ) await one.save({ name, filter })
    assert.lengthOf(await one.names(), kept.length + 6)
    await service.data("POST", `/api/v1/customers/${owner.id}/erase`)
    assert.deepStrictEqual(await one.names(), kept.toReversed())
    const [left] = await sql.query("SELECT count(*)::int AS n FROM license_views WHERE name ILIKE '%dvo%'")
    assert.strictEqual(left!["n"], 0)
  })
})
