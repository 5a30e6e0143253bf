import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { holdLicense, session } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService({ altered: ["device status", "license expires_at", "api_key expires_at"] })
  issued = await service.issue()
})

const key = (members: object): Promise<Body> => service.data("POST", "/api/v1/api-keys", { name: "k", ...members })

const issue = (policy: object, license: object = {}): Promise<Issued> => service.issue({ policy, license })

const device = (given: object = {}) => ({ fingerprint: randomUUID(), ...given })

describe("401 and 403 of API keys", () => {
  it("TOKEN_EXPIRED", async () => {
    const { api_key, token } = await key({ expires_at: "2999-01-01T00:00:00Z" })
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE management_keys SET expires_at = now() WHERE id = $1", [api_key.id])
    const answer = await service.call("GET", "/api/v1/products", { token })
    refused(answer, 401, "TOKEN_EXPIRED")
    assert.isDefined(answer.headers["www-authenticate"])
  })

  it("TOKEN_REVOKED, at once", async () => {
    const { api_key, token } = await key({})
    assert.strictEqual((await service.call("GET", "/api/v1/products", { token })).status, 200)
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    refused(await service.call("GET", "/api/v1/products", { token }), 401, "TOKEN_REVOKED")
  })

  it("TOKEN_IP_DENIED outside the ranges, and not inside", async () => {
    const outside = await key({ allowed_cidrs: ["10.0.0.0/8", "2001:db8::/32"] })
    refused(await service.call("GET", "/api/v1/products", { token: outside.token }), 401, "TOKEN_IP_DENIED")
    // Nobody proxies for us here, so the header is anyone's claim.
    const claimed = { token: outside.token, headers: { "x-forwarded-for": "10.0.0.1" } }
    refused(await service.call("GET", "/api/v1/products", claimed), 401, "TOKEN_IP_DENIED")
    const inside = await key({ allowed_cidrs: ["10.0.0.0/8", "127.0.0.0/8"] })
    assert.strictEqual((await service.call("GET", "/api/v1/products", { token: inside.token })).status, 200)
  })

  it("TOKEN_SCOPE_DENIED names the scope", async () => {
    const { token } = await key({ scopes: ["product:read", "license:read"] })
    assert.strictEqual((await service.call("GET", "/api/v1/products", { token })).status, 200)
    const answer = await service.call("POST", "/api/v1/products", { token, body: { name: "a", code: "b" } })
    assert.strictEqual(refused(answer, 403, "TOKEN_SCOPE_DENIED").detail, "product:write")
  })
})

