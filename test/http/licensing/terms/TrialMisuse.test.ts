// What trials may not become: the way to a license that was bought, to more than the catalog, or to rows of nothing.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Answer, Service } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Body, Session } from "../../../fixtures/Session.ts"
import { session } from "../../../fixtures/Session.ts"

let service: Service
let sql: Session

beforeAll(async () => {
  service = await startService()
  sql = await session(service.databaseUrl)
})

const created = async (path: string, body: object): Promise<Body> => service.data("POST", `/api/v1/${path}`, body)

/** A product with a policy of trials, and a publishable key. */
const offered = async (policy: object = {}) => {
  const product = await created("products", { name: "Acme Studio", code: crypto.randomUUID() })
  const trial = await created(`products/${product.id}/policies`, {
    name: "Trial",
    code: "trial",
    license_type: "trial",
    duration: "P14D",
    max_activations: 1,
    ...policy
  })
  const key = await created(`products/${product.id}/publishable-keys`, { name: "app", policy_id: trial.id })
  return { product, policy: trial, key }
}

const ask = (key: Body, body: object): Promise<Answer> =>
  service.call("POST", "/api/v1/license/trials", { token: key.key, body })

const licensesOf = async (product: Body): Promise<Array<Body>> =>
  (await service.call("GET", `/api/v1/licenses?product_id=${product.id}&limit=200`)).body.data

describe("publishable keys", () => {
  it("issue licenses, so that whoever makes one or writes its policy needs the scope of that too", async () => {
    const { policy, product } = await offered()
    const { token } = await created("api-keys", { name: "catalog", scopes: ["product:read", "product:write"] })
    const both = await created("api-keys", { name: "shop", scopes: ["product:write", "license:write"] })
    const make = (of: string) =>
      service.call("POST", `/api/v1/products/${product.id}/publishable-keys`, {
        token: of,
        body: { name: "app", policy_id: policy.id }
      })
    const write = (of: string, id: string) =>
      service.call("PATCH", `/api/v1/policies/${id}`, { token: of, body: { duration: "P1000Y" } })
    for (const denied of [await make(token), await write(token, policy.id)]) {
      assert.strictEqual(refused(denied, 403, "TOKEN_SCOPE_DENIED").detail, "license:write")
    }
    assert.strictEqual((await write(both.token, policy.id)).status, 200)
    assert.strictEqual((await make(both.token)).status, 201)
    // A policy that opens no trials is the catalog's.
    const other = await created(`products/${product.id}/policies`, { name: "P", code: "p", license_type: "trial" })
    assert.strictEqual((await write(token, other.id)).status, 200)
  })
})

describe("a trial", () => {
  it("that was bought hands nothing of it to the publishable key and the fingerprint, which are no secrets", async () => {
    const { key, product } = await offered()
    const { data } = (await ask(key, { fingerprint: "a" })).body
    const policy = (body: object) =>
      created(`products/${product.id}/policies`, { name: "P", code: crypto.randomUUID(), ...body })
    const change = async (id: string) => {
      const answer = await service.call("POST", `/api/v1/licenses/${data.license_id}/change-policy`, {
        body: { policy_id: id, expiry: "policy" },
        headers: { "idempotency-key": crypto.randomUUID() }
      })
      assert.strictEqual(answer.status, 200, answer.text)
    }
    const paid = await policy({ license_type: "time_limited", duration: "P1Y", max_activations: 1 })
    const longer = await policy({ license_type: "trial", duration: "P30D", max_activations: 1 })
    await change(longer.id)
    assert.strictEqual((await ask(key, { fingerprint: "a" })).body.data.license_key, data.license_key)
    await change(paid.id)
    const used = await ask(key, { fingerprint: "a" })
    assert.match(refused(used, 403, "TRIAL_USED").message, /was bought since. The app needs its license key/)
    assert.notInclude(used.text, data.license_key)
    // Nor a seat of it: the device gave its own to another.
    await service.license("deactivate", data.license_key, { fingerprint: "a" })
    refused(await ask(key, { fingerprint: "a" }), 403, "TRIAL_USED")
    assert.strictEqual((await service.license("activate", data.license_key, { fingerprint: "b" })).status, 200)
    // Nor by another publishable key of the product.
    const other = await created(`products/${product.id}/publishable-keys`, { name: "web", policy_id: longer.id })
    refused(await ask(other, { fingerprint: "a" }), 403, "TRIAL_USED")
    await change(longer.id)
    assert.strictEqual((await service.license("deactivate", data.license_key, { fingerprint: "b" })).status, 200)
    assert.strictEqual((await ask(key, { fingerprint: "a" })).body.data.license_key, data.license_key)
  })

  it("that is refused writes no row, not even one that is taken back", async () => {
    const { key, policy, product } = await offered({ allow_vm: false })
    const place = async (id: string) => {
      const [row] = await sql.query("SELECT ctid::text AS place FROM trials WHERE license_id = $1", [id])
      return Number(/\d+(?=\)$)/.exec(row!["place"])![0])
    }
    const opened = async (fingerprint: string) => (await ask(key, { fingerprint })).body.data.license_id
    const before = await place(await opened("before"))
    refused(await ask(key, { fingerprint: "vm", is_vm: true }), 403, "VM_NOT_ALLOWED")
    refused(await ask(key, { fingerprint: "vm", product_code: "other" }), 403, "PRODUCT_MISMATCH")
    // As a policy may be that was stored before durations had a limit.
    await sql.query("UPDATE policies SET duration = 'P9999Y' WHERE id = $1", [policy.id])
    const beyond = refused(await ask(key, { fingerprint: "vm" }), 403, "LICENSE_INACTIVE")
    assert.strictEqual(beyond.detail, "out_of_range")
    await sql.query("UPDATE policies SET duration = 'P14D' WHERE id = $1", [policy.id])
    assert.lengthOf(await licensesOf(product), 1)
    // A row that was rolled back would keep its place in the table.
    assert.strictEqual(await place(await opened("after")), before + 1)
  })
})
