import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { conforms } from "../../fixtures/contract.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
})

const metadata = { plan: "pro", seats: 3, nested: { list: [1, "two", null, true] }, "ключ": "значение" }

/** The plain resources: where they live, what a create needs, and what can be changed. */
const resources = [
  {
    name: "Product",
    family: "product",
    prefix: "prod",
    list: () => "/api/v1/products",
    one: "/api/v1/products",
    create: () => ({ name: "Acme Studio", code: randomUUID() }),
    change: { name: "Acme Studio 2" },
    more: [] as ReadonlyArray<string>
  },
  {
    name: "Policy",
    family: "policy",
    prefix: "pol",
    list: () => `/api/v1/products/${issued.product.id}/policies`,
    one: "/api/v1/policies",
    create: () => ({ name: "Annual", code: randomUUID(), license_type: "subscription" }),
    change: { name: "Annual, 5 devices", max_activations: 5 },
    more: []
  },
  {
    name: "Feature",
    family: "feature",
    prefix: "feat",
    list: () => `/api/v1/products/${issued.product.id}/features`,
    one: "/api/v1/features",
    create: () => ({ name: "PDF export", code: randomUUID() }),
    change: { name: "Export to PDF" },
    more: ["updated_at"]
  },
  {
    name: "Customer",
    family: "customer",
    prefix: "cus",
    list: () => "/api/v1/customers",
    one: "/api/v1/customers",
    create: () => ({ name: "Beispiel GmbH", code: randomUUID() }),
    change: { name: "Beispiel AG", email: "it@beispiel.example" },
    more: []
  }
]