describe("403 and 404 of the runtime", () => {
  const allOperations = ["activate", "validate", "check"] as const

  /** Activates a device, changes the license, and expects every operation to refuse. */
  const afterwards = async (given: Issued, change: (binding: object) => Promise<unknown>, code: string) => {
    const binding = device()
    assert.strictEqual((await service.license("activate", given.key, binding)).status, 200)
    await change(binding)
    for (const operation of allOperations) refused(await service.license(operation, given.key, binding), 403, code)
    refused(await service.license("activate", given.key, device()), 403, code)
  }
  const act = (given: Issued, action: string) => service.data("POST", `/api/v1/licenses/${given.license.id}/${action}`)

  it("LICENSE_INACTIVE: suspended", async () => {
    const given = await issue({ max_activations: 5 })
    await afterwards(given, () => act(given, "suspend"), "LICENSE_INACTIVE")
  })

  it("LICENSE_INACTIVE: revoked, which stays readable and is not an unknown key", async () => {
    const given = await issue({ max_activations: 5 })
    await afterwards(given, () => act(given, "revoke"), "LICENSE_INACTIVE")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${given.license.id}`)).status, "revoked")
    assert.include(
      (await service.feed(`&resource_id=${given.license.id}`)).map((event) => event.event_type),
      "license.revoked"
    )
  })

  it("LICENSE_INACTIVE: not started", async () => {
    const given = await issue({}, { starts_at: "2999-01-01T00:00:00Z" })
    const error = refused(await service.license("activate", given.key, device()), 403, "LICENSE_INACTIVE")
    assert.strictEqual(error.detail, "not_started")
  })

  it("LICENSE_EXPIRED", async () => {
    const given = await issue({ max_activations: 5 }, { expires_at: "2999-01-01T00:00:00Z" })
    const sql = await session(service.databaseUrl)
    await afterwards(
      given,
      () => sql.query("UPDATE licenses SET expires_at = now() WHERE id = $1", [given.license.id]),
      "LICENSE_EXPIRED"
    )
  })

  it("DEVICE_BLACKLISTED, also for deactivate", async () => {
    const given = await issue({ max_activations: 5 })
    const binding = device()
    assert.strictEqual((await service.license("activate", given.key, binding)).status, 200)
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE devices SET status = 'blacklisted' WHERE license_id = $1", [given.license.id])
    for (const operation of [...allOperations, "deactivate"]) {
      refused(await service.license(operation, given.key, binding), 403, "DEVICE_BLACKLISTED")
    }
    assert.strictEqual((await service.license("activate", given.key, device())).status, 200, "another device may")
  })

  it("ACTIVATION_LIMIT_EXCEEDED, for containers by their own limit", async () => {
    const given = await issue({ max_activations: 1, max_container_instances: 2 })
    assert.strictEqual((await service.license("activate", given.key, device())).status, 200)
    refused(await service.license("activate", given.key, device()), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const pod = (pod_name: string) => ({ is_container: true, cluster_id: "c1", pod_name })
    assert.strictEqual((await service.license("activate", given.key, pod("a"))).status, 200)
    assert.strictEqual((await service.license("activate", given.key, pod("b"))).status, 200)
    refused(await service.license("activate", given.key, pod("c")), 403, "ACTIVATION_LIMIT_EXCEEDED")
  })

  it("VM_NOT_ALLOWED and CONTAINER_NOT_ALLOWED", async () => {
    const given = await issue({ allow_vm: false, allow_container: false, max_activations: 5 })
    refused(await service.license("activate", given.key, device({ is_vm: true })), 403, "VM_NOT_ALLOWED")
    const container = { is_container: true, pod_name: "p" }
    refused(await service.license("activate", given.key, container), 403, "CONTAINER_NOT_ALLOWED")
    assert.strictEqual((await service.license("activate", given.key, device({ is_vm: false }))).status, 200)
  })

  it("PRODUCT_MISMATCH takes no seat (trap 15)", async () => {
    const given = await issue({ max_activations: 1 })
    const binding = device()
    for (const operation of ["activate", "validate", "check", "deactivate"]) {
      refused(
        await service.license(operation, given.key, { ...binding, product_code: "another-product" }),
        403,
        "PRODUCT_MISMATCH"
      )
    }
    const license = await service.data("GET", `/api/v1/licenses/${given.license.id}`)
    assert.deepInclude(license, { active_device_count: 0, times_activated: 0 })
    assert.lengthOf(await service.data("GET", `/api/v1/licenses/${given.license.id}/devices`), 0)
    const right = await service.license("activate", given.key, { ...binding, product_code: given.product.code })
    assert.strictEqual(right.body.data.product_code, given.product.code)
  })

  it("DEVICE_NOT_ACTIVATED: never, and no longer", async () => {
    const given = await issue({ max_activations: 2 })
    const binding = device()
    for (const operation of ["validate", "check", "deactivate"]) {
      refused(await service.license(operation, given.key, binding), 404, "DEVICE_NOT_ACTIVATED")
    }
    await service.license("activate", given.key, binding)
    assert.strictEqual((await service.license("deactivate", given.key, binding)).status, 200)
    for (const operation of ["validate", "check", "deactivate"]) {
      refused(await service.license(operation, given.key, binding), 404, "DEVICE_NOT_ACTIVATED")
    }
  })
})

describe("409", () => {
  it("CONFLICT: a code that is taken", async () => {
    const body = { name: "a", code: randomUUID() }
    await service.data("POST", "/api/v1/products", body)
    refused(await service.call("POST", "/api/v1/products", { body }), 409, "CONFLICT")
    const path = `/api/v1/products/${issued.product.id}`
    refused(await service.call("PATCH", path, { body: { code: body.code } }), 409, "CONFLICT")
    const policy = { name: "p", code: issued.policy.code, license_type: "trial" }
    refused(await service.call("POST", `${path}/policies`, { body: policy }), 409, "CONFLICT")
  })

  it("STATE_CONFLICT: a revoked license, and the active signing key", async () => {
    const { license } = await service.issue()
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    for (const action of ["suspend", "reinstate"]) {
      refused(await service.call("POST", `/api/v1/licenses/${license.id}/${action}`), 409, "STATE_CONFLICT")
    }
    const [active] = await service.data("GET", "/api/v1/signing-keys")
    refused(await service.call("POST", `/api/v1/signing-keys/${active.kid}/revoke`), 409, "STATE_CONFLICT")
  })

  it("IN_USE says by what", async () => {
    const product = await service.call("DELETE", `/api/v1/products/${issued.product.id}`)
    assert.match(refused(product, 409, "IN_USE").detail, /policies.*licenses/)
    const policy = await service.call("DELETE", `/api/v1/policies/${issued.policy.id}`)
    assert.match(refused(policy, 409, "IN_USE").detail, /licenses/)
  })

  it("IDEMPOTENCY_CONFLICT: the same key with another body, path or method", async () => {
    const headers = { "idempotency-key": randomUUID() }
    const product = await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() }, { headers })
    const others = [
      ["POST", "/api/v1/products", { name: "a", code: randomUUID() }],
      ["POST", "/api/v1/customers", { name: "a", code: randomUUID() }],
      ["PATCH", `/api/v1/products/${product.id}`, { name: "b" }]
    ] as const
    for (const [method, path, body] of others) {
      refused(await service.call(method, path, { body, headers }), 409, "IDEMPOTENCY_CONFLICT")
    }
    assert.strictEqual((await service.data("GET", `/api/v1/products/${product.id}`)).name, "a")
  })

  it("IDEMPOTENCY_IN_FLIGHT while the first request runs, and the answer afterwards", async () => {
    const given = await service.issue()
    const binding = device()
    const headers = { "idempotency-key": randomUUID() }
    const lock = await holdLicense(service.databaseUrl, given.license.id)
    const first = service.license("activate", given.key, binding, headers)
    await lock.blocked(1)
    refused(await service.license("activate", given.key, binding, headers), 409, "IDEMPOTENCY_IN_FLIGHT")
    await lock.release()
    assert.strictEqual((await first).status, 200)
    const again = await service.license("activate", given.key, binding, headers)
    assert.strictEqual(again.text, (await first).text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
  })
})
