// Activities by who did what to what, with names, with what changed, and by themselves.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const list = async (query: Readonly<Record<string, string>>, token?: string): Promise<ReadonlyArray<Body>> => {
  const path = `/api/v1/activities?${new URLSearchParams({ include_names: "true", include_changes: "true", ...query })}`
  const answer = await service.call("GET", path, token === undefined ? {} : { token })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

const act = (path: string, body: object, method = "POST"): Promise<Body> =>
  service.data(method, `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })

/** A license of a new customer. */
const issueTo = async (name: string) => {
  const customer = await service.data("POST", "/api/v1/customers", { name, code: randomUUID() })
  return { customer, ...await service.issue({ policy: { max_transfers: 1 }, license: { customer_id: customer.id } }) }
}

const own = { "sec-fetch-site": "same-origin" }

/** A person who is signed in, and the requests of him or her. */
const signedIn = async (name: string, role: string) => {
  const person = await act("people", { name, roles: [role] })
  const { invitation } = await act(`people/${person.id}/invite`, {})
  const opened = await service.call("POST", "/api/v1/sign-in", { token: null, headers: own, body: { invitation } })
  const cookie = String(opened.headers["set-cookie"]).split(";")[0]!
  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/api/v1/${path}`, {
      token: null,
      headers: { ...own, cookie, "idempotency-key": randomUUID() },
      ...(body === undefined ? {} : { body })
    })
  return { person, call }
}

describe("an activity", () => {
  it("says who did it by name and role as they were, what changed, and why", async () => {
    const { call, person } = await signedIn("Jun Sato", "support")
    const { customer, license, policy, product } = await issueTo("Ada Lovelace")
    const suspended = await call("POST", `licenses/${license.id}/suspend`, { reason: "Chargeback in_77" })
    assert.strictEqual(suspended.status, 200, suspended.text)
    await act(`people/${person.id}`, { name: "Jun S.", roles: ["finance"] }, "PATCH")
    const [activity] = await list({ actor_id: person.id, action: "license.suspended" })
    assert.deepInclude(activity, {
      actor_type: "person",
      actor_name: "Jun Sato",
      actor_roles: ["Support"],
      reason: "Chargeback in_77",
      names: { product: product.name, policy: policy.name, customer: customer.name },
      changes: [{ member: "status", before: "active", after: "suspended" }]
    })
    const found = await service.data("GET", `/api/v1/activities/${activity.id}`)
    const { is_erased, license: whole, resource, ...same } = found
    assert.deepStrictEqual(same, activity)
    assert.deepInclude(resource, { id: license.id, status: "suspended", customer_id: customer.id })
    assert.isFalse(is_erased)
    assert.isUndefined(whole)
  })

  it("of a refusal names who asked, and has the license as it was", async () => {
    const { license } = await service.issue()
    await act(`licenses/${license.id}/revoke`, {})
    refused(await service.call("POST", `/api/v1/licenses/${license.id}/reinstate`), 409, "STATE_CONFLICT")
    const [denied] = await eventually("the refusal is written", async () => {
      const found = await list({ license_id: license.id, result_class: "refused" })
      return found.length > 0 && found
    })
    assert.deepInclude(denied, { action: "license.reinstated", code: "STATE_CONFLICT" })
    assert.isUndefined(denied.changes)
    const found = await service.data("GET", `/api/v1/activities/${denied.id}`)
    assert.deepInclude(found.license, { id: license.id, status: "revoked" })
    assert.isUndefined(found.resource)
  })

  it("of a policy, a feature and a custom field shows what was before", async () => {
    const { license, policy, product } = await service.issue()
    await act(`policies/${policy.id}`, { name: "Team", max_activations: 7 }, "PATCH")
    const [edited] = await list({ resource_id: policy.id, action: "policy.updated" })
    assert.deepInclude(edited.names, { resource: "Team" })
    assert.includeDeepMembers(edited.changes, [
      { member: "max_activations", before: policy.max_activations, after: 7 },
      { member: "name", before: policy.name, after: "Team" }
    ])
    const feature = await act(`products/${product.id}/features`, { name: "Render", code: "render" })
    for (const max_consumptions of [5, 9]) {
      await act(`licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions })
    }
    const [second, first] = await list({ license_id: license.id, action: "license.feature_assigned" })
    assert.includeDeepMembers(second.changes, [{ member: "max_consumptions", before: 5, after: 9 }])
    assert.includeDeepMembers(first.changes, [{ member: "max_consumptions", after: 5 }])
    const whole = (await service.data("GET", `/api/v1/activities/${second.id}`)).license
    assert.deepInclude(whole, { id: license.id, status: "active" })
  })

  it("is there and complete before its event has a place in the feed", async () => {
    const product = await act("products", { name: "One", code: randomUUID() })
    await act(`products/${product.id}`, { name: "Two" }, "PATCH")
    const [renamed] = await list({ resource_id: product.id, action: "product.updated" })
    assert.deepStrictEqual(renamed.changes, [{ member: "name", before: "One", after: "Two" }])
  })

  it("of a use is found by its ID, with its license", async () => {
    const { key, license, product } = await service.issue()
    const feature = await act(`products/${product.id}/features`, { name: "Render", code: "render" })
    await act(`licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 5 })
    await service.license("activate", key, { fingerprint: "a" })
    const use = { fingerprint: "a", feature_code: "render", amount: 2, event_id: "e" }
    assert.strictEqual((await service.license("consume", key, use)).status, 200)
    const [used] = await list({ actor_id: license.id, action: "license.usage_recorded" })
    assert.deepInclude(used, { amount: 2, resource_id: license.id })
    const found = await service.data("GET", `/api/v1/activities/${used.id}`)
    assert.deepInclude(found, { amount: 2, action: "license.usage_recorded" })
    assert.deepInclude(found.license, { id: license.id })
  })

  it("that nobody knows is not found", async () => {
    refused(await service.call("GET", "/api/v1/activities/act_06eqpx1trxz3h94vqjm3a6kz7c"), 404, "NOT_FOUND")
  })
})