describe.each(resources)("$name", ({ change, create, family, list, more, name, one, prefix }) => {
  it("is created, read, listed, changed and deleted, each with its event", async () => {
    const body = { ...create(), metadata }
    const answer = await service.call("POST", list(), { body })
    assert.strictEqual(answer.status, 201)
    assert.sameMembers(Object.keys(answer.body), ["data", "meta"])
    const created = answer.body.data
    conforms(name, created, more)
    assert.match(created.id, new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    assert.deepInclude(created, body)
    assert.strictEqual(created.created_at, created.updated_at)

    const path = `${one}/${created.id}`
    assert.deepStrictEqual(await service.data("GET", path), created)
    const page = (await service.call("GET", list())).body
    assert.sameMembers(Object.keys(page), ["data", "page_info", "meta"])
    assert.deepStrictEqual(page.data[0], created)
    conforms(name, page.data.at(-1), more)

    const changed = await service.data("PATCH", path, change)
    conforms(name, changed, more)
    assert.deepStrictEqual(changed, { ...created, ...change, updated_at: changed.updated_at })
    assert.isTrue(changed.updated_at > created.updated_at)
    const emptied = await service.data("PATCH", path, { metadata: {} })
    assert.deepStrictEqual(emptied.metadata, {})
    assert.deepStrictEqual(await service.data("GET", path), emptied)

    const deleted = await service.call("DELETE", path)
    assert.strictEqual(deleted.status, 204)
    refused(await service.call("GET", path), 404, "NOT_FOUND")
    refused(await service.call("DELETE", path), 404, "NOT_FOUND")
    refused(await service.call("PATCH", path, { body: change }), 404, "NOT_FOUND")
    const after = (await service.call("GET", list())).body.data
    assert.notInclude(after.map(({ id }: Body) => id), created.id)

    const events = await service.feed(`&resource_id=${created.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      `${family}.created`,
      `${family}.updated`,
      `${family}.updated`,
      `${family}.deleted`
    ])
    assert.deepStrictEqual(events.map(({ data }) => data), [created, changed, emptied, emptied])
    for (const event of events) {
      conforms("Event", event, ["id", "data", "request_id", "commitments", "salts", "previous_hash", "hash"])
      assert.deepInclude(event, { actor_type: "api_key", actor_id: "bootstrap", resource_type: family })
    }
  })

  it("takes a member that is left out as it was, and metadata as a whole", async () => {
    const created = await service.data("POST", list(), { ...create(), metadata: { a: 1, b: 2 } })
    const changed = await service.data("PATCH", `${one}/${created.id}`, { metadata: { b: 3 } })
    assert.deepStrictEqual(changed, { ...created, metadata: { b: 3 }, updated_at: changed.updated_at })
    const same = await service.data("PATCH", `${one}/${created.id}`, {})
    assert.deepStrictEqual(same, { ...changed, updated_at: same.updated_at })
  })

  it("keeps its code unique, and lets it be taken again once it is deleted", async () => {
    const body = create()
    const first = await service.data("POST", list(), body)
    refused(await service.call("POST", list(), { body }), 409, "CONFLICT")
    const second = await service.data("POST", list(), create())
    refused(await service.call("PATCH", `${one}/${second.id}`, { body: { code: body.code } }), 409, "CONFLICT")
    await service.data("DELETE", `${one}/${first.id}`)
    assert.strictEqual((await service.data("PATCH", `${one}/${second.id}`, { code: body.code })).code, body.code)
  })

  it("of one code that is created 10 times at once is made once", async () => {
    const body = create()
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call("POST", list(), { body })))
    assert.lengthOf(answers.filter(({ status }) => status === 201), 1)
    for (const answer of answers) if (answer.status !== 201) refused(answer, 409, "CONFLICT")
  })

  it("has no member that another resource has", async () => {
    for (const member of ["id", "created_at", "colour"]) {
      refused(await service.call("POST", list(), { body: { ...create(), [member]: "x" } }), 400, "UNKNOWN_FIELD")
    }
  })
})

describe("what belongs to a product", () => {
  it.each(["policies", "features"])("%s: 404 for a product that is not there", async (kind) => {
    refused(await service.call("GET", `/api/v1/products/prod_none/${kind}`), 404, "NOT_FOUND")
    const body = kind === "policies" ? { name: "p", code: "p", license_type: "trial" } : { name: "f", code: "f" }
    refused(await service.call("POST", `/api/v1/products/prod_none/${kind}`, { body }), 404, "NOT_FOUND")
  })

  it.each(["policies", "features"])("%s: the same code under another product", async (kind) => {
    const other = await service.issue()
    const body = { name: "x", code: randomUUID(), ...(kind === "policies" ? { license_type: "trial" } : {}) }
    for (const { id } of [issued.product, other.product]) {
      const created = await service.data("POST", `/api/v1/products/${id}/${kind}`, body)
      assert.strictEqual(created.product_id, id)
    }
  })

  it("keeps it from being deleted, until it is gone", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "p", code: randomUUID() })
    const path = `/api/v1/products/${product.id}`
    const feature = await service.data("POST", `${path}/features`, { name: "f", code: "f" })
    const error = refused(await service.call("DELETE", path), 409, "IN_USE")
    assert.strictEqual(error.detail, "Referenced by features.")
    await service.data("DELETE", `/api/v1/features/${feature.id}`)
    await service.data("DELETE", path)
  })

  it("a delete that races a create leaves no orphan and no 500", async () => {
    for (let round = 0; round < 6; round++) {
      const product = await service.data("POST", "/api/v1/products", { name: "p", code: randomUUID() })
      const path = `/api/v1/products/${product.id}`
      const [deleted, created] = await Promise.all([
        service.call("DELETE", path),
        service.call("POST", `${path}/features`, { body: { name: "f", code: "f" } })
      ])
      if (deleted.status === 204) refused(created, 404, "NOT_FOUND")
      else {
        refused(deleted, 409, "IN_USE")
        assert.strictEqual(created.status, 201)
      }
    }
  })
})

describe("policies", () => {
  const path = () => `/api/v1/products/${issued.product.id}/policies`
  const defaults = {
    max_activations: 1,
    floating_timeout_minutes: 10,
    grace_period_days: 0,
    validation_interval_minutes: 1440,
    require_heartbeat: false,
    allow_offline_activation: true,
    offline_grace_days: 30,
    allow_vm: true,
    allow_container: true,
    max_transfers: 3
  }
  const everything = {
    name: "All",
    license_type: "perpetual",
    max_activations: 7,
    max_floating_users: 8,
    max_container_instances: 9,
    floating_timeout_minutes: 11,
    grace_period_days: 12,
    validation_interval_minutes: 13,
    require_heartbeat: true,
    allow_offline_activation: false,
    offline_grace_days: 14,
    allow_vm: false,
    allow_container: false,
    max_transfers: 15,
    metadata: { all: true }
  }

  it("have the documented defaults; optional limits are left out", async () => {
    const policy = await service.data("POST", path(), { name: "p", code: randomUUID(), license_type: "trial" })
    assert.deepInclude(policy, { ...defaults, metadata: {} })
    assert.doesNotHaveAnyKeys(policy, ["max_floating_users", "max_container_instances"])
  })

  it("take every member at creation and by a change, and null clears the optional ones", async () => {
    const created = await service.data("POST", path(), { code: randomUUID(), ...everything })
    assert.deepInclude(created, everything)
    const plain = await service.data("POST", path(), { name: "p", code: randomUUID(), license_type: "trial" })
    const changed = await service.data("PATCH", `/api/v1/policies/${plain.id}`, everything)
    assert.deepInclude(changed, everything)
    const cleared = await service.data("PATCH", `/api/v1/policies/${plain.id}`, {
      max_floating_users: null,
      max_container_instances: null
    })
    assert.doesNotHaveAnyKeys(cleared, ["max_floating_users", "max_container_instances"])
    const zero = await service.data("PATCH", `/api/v1/policies/${plain.id}`, { max_floating_users: 0 })
    assert.strictEqual(zero.max_floating_users, 0)
  })

  it("are of one of the five types", async () => {
    for (const license_type of ["perpetual", "time_limited", "subscription", "trial", "consumption"]) {
      await service.data("POST", path(), { name: "p", code: randomUUID(), license_type })
    }
    const body = { name: "p", code: randomUUID(), license_type: "rental" }
    refused(await service.call("POST", path(), { body }), 422, "VALIDATION_ERROR")
  })

  it.each([
    { max_activations: -1 },
    { max_activations: 1.5 },
    { max_activations: 2 ** 31 },
    { max_activations: null },
    { floating_timeout_minutes: 0 },
    { validation_interval_minutes: 0 },
    { grace_period_days: 36_501 },
    { max_floating_users: -1 },
    { allow_vm: "yes" },
    { license_type: null }
  ])("refuse %o", async (body) => {
    const error = refused(
      await service.call("PATCH", `/api/v1/policies/${issued.policy.id}`, { body }),
      422,
      "VALIDATION_ERROR"
    )
    assert.deepStrictEqual([...new Set(error.fields.map((field: Body) => field.path))], Object.keys(body))
  })
})

describe("customers", () => {
  it("an empty email clears it", async () => {
    const body = { name: "c", code: randomUUID(), email: "a@b.example" }
    const customer = await service.data("POST", "/api/v1/customers", body)
    assert.strictEqual(customer.email, body.email)
    const cleared = await service.data("PATCH", `/api/v1/customers/${customer.id}`, { email: "" })
    assert.notProperty(cleared, "email")
    refused(await service.call("POST", "/api/v1/customers", { body: { ...body, email: "" } }), 422, "VALIDATION_ERROR")
  })

  it("are kept while a license belongs to them", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "c", code: randomUUID() })
    await service.issue({ license: { customer_id: customer.id } })
    const error = refused(await service.call("DELETE", `/api/v1/customers/${customer.id}`), 409, "IN_USE")
    assert.match(error.detail, /licenses/)
  })
})

describe("archived features", () => {
  it("are given to no further license, and stay where they are", async () => {
    const { key, license, product: mine } = await service.issue()
    const features = `/api/v1/products/${mine.id}/features`
    const feature = await service.data("POST", features, { name: "Export", code: "export" })
    assert.notProperty(feature, "archived_at")
    const assignments = `/api/v1/licenses/${license.id}/features`
    await service.data("POST", assignments, { feature_id: feature.id, max_consumptions: 5 })

    const archived = await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true })
    assert.isString(archived.archived_at)
    const again = await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true, name: "Export 2" })
    assert.strictEqual(again.archived_at, archived.archived_at)
    assert.deepInclude(await service.data("GET", `/api/v1/features/${feature.id}`), { name: "Export 2" })

    const policy = await service.data("POST", `/api/v1/products/${mine.id}/policies`, {
      name: "Trial",
      code: "trial",
      license_type: "trial"
    })
    const further = await service.data("POST", "/api/v1/licenses", { product_id: mine.id, policy_id: policy.id })
    const path = `/api/v1/licenses/${further.license.id}/features`
    refused(await service.call("POST", path, { body: { feature_id: feature.id } }), 409, "STATE_CONFLICT")
    assert.deepStrictEqual(await service.data("GET", path), [])

    // Who has it keeps it: it serves, and how it is had may change.
    const kept = await service.data("POST", assignments, { feature_id: feature.id, max_consumptions: 9 })
    assert.strictEqual(kept.max_consumptions, 9)
    const activated = await service.license("activate", key, { fingerprint: "f" })
    assert.deepInclude(activated.body.data.features, {
      code: "export",
      enabled: true,
      quota: 9,
      consumed: 0,
      remaining: 9
    })

    await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: false })
    assert.notProperty(await service.data("GET", `/api/v1/features/${feature.id}`), "archived_at")
    assert.strictEqual((await service.call("POST", path, { body: { feature_id: feature.id } })).status, 200)
  })

  it("are listed by a filter that belongs to the cursor", async () => {
    const mine = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
    const path = `/api/v1/products/${mine.id}/features`
    const codes = async (query: string): Promise<ReadonlyArray<string>> =>
      (await service.data("GET", `${path}${query}`)).map(({ code }: Body) => code)
    for (const code of ["a", "b", "c", "d"]) {
      const feature = await service.data("POST", path, { name: code, code })
      if (code === "b" || code === "d") {
        await service.data("PATCH", `/api/v1/features/${feature.id}`, { is_archived: true })
      }
    }
    assert.deepStrictEqual(await codes(""), ["d", "c", "b", "a"])
    assert.deepStrictEqual(await codes("?is_archived=true"), ["d", "b"])
    assert.deepStrictEqual(await codes("?is_archived=false"), ["c", "a"])
    const { body } = await service.call("GET", `${path}?is_archived=true&limit=1`)
    const cursor = body.page_info.next_cursor
    assert.deepStrictEqual(await codes(`?is_archived=true&cursor=${cursor}`), ["b"])
    for (const query of ["is_archived=false&", ""]) {
      refused(await service.call("GET", `${path}?${query}cursor=${cursor}`), 400, "INVALID_CURSOR")
    }
    refused(await service.call("GET", `${path}?is_archived=maybe`), 400, "INVALID_QUERY")
  })
})

describe("what belongs to products and policies", () => {
  it("is counted where it is asked for, in the list and of one, and licenses only for who may see them", async () => {
    const { key, policy, product } = await service.issue()
    await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id })
    assert.strictEqual((await service.license("activate", key, { fingerprint: "counted" })).status, 200)
    for (const version of ["1.0.0", "2.0.0"]) {
      await service.data("POST", `/api/v1/products/${product.id}/versions`, { version })
    }
    const counts = {
      policies: 1,
      licenses: { count: 2, has_more: false },
      licenses_in_use: { count: 1, has_more: false },
      newest_version: "2.0.0"
    }
    const [listed] = await service.data("GET", "/api/v1/products?limit=1&include_counts=true")
    assert.deepStrictEqual(listed.counts, counts)
    const ofOne = `/api/v1/products?product_id=${product.id}&include_counts=true`
    assert.deepStrictEqual((await service.data("GET", ofOne)).map((found: Body) => [found.id, found.counts]), [
      [product.id, counts]
    ])
    const policies = `/api/v1/products/${product.id}/policies`
    const ofPolicy = { licenses: { count: 2, has_more: false } }
    assert.deepStrictEqual((await service.data("GET", `${policies}?include_counts=true`))[0].counts, ofPolicy)
    for (const path of ["/api/v1/products?limit=1", `${policies}?limit=1`]) {
      assert.notProperty((await service.data("GET", path))[0], "counts")
    }
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "catalog", scopes: ["product:read"] })
    const [seen] = await service.data("GET", ofOne, undefined, { token })
    assert.deepStrictEqual(seen.counts, { policies: 1, newest_version: "2.0.0" })
    assert.notProperty(
      (await service.data("GET", `${policies}?include_counts=true`, undefined, { token }))[0],
      "counts"
    )
  })
})
