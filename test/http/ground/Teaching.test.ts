import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import { formatLicenseKey, formatManagementToken } from "../../../src/domain/keys/security/Credential.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { adminToken, refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService({ altered: ["api_key expires_at"] })
  issued = await service.issue()
})

const policies = () => `/api/v1/products/${issued.license.product_id}/policies`

/** What each refusal must say: what is wrong, what is allowed, what to do. */
describe("a body that is refused", () => {
  it.each([
    { body: { license_type: "perpetul" }, path: "license_type", says: /one of perpetual, .*Did you mean perpetual\?/ },
    {
      body: { codes: "a" },
      path: "codes",
      says: /Did you mean code\? Allowed: \d+ values, such as name, code, license_type/
    },
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
    for (
      const [sent, meant] of [
        ["/products", "/api/v1/products"],
        ["/v1/licenses", "/api/v1/licenses"],
        ["/api/licenses/lic_1/devices", "/api/v1/licenses/{id}/devices"],
        ["/metric", "/metrics"]
      ] as const
    ) {
      const { message } = refused(await service.call("GET", sent), 404, "ROUTE_NOT_FOUND")
      assert.include(message, `Did you mean ${meant}?`)
    }
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
    { sent: `License ${token}`, bearer: /scheme Bearer/, license: /an API key was sent/ },
    { sent: `Bearer ${token}`, bearer: /mistyped/, license: /an API key was sent/ },
    { sent: "Bearer nonsense", bearer: /No API key has this token/, license: /scheme License/ },
    { sent: "License CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2Z", bearer: /a license key was sent/, license: /mistyped/ }
  ])("says what is wrong with $sent", async ({ bearer, license, sent }) => {
    const headers = sent === undefined ? {} : { authorization: sent }
    const send = (method: string, path: string, body?: object) =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).then((answer) =>
        answer.json() as Promise<{ readonly error: { readonly message: string; readonly detail?: string } }>
      )
    const asked = [
      [(await send("GET", "/api/v1/products")).error, "Bearer", bearer],
      [(await send("POST", "/api/v1/license/check", { fingerprint: "a" })).error, "License", license]
    ] as const
    for (const [{ detail, message }, scheme, expected] of asked) {
      assert.match(message, expected)
      assert.strictEqual(detail, sent?.startsWith(`${scheme} `) === true ? undefined : "no_credential", message)
    }
  })
})

describe("a credential that is refused as such", () => {
  const products = async (token: string): Promise<Body> =>
    (await service.call("GET", "/api/v1/products", { token })).body.error
  const check = async (licenseKey: string): Promise<Body> =>
    (await service.license("check", licenseKey, { fingerprint: "a" })).body.error
  const create = (members: object = {}): Promise<Body> =>
    service.data("POST", "/api/v1/api-keys", { name: "k", expires_at: "2999-01-01T00:00:00Z", ...members })
  /** With another last character: no check character allows that. */
  const mistyped = (text: string) => `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`

  it("has expired: when, and how to get another one", async () => {
    const { api_key, token } = await create()
    const sql = await session(service.databaseUrl)
    const [row] = await sql.query("UPDATE management_keys SET expires_at = now() WHERE id = $1 RETURNING expires_at", [
      api_key.id
    ])
    const { code, message } = await products(token)
    assert.strictEqual(code, "TOKEN_EXPIRED")
    assert.include(message, row.expires_at.toISOString())
    assert.include(message, "POST /api/v1/api-keys")
  })

  it("was revoked", async () => {
    const { api_key, token } = await create()
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    assert.match((await products(token)).message, /was revoked.*POST \/api\/v1\/api-keys/)
  })

  it("is for other addresses: names the one that it came from", async () => {
    const { token } = await create({ allowed_cidrs: ["10.0.0.0/8"] })
    const { message } = await products(token)
    assert.include(message, "127.0.0.1")
    assert.notInclude(message, "10.0.0.0")
  })

  it("is mistyped, or belongs elsewhere: tells which of both", async () => {
    const token = formatManagementToken(randomBytes(32))
    assert.match((await products(token)).message, /^No API key has this token/)
    assert.match((await products(mistyped(token))).message, /mistyped or cut off/)
    const key = formatLicenseKey(randomBytes(15))
    assert.match((await check(key)).message, /^No license has this key/)
    assert.match((await check(mistyped(issued.key))).message, /^The license key is mistyped/)
  })
})