describe("what is personal in activities", () => {
  it("is gone with the customer, also from what changed, while the log stays verifiable", async () => {
    const { customer, license } = await issueTo("Grace Hopper")
    const { customer: heir } = await issueTo("Bo Heir")
    await act(`customers/${customer.id}`, { name: "Grace B. Hopper" }, "PATCH")
    await act(`licenses/${license.id}/transfer`, { customer_id: heir.id, reason: "Grace retires" })
    const text = async () =>
      JSON.stringify(await list({ customer_id: customer.id })) +
      JSON.stringify(await list({ license_id: license.id })) + JSON.stringify(await list({ resource_id: customer.id }))
    assert.include(await text(), "Grace B. Hopper")
    await act(`customers/${customer.id}/erase`, {})
    assert.notInclude(await text(), "Hopper")
    const [renamed] = await list({ resource_id: customer.id, action: "customer.updated" })
    assert.deepStrictEqual(renamed.changes, [])
    assert.isTrue((await service.data("GET", `/api/v1/activities/${renamed.id}`)).is_erased)
  })

  it("is shown to callers with customer:read alone", async () => {
    const { customer, license } = await issueTo("Mary Jackson")
    const key = async (scopes: ReadonlyArray<string>): Promise<string> =>
      (await act("api-keys", { name: "Metrics", scopes })).token
    const reader = await key(["report:read"])
    const seen = await list({ license_id: license.id }, reader)
    assert.isNotEmpty(seen)
    assert.notInclude(JSON.stringify(seen), customer.name)
    const [activity] = seen
    const one = await service.call("GET", `/api/v1/activities/${activity.id}`, { token: reader })
    assert.notInclude(one.text, customer.name)
    const both = await list({ license_id: license.id }, await key(["report:read", "customer:read"]))
    assert.include(JSON.stringify(both), customer.name)
  })

  it("of people, keys and endpoints is shown to callers alone that may read those, or the feed", async () => {
    const key = async (scopes: ReadonlyArray<string>): Promise<string> =>
      (await act("api-keys", { name: "Reader", scopes })).token
    const person = await act("people", { name: "Rose", email: "rose@acme.example", roles: ["support"] })
    await act(`people/${person.id}`, { email: "rosa@acme.example" }, "PATCH")
    const { webhook } = await act("webhooks", { name: "Hook", url: "http://127.0.0.1:9/hook" })
    await act(`webhooks/${webhook.id}`, { name: "Hooked" }, "PATCH")
    const [changed] = await list({ resource_id: person.id, action: "person.updated" })
    assert.includeDeepMembers(changed.changes, [
      { member: "email", before: "rose@acme.example", after: "rosa@acme.example" }
    ])
    const support = await key(["report:read", "license:read", "customer:read"])
    const rows = [
      ["person.created", person.id, "people:read"],
      ["person.updated", person.id, "people:read"],
      ["webhook.updated", webhook.id, "webhook:write"],
      ["api_key.created", undefined, "admin"]
    ] as const
    for (const [action, resource_id, scope] of rows) {
      const filter = { action, ...(resource_id === undefined ? {} : { resource_id }) }
      const [seen] = await list(filter, support)
      assert.deepInclude(seen, { withheld: scope }, action)
      assert.notProperty(seen, "changes")
      const one = await service.call("GET", `/api/v1/activities/${seen.id}`, { token: support })
      assert.notProperty(one.body.data, "resource", action)
      assert.notInclude(one.text, "acme.example")
      for (const allowed of scope === "admin" ? ["event:read"] : [scope, "event:read"]) {
        const token = await key(["report:read", allowed])
        const whole = (await service.call("GET", `/api/v1/activities/${seen.id}`, { token })).body.data
        assert.property(whole, "resource", `${action} ${allowed}`)
        assert.notProperty(whole, "withheld")
      }
    }
  })

  it("is not in a list that asks for neither names nor changes", async () => {
    const { customer, license } = await issueTo("Dorothy Vaughan")
    const { text } = await service.call("GET", `/api/v1/activities?license_id=${license.id}`)
    assert.notInclude(text, customer.name)
    assert.notInclude(text, "changes")
  })
})

describe("a key that is limited to products", () => {
  it("sees no activity of another product, in a list or by its ID", async () => {
    const [mine, other] = [await service.issue(), await service.issue()]
    const made = await act("api-keys", { name: "Mine", scopes: ["report:read"], product_ids: [mine.product.id] })
    const seen = await list({ resource_type: "policy" }, made.token)
    assert.isNotEmpty(seen)
    assert.isTrue(seen.every(({ product_id }) => product_id === mine.product.id))
    assert.deepStrictEqual(await list({ resource_id: other.license.id }, made.token), [])
    const [activity] = await list({ resource_id: other.license.id })
    refused(await service.call("GET", `/api/v1/activities/${activity.id}`, { token: made.token }), 404, "NOT_FOUND")
  })
})
