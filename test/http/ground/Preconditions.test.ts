// Two people who edit the same resource: the second one learns that it was changed, by the tag of what was read.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { operations } from "../../../src/api/composition/docs/Operations.ts"
import type { Answer, Issued } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
let issued: Issued

/** A new resource, and two changes of it that can be told apart. */
interface Made {
  readonly path: string
  readonly changes: readonly [Body, Body]
}

const create = async (path: string, body: Body): Promise<Body> => {
  const answer = await service.call("POST", path, { body })
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.body.data
}

const code = () => `c-${randomUUID()}`
const names = [{ name: "First" }, { name: "Second" }] as const
const notes = [{ metadata: { note: "first" } }, { metadata: { note: "second" } }] as const

/** What each PATCH changes, by its operation. */
const makers: Readonly<Record<string, () => Promise<Made>>> = {
  updateProduct: async () => {
    const { id } = await create("/api/v1/products", { code: code(), name: "Scope" })
    return { path: `/api/v1/products/${id}`, changes: names }
  },
  updateProductVersion: async () => {
    const path = `/api/v1/products/${issued.product.id}/versions`
    const { id } = await create(path, { version: `1.${randomUUID()}` })
    return { path: `${path}/${id}`, changes: notes }
  },
  updateFeature: async () => {
    const { id } = await create(`/api/v1/products/${issued.product.id}/features`, { code: code(), name: "Pages" })
    return { path: `/api/v1/features/${id}`, changes: names }
  },
  updatePolicy: async () => {
    const { id } = await create(`/api/v1/products/${issued.product.id}/policies`, {
      code: code(),
      name: "Standard",
      license_type: "subscription"
    })
    return { path: `/api/v1/policies/${id}`, changes: names }
  },
  updateProductCustomFieldDefinition: async () => {
    const path = `/api/v1/products/${issued.product.id}/custom-fields`
    const { id } = await create(path, { code: code(), name: "Team", resource_type: "license", value_type: "string" })
    return { path: `${path}/${id}`, changes: names }
  },
  updateSettings: () =>
    Promise.resolve({
      path: "/api/v1/settings",
      changes: [{ brand_name: `First ${randomUUID()}` }, { brand_name: `Second ${randomUUID()}` }]
    }),
  updateCustomer: async () => {
    const { id } = await create("/api/v1/customers", { code: code(), name: "Acme" })
    return { path: `/api/v1/customers/${id}`, changes: names }
  },
  updateOrder: async () => {
    const { id } = await create(`/api/v1/products/${issued.product.id}/orders`, {
      external_system: "shop",
      external_id: randomUUID(),
      status: "pending"
    })
    return { path: `/api/v1/orders/${id}`, changes: notes }
  },
  updateSubscription: async () => {
    const { id } = await create(`/api/v1/products/${issued.product.id}/subscriptions`, {
      external_system: "shop",
      external_id: randomUUID(),
      status: "active",
      current_period_start: "2026-11-01T00:00:00Z",
      current_period_end: "2026-12-01T00:00:00Z"
    })
    return { path: `/api/v1/subscriptions/${id}`, changes: notes }
  },
  updateLicense: async () => {
    const { license } = await service.issue()
    return { path: `/api/v1/licenses/${license.id}`, changes: notes }
  },
  updateBillingConnection: async () => {
    const { id } = await create("/api/v1/billing/connections", { provider: "stripe", name: "Stripe" })
    return { path: `/api/v1/billing/connections/${id}`, changes: names }
  },
  updatePerson: async () => {
    const { id } = await create("/api/v1/people", { name: "Ada" })
    return { path: `/api/v1/people/${id}`, changes: names }
  },
  updateRole: async () => {
    const { id } = await create("/api/v1/roles", { name: code(), scopes: ["license:read"] })
    return { path: `/api/v1/roles/${id}`, changes: [{ name: code() }, { name: code() }] }
  },
  updateWebhookEndpoint: async () => {
    const { webhook } = await create("/api/v1/webhooks", {
      name: "Billing",
      url: "https://hooks.example.com/billing",
      event_types: ["license.created"],
      is_active: false
    })
    return { path: `/api/v1/webhooks/${webhook.id}`, changes: names }
  }
}

beforeAll(async () => {
  issued = await service.issue()
})

const tagOf = ({ headers, text }: Answer): string => {
  assert.match(String(headers.etag), /^"[0-9a-f]{32}"$/, text)
  return String(headers.etag)
}

