import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../fixtures/Service.ts"
import { adminToken, refused, startService } from "../fixtures/Service.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService()
  issued = await service.issue()
})

const policies = () => `/api/v1/products/${issued.license.product_id}/policies`

/** What each refusal must say: what is wrong, what is allowed, what to do. */
describe("a body that is refused", () => {
  it.each([
    { body: { license_type: "perpetul" }, path: "license_type", says: /one of perpetual, .*Did you mean perpetual\?/ },
    { body: { codes: "a" }, path: "codes", says: /Did you mean code\? Allowed: name, code, license_type/ },
    { body: { grace_period_days: -1 }, path: "grace_period_days", says: /whole number from 0 to 36500/ },
    { body: { allow_vm: "yes" }, path: "allow_vm", says: /true or false, not a string/ },
    { body: { name: "" }, path: "name", says: /1 to 255 characters/ },
    { body: { metadata: [] }, path: "metadata", says: /must be a JSON object, not an array/ }
  ])("names what is allowed for $path", async ({ body, path, says }) => {
    const answer = await service.call("POST", policies(), { body: { name: "a", code: randomUUID(), ...body } })
    const { fields, message } = answer.body.error
    const found = fields.find((field: { path: string }) => field.path === path)
    assert.match(found.message, says)
    assert.isTrue(fields[0].path !== path || message.includes(path), message)
  })

  it("asks for an object when it is none", async () => {
    for (const body of [[], "a", 1, null]) {
      const error = refused(await service.call("POST", "/api/v1/products", { body }), 422, "VALIDATION_ERROR")
      assert.include(error.message, "Send a JSON object with at least name, code")
    }
  })
})

describe("a query that is refused", () => {
  it("names the parameter that is likely meant", async () => {
    for (const [sent, meant] of [["page=2", "cursor"], ["limt=2", "limit"]] as const) {
      const error = refused(await service.call("GET", `/api/v1/products?${sent}`), 400, "INVALID_QUERY")
      assert.include(error.message, `Did you mean ${meant}?`)
    }
  })
})

describe("a path that no operation takes", () => {
  it("names the nearest one, or the methods", async () => {
    const missing = refused(await service.call("GET", "/api/v1/product"), 404, "ROUTE_NOT_FOUND")
    assert.include(missing.message, "Did you mean /api/v1/products?")
    const far = refused(await service.call("GET", "/somewhere/else/entirely"), 404, "ROUTE_NOT_FOUND")
    assert.include(far.message, "/openapi.yaml")
    const answer = await service.call("PUT", "/api/v1/products")
    assert.include(refused(answer, 405, "METHOD_NOT_ALLOWED").message, String(answer.headers["allow"]))
  })
})

describe("a credential that is refused", () => {
  const token = "csk_00000000000000000000000000000000000000000000000000000"
  it.each([
    { sent: undefined, bearer: /No credential was sent/, license: /No credential was sent/ },
    { sent: "Basic YTpi", bearer: /not have the scheme Bearer/, license: /not have the scheme License/ },
    { sent: "Bearer CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X", bearer: /a license key was sent/, license: /scheme License/ },
    { sent: `License ${token}`, bearer: /scheme Bearer/, license: /a management key was sent/ },
    { sent: `Bearer ${token}`, bearer: /mistyped/, license: /a management key was sent/ },
    { sent: "Bearer nonsense", bearer: /No management key has this token/, license: /scheme License/ },
    { sent: "License CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2Z", bearer: /a license key was sent/, license: /mistyped/ }
  ])("says what is wrong with $sent", async ({ bearer, license, sent }) => {
    const headers = sent === undefined ? {} : { authorization: sent }
    const send = (method: string, path: string, body?: object) =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).then((answer) => answer.json() as Promise<{ readonly error: { readonly message: string } }>)
    assert.match((await send("GET", "/api/v1/products")).error.message, bearer)
    assert.match((await send("POST", "/api/v1/license/check", { fingerprint: "a" })).error.message, license)
  })
})

describe("JSON that is none", () => {
  it.each([
    { text: "{\"name\": \"a\",\n  \"code\": sesame}", place: "line 2, column 11" },
    { text: "{\"name\": \"sesame\"", place: "line 1, column 18" },
    { text: "{\"name\": \"sesame\",}", place: "line 1, column 19" }
  ])("says where, and not what: $place", async ({ place, text }) => {
    const answer = await fetch(`${service.url}/api/v1/products`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: text
    })
    const { error } = await answer.json() as { readonly error: { readonly code: string; readonly message: string } }
    assert.strictEqual(error.code, "INVALID_JSON")
    assert.include(error.message, place)
    assert.notInclude(error.message, "sesame")
  })
})

describe("what is accepted and likely a mistake", () => {
  it("is warned of: an expiry in the past, and a filter by a kind that there is not", async () => {
    const { policy_id, product_id } = issued.license
    const body = { product_id, policy_id, expires_at: "2020-01-01T00:00:00Z" }
    const past = await service.call("POST", "/api/v1/licenses", { body })
    assert.strictEqual(past.status, 201)
    const [late] = past.body.meta.warnings
    assert.deepInclude(late, { code: "EXPIRES_IN_THE_PAST", field: "expires_at" })
    assert.include(late.message, "2020-01-01T00:00:00.000Z")
    const sound = await service.call("POST", "/api/v1/licenses", {
      body: { ...body, expires_at: "2999-01-01T00:00:00Z" }
    })
    assert.notProperty(sound.body.meta, "warnings")

    const typo = await service.call("GET", "/api/v1/events?event_type=license.actived")
    assert.deepStrictEqual(typo.body.data, [])
    assert.include(typo.body.meta.warnings[0].message, "Did you mean license.activated?")
    assert.notProperty((await service.call("GET", "/api/v1/events?event_type=license.created")).body.meta, "warnings")
  })
})