describe("a license that does not allow what is asked", () => {
  it("has expired: when", async () => {
    const expired = await service.issue({ license: { expires_at: "2020-01-01T00:00:00Z" } })
    const answer = await service.license("activate", expired.key, { fingerprint: "a" })
    assert.include(refused(answer, 403, "LICENSE_EXPIRED").message, "2020-01-01T00:00:00.000Z")
  })

  it("has less left than is asked for: how much of both", async () => {
    const { key, license, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Render",
      code: "render"
    })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 10
    })
    const device = { fingerprint: "a" }
    await service.license("activate", key, device)
    const consume = async (amount: number) =>
      service.license("consume", key, { ...device, feature_code: "render", amount, event_id: randomUUID() })
    assert.strictEqual((await consume(3)).status, 200)
    assert.include(refused(await consume(30), 403, "FEATURE_QUOTA_EXCEEDED").message, "7 left, 30 asked for")
    assert.strictEqual((await consume(7)).status, 200)
    assert.include(refused(await consume(1), 403, "FEATURE_QUOTA_EXCEEDED").message, "used up: 0 left, 1 asked for")
  })

  it("has no floating seats at all, which is another thing than that they are taken", async () => {
    const checkout = async (key: string, fingerprint: string) =>
      service.license("floating/checkout", key, { fingerprint })
    const without = refused(await checkout(issued.key, "a"), 403, "FLOATING_LIMIT_EXCEEDED")
    assert.include(without.message, "not sold")
    const { key } = await service.issue({ policy: { max_floating_users: 1 } })
    assert.strictEqual((await checkout(key, "a")).status, 200)
    assert.include(refused(await checkout(key, "b"), 403, "FLOATING_LIMIT_EXCEEDED").message, "is taken")
  })
})

describe("an address that is refused", () => {
  it("names the setting that allows it, and no rule that it broke", async () => {
    const body = { name: "Billing", url: "https://10.1.2.3/hooks" }
    const { message } = refused(await service.call("POST", "/api/v1/webhooks", { body }), 422, "VALIDATION_ERROR")
    assert.include(message, "COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS")
    assert.notInclude(message, "10.")
  })

  it("is no range: names one", async () => {
    const body = { name: "k", scopes: ["product:read"], allowed_cidrs: ["10.0.0.0/8", "10.0.0.0/33"] }
    const error = refused(await service.call("POST", "/api/v1/api-keys", { body }), 422, "VALIDATION_ERROR")
    assert.include(error.message, "allowed_cidrs.1 must be an address range such as 10.0.0.0/8")
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
  it("is warned of: an expiry in the past", async () => {
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
  })
  it("is warned of: a webhook to a name that has no address, also when the answer is replayed", async () => {
    const webhooks = "/api/v1/webhooks"
    const write = (method: string, path: string, body: object) =>
      service.call(method, path, { body, headers: { "idempotency-key": randomUUID() } })
    // No name ends so (RFC 6761 section 6.4).
    const url = "https://hooks.biling.invalid/licenses"
    const headers = { "idempotency-key": randomUUID() }
    const create = () => service.call("POST", webhooks, { body: { name: "Billing", url }, headers })
    const made = await create()
    assert.strictEqual(made.status, 201, made.text)
    const [warning, ...more] = made.body.meta.warnings
    assert.deepStrictEqual(more, [])
    assert.deepInclude(warning, { code: "NAME_DOES_NOT_RESOLVE", field: "url" })
    assert.include(warning.message, "hooks.biling.invalid")
    assert.strictEqual((await create()).text, made.text)

    const path = `${webhooks}/${made.body.data.webhook.id}`
    const addressed = await write("PATCH", path, { url: "https://127.0.0.1:9/" })
    assert.strictEqual(addressed.status, 200, addressed.text)
    assert.notProperty(addressed.body.meta, "warnings")
    const back = await write("PATCH", path, { url, name: "Billing again" })
    assert.strictEqual(back.status, 200, back.text)
    assert.deepStrictEqual(back.body.meta.warnings, [warning])
    assert.notProperty((await write("PATCH", path, { name: "Billing" })).body.meta, "warnings")
    await service.data("DELETE", path)
  })
})
