// What a limited key does not learn of whom it shares with other products, and does not undo for them: names in reports
// and documents, the history of customers, bundles, and nodes of a version that knows no limit.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { isManagementToken } from "../../../src/domain/keys/security/Credential.ts"
import { tokenHashPurpose } from "../../../src/services/people/access/ManagementKeys.ts"
import { makeCustomer, makeProduct, orderBody } from "../../fixtures/Commerce.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"
import type { Answer } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { makeTeam } from "../../fixtures/Teams.ts"
import type { Team } from "../../fixtures/Teams.ts"

takeTurns()

const service = await startService()
const north = await makeTeam(service, "north")
const south = await makeTeam(service, "south")

const call = (team: Team, method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/api/v1${path}`, { token: team.token, ...(body === undefined ? {} : { body }) })

const post = (path: string, body: object): Promise<Body> => service.data("POST", `/api/v1${path}`, body)

const issue = (team: Team, more: object): Promise<Body> =>
  post("/licenses", { product_id: team.ids.product, policy_id: team.ids.policy, ...more })

/** The snapshot of a report that is frozen by this token, or by one without a limit. */
const frozen = async (body: object, team?: Team): Promise<Body> => {
  const made = team === undefined
    ? await post("/reports/exports", body)
    : (await call(team, "POST", "/reports/exports", body)).body.data
  const path = `/api/v1/reports/exports/${made.id}`
  await eventually("it is ready", async () => (await service.data("GET", path)).status === "ready")
  return JSON.parse((await service.call("GET", `${path}/snapshot`)).text)
}

describe("a document of a limited key", () => {
  const { customer, feature, key, license, order, product, subscription } = south.ids
  const filters = {
    product_id: product,
    customer_id: customer,
    license_id: license,
    order_id: order,
    subscription_id: subscription
  }
  const ledger = (more: object) => ({ report_kind: "usage-ledger", format: "pdf", filters: more })

  it("has no names of what its filters name beyond the limit", async () => {
    const { presentation } = await frozen(ledger({ ...filters, feature_code: key }), north)
    assert.deepStrictEqual(presentation.names, { [north.ids.product]: "north Studio" })
    const own = await frozen(ledger({ ...filters, customer_id: north.ids.customer }), north)
    assert.deepStrictEqual(own.presentation.names, {
      [north.ids.customer]: "north",
      [north.ids.product]: "north Studio"
    })
  })

  it("names what a member is of, and no text that is an id elsewhere", async () => {
    const { names } = (await frozen(ledger({ ...filters, feature_code: key }))).presentation
    assert.sameMembers(Object.keys(names), Object.values(filters))
    const none = await frozen(ledger({ feature_code: feature, customer_id: "cus_0000000000000000000000000z" }))
    assert.notProperty(none.presentation ?? {}, "names")
  })
})

describe("the use of a feature by a bundle of another product", () => {
  it("stands with ids, and without the names of what is beyond", async () => {
    const { ids } = north
    const { license, license_key } = await issue(north, {
      product_ids: [south.ids.product],
      customer_id: ids.customer,
      order_id: ids.order,
      subscription_id: ids.subscription
    })
    await post(`/licenses/${license.id}/features`, {
      feature_id: south.ids.feature,
      enabled: true,
      max_consumptions: 9
    })
    const app = { fingerprint: "bundle-machine", product_code: "south-studio" }
    await service.license("activate", license_key, app)
    const use = { ...app, feature_code: "south-pages", event_id: randomUUID(), amount: 2 }
    const used = await service.license("consume", license_key, use)
    assert.strictEqual(used.status, 200, used.text)
    const beyond = {
      customer_id: ids.customer,
      license_id: license.id,
      order_id: ids.order,
      subscription_id: ids.subscription
    }
    for (const [group_by, id] of Object.entries(beyond)) {
      const labels = (rows: ReadonlyArray<Body>) => rows.map(({ group, label }) => [group, label])
      const whole = labels((await service.data("GET", `/api/v1/reports/usage-summary?group_by=${group_by}`)).rows)
      assert.isString(whole.find(([group]) => group === id)![1])
      const { rows } = (await call(south, "GET", `/reports/usage-summary?group_by=${group_by}`)).body.data
      assert.include(rows.map(({ group }: Body) => group), id)
      assert.notInclude(JSON.stringify(rows), "north")
      for (const { group, label } of rows) assert.strictEqual(label === undefined || label === null, group === id)
    }
    const { presentation } = await frozen({ report_kind: "usage-ledger", format: "pdf", filters: {} }, south)
    assert.notInclude(JSON.stringify(presentation), "north")
    for (const id of Object.values(beyond)) assert.notProperty(presentation.names, id)
    assert.property(presentation.names, south.ids.customer)
  })
})

describe("a bundle of a limited key", () => {
  it("is written back as it was read, and gets no further product", async () => {
    const product_ids = [south.ids.product]
    const { license } = await issue(north, { product_ids })
    const read = (await call(north, "GET", `/licenses/${license.id}`)).body.data
    const path = `/licenses/${license.id}`
    const written = await call(north, "PATCH", path, { product_ids: read.product_ids, customer_name: "Written" })
    assert.strictEqual(written.status, 200, written.text)
    assert.deepStrictEqual(written.body.data.product_ids, product_ids)
    const third = (await makeProduct(service)).id
    invalid(await call(north, "PATCH", path, { product_ids: [...product_ids, third] }), "product_ids", "not_found")
  })
})

describe("a customer of a limited key that is not its own alone", () => {
  const shared = async (): Promise<string> => {
    const { id } = await makeCustomer(service)
    await issue(north, { customer_id: id })
    return id
  }
  const erase = (id: string, more: object = {}) => call(north, "POST", `/customers/${id}/erase`, more)

  it("is erased where nothing was ever of another product", async () => {
    const id = await shared()
    assert.strictEqual((await erase(id)).status, 200)
  })

  it("is not erased from the history of a license that has become somebody else's", async () => {
    const { id, email } = await makeCustomer(service)
    await issue(north, { customer_id: id })
    const { license } = await issue(south, { customer_id: id, customer_name: "Former Owner" })
    const { id: heir } = await makeCustomer(service)
    const moved = { customer_id: heir, customer_name: "Heir" }
    await service.data("POST", `/api/v1/licenses/${license.id}/transfer`, moved, {
      headers: { "idempotency-key": randomUUID() }
    })
    for (const more of [{}, { dry_run: true }]) {
      const error = refused(await erase(id, more), 403, "TOKEN_PRODUCT_DENIED")
      assert.notInclude(JSON.stringify(error), south.ids.product)
    }
    const [event] = await service.feed(`&resource_id=${license.id}`)
    assert.strictEqual(event.data.customer_name, "Former Owner")
    assert.strictEqual((await service.data("GET", `/api/v1/customers/${id}`)).email, email)
    await service.data("POST", `/api/v1/customers/${id}/erase`, {})
    assert.notProperty((await service.feed(`&resource_id=${license.id}`))[0].data, "customer_name")
  })

  it("is not erased from the history of an order of another product that was deleted", async () => {
    const id = await shared()
    const order = await post(
      `/products/${south.ids.product}/orders`,
      orderBody({ customer_id: id, external_id: randomUUID() })
    )
    await service.call("DELETE", `/api/v1/orders/${order.id}`, {})
    refused(await erase(id), 403, "TOKEN_PRODUCT_DENIED")
  })

  const unchanged = async (id: string): Promise<void> => {
    refused(await call(north, "PATCH", `/customers/${id}`, { name: "x" }), 403, "TOKEN_PRODUCT_DENIED")
    refused(await call(north, "DELETE", `/customers/${id}`), 403, "TOKEN_PRODUCT_DENIED")
    refused(await erase(id), 403, "TOKEN_PRODUCT_DENIED")
  }

  it("is not changed while another product has a value of it", async () => {
    const id = await shared()
    const value = { string_value: "theirs" }
    await service.data("PUT", `/api/v1/customers/${id}/custom-fields/${south.ids.customerField}`, value)
    await unchanged(id)
  })

  it("is not changed where a key of another product made it", async () => {
    const { id } = (await call(south, "POST", "/customers", { name: "Theirs", code: randomUUID() })).body.data
    await issue(north, { customer_id: id })
    await unchanged(id)
  })
})

describe("the token of a limited key", () => {
  it("is hashed so that a node of a version without limits knows no such key", async () => {
    const expires_at = "2999-01-01T00:00:00Z"
    const limited = { scopes: ["license:read"], product_ids: [north.ids.product], expires_at }
    const free = await post("/api-keys", { name: "free", scopes: ["license:read"], expires_at, product_ids: null })
    const { token } = (await call(north, "POST", "/api-keys", { ...limited, name: "limited" })).body.data
    // What that version hashes all tokens under, and without a limit it is still so.
    assert.strictEqual(tokenHashPurpose(free.token), "management-token")
    for (const one of [north.token, token]) {
      assert.isTrue(isManagementToken(one))
      assert.notStrictEqual(tokenHashPurpose(one), "management-token")
      assert.strictEqual((await service.call("GET", "/api/v1/whoami", { token: one })).status, 200)
    }
  })
})