const patch = (path: string, body: Body, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  service.call("PATCH", path, { body, headers })

/** A change of the same member, which no other caller makes. */
const another = (first: Body, index: number): Body => {
  const text = ["name", "brand_name"].find((member) => member in first)
  return text === undefined ? { metadata: { index } } : { [text]: `Name ${index}` }
}

const changes = operations.filter(({ method }) => method === "PATCH")

it("every PATCH is tried here", () => {
  assert.sameMembers(changes.map(({ operationId }) => operationId), Object.keys(makers))
})

describe.each(changes)("$operationId", ({ operationId, path: pattern }) => {
  const make = makers[operationId]!

  it("tells the tag of what is read, and takes it once", async () => {
    const { changes: [first, second], path } = await make()
    const read = await service.call("GET", path)
    const before = tagOf(read)
    const done = await patch(path, first, { "if-match": before })
    assert.strictEqual(done.status, 200, done.text)
    const after = tagOf(done)
    assert.notStrictEqual(after, before)
    const late = await patch(path, second, { "if-match": before })
    assert.include(refused(late, 412, "PRECONDITION_FAILED").detail, after)
    const left = await service.call("GET", path)
    assert.strictEqual(tagOf(left), after)
    assert.deepInclude(left.body.data, first)
    // Several tags may be named, and the weak form is none.
    refused(await patch(path, second, { "if-match": `W/${after}` }), 412, "PRECONDITION_FAILED")
    assert.strictEqual((await patch(path, second, { "if-match": `"other", ${after}` })).status, 200)
    assert.strictEqual((await patch(path, first, { "if-match": "*" })).status, 200)
  })

  it("of callers at once who name one tag, one is let in", async () => {
    const { changes: [first], path } = await make()
    const before = tagOf(await service.call("GET", path))
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        (_, index) => patch(path, another(first, index), { "if-match": before })
      )
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [200, ...Array.from({ length: 7 }, () => 412)])
    const winner = answers.find(({ status }) => status === 200)!
    assert.strictEqual(tagOf(await service.call("GET", path)), tagOf(winner))
  })

  it("repeats its answer with the tag, whatever was changed meanwhile", async () => {
    const { changes: [first, second], path } = await make()
    const before = tagOf(await service.call("GET", path))
    const headers = { "if-match": before, "idempotency-key": randomUUID() }
    const done = await patch(path, first, headers)
    assert.strictEqual(done.status, 200, done.text)
    assert.strictEqual((await patch(path, second)).status, 200)
    const again = await patch(path, first, headers)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual(again.text, done.text)
    assert.strictEqual(tagOf(again), tagOf(done))
    // The same key for the change of another state is another request.
    refused(await patch(path, first, { ...headers, "if-match": "*" }), 409, "IDEMPOTENCY_CONFLICT")
  })

  it("a refused change leaves its Idempotency-Key free", async () => {
    const { changes: [first], path } = await make()
    const headers = { "if-match": "\"none\"", "idempotency-key": randomUUID() }
    refused(await patch(path, first, headers), 412, "PRECONDITION_FAILED")
    const fresh = tagOf(await service.call("GET", path))
    assert.strictEqual((await patch(path, first, { ...headers, "if-match": fresh })).status, 200)
  })

  it("refuses a header that it cannot read, and what is not there is not found", async () => {
    const { changes: [first], path } = await make()
    const { fields } = refused(await patch(path, first, { "if-match": "5" }), 400, "INVALID_HEADER")
    assert.deepStrictEqual(fields.map(({ path }: Body) => path), ["If-Match"])
    // The settings are always there.
    if (!pattern.includes(":")) return
    const nowhere = path.replace(/[^/]+$/, "none")
    refused(await patch(nowhere, first, { "if-match": "*" }), 404, "NOT_FOUND")
  })

  it("a deletion takes the tag, where there is one", async () => {
    const isThere = operations.some(({ method, path }) => method === "DELETE" && path === pattern)
    const { changes: [first], path } = await make()
    const before = tagOf(await service.call("GET", path))
    assert.strictEqual((await patch(path, first)).status, 200)
    const gone = () => service.call("DELETE", path, { headers: { "if-match": before } })
    if (!isThere) return refused(await gone(), 405, "METHOD_NOT_ALLOWED")
    refused(await gone(), 412, "PRECONDITION_FAILED")
    const fresh = tagOf(await service.call("GET", path))
    assert.strictEqual((await service.call("DELETE", path, { headers: { "if-match": fresh } })).status, 204)
  })
})

it("every GET of what can be changed declares the tag", () => {
  const declared = operations.filter(({ declaration }) => declaration.conditional === "resource")
  for (const { path } of changes) {
    for (const method of ["GET", "PATCH"]) {
      assert.isTrue(declared.some((operation) => operation.path === path && operation.method === method), path)
    }
  }
})

it("the tag of a license stands for what management sets, not for what apps and the clock change", async () => {
  const { key, license } = await service.issue({ policy: { license_type: "consumption" } })
  const path = `/api/v1/licenses/${license.id}`
  const before = tagOf(await service.call("GET", path))
  const fingerprint = randomUUID()
  for (
    const [action, body] of [
      ["activate", { fingerprint }],
      ["validate", { fingerprint }],
      ["deactivate", { fingerprint }]
    ] as const
  ) {
    assert.strictEqual((await service.license(action, key, body)).status, 200, action)
    assert.strictEqual(tagOf(await service.call("GET", path)), before, action)
  }
  assert.strictEqual(tagOf(await service.call("GET", `${path}?include_terms=true`)), before)
  assert.strictEqual((await service.call("POST", `${path}/suspend`)).status, 200)
  assert.notStrictEqual(tagOf(await service.call("GET", path)), before)
  assert.strictEqual((await service.call("POST", `${path}/reinstate`)).status, 200)
  assert.strictEqual(tagOf(await service.call("GET", path)), before)
})

it("what does not take the header refuses it, so that nobody relies on it in vain", async () => {
  const headers = { "if-match": "*" }
  const others = operations.filter(({ declaration, method }) =>
    method !== "GET" && declaration.conditional !== "resource" && declaration.scope !== "none" &&
    declaration.scope !== "publishable"
  )
  assert.isAbove(others.length, 50)
  for (const { declaration, method, path } of others) {
    const answer = await service.call(method, path.replace(/:\w+/g, "none"), {
      headers,
      body: {},
      ...(declaration.scope === "license" ? { licenseKey: issued.key } : {})
    })
    const { fields } = refused(answer, 400, "INVALID_HEADER")
    assert.deepStrictEqual(fields.map(({ path }: Body) => path), ["If-Match"], path)
  }
  // What is well-formed goes a shorter way, which must not miss it either.
  const fingerprint = randomUUID()
  assert.strictEqual((await service.license("activate", issued.key, { fingerprint })).status, 200)
  const validate = { licenseKey: issued.key, body: { fingerprint }, headers }
  refused(await service.call("POST", "/api/v1/license/validate", validate), 400, "INVALID_HEADER")
})
