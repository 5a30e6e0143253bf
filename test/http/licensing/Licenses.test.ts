import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { parseLicenseKey } from "../../../src/domain/keys/security/Credential.ts"
import { conforms } from "../../fixtures/contract.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

let service: Service
let issued: Issued

beforeAll(async () => {
  service = await startService({ altered: ["license expires_at"] })
  issued = await service.issue()
})

const path = "/api/v1/licenses"
const create = (members: object = {}) =>
  service.call("POST", path, { body: { product_id: issued.product.id, policy_id: issued.policy.id, ...members } })
const act = (id: string, action: string) => service.call("POST", `${path}/${id}/${action}`)
const status = async (id: string): Promise<string> => (await service.data("GET", `${path}/${id}`)).status
const events = async (id: string): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)

describe("create", () => {
  it("answers the key this once; afterwards only its ends are known", async () => {
    const answer = await create({
      customer_email: "ada@example.com",
      customer_name: "Ada Lovelace",
      starts_at: "2026-01-01T00:00:00Z",
      expires_at: "2999-12-31T23:59:59.999+02:00",
      metadata: { order: 7 }
    })
    assert.strictEqual(answer.status, 201)
    const { license, license_key, ...more } = answer.body.data
    assert.deepStrictEqual(more, {})
    conforms("License", license)
    assert.strictEqual(parseLicenseKey(license_key), license_key)
    assert.isTrue(license_key.startsWith(license.license_key_prefix))
    assert.isTrue(license_key.endsWith(license.license_key_last4))
    assert.deepInclude(license, {
      status: "active",
      active_device_count: 0,
      times_activated: 0,
      times_transferred: 0,
      total_consumptions: 0,
      entitlement_version: 1,
      customer_email: "ada@example.com",
      starts_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2999-12-31T21:59:59.999Z",
      metadata: { order: 7 }
    })
    assert.deepStrictEqual(await service.data("GET", `${path}/${license.id}`), license)
    const [event] = await service.feed(`&resource_id=${license.id}`)
    assert.deepStrictEqual(event.data, license)
    assert.sameMembers(Object.keys(event.commitments), ["/data/customer_email", "/data/customer_name", "/ip_address"])
    const sql = await session(service.databaseUrl)
    const [row] = await sql.query("SELECT l::text AS text FROM licenses l WHERE id = $1", [license.id])
    assert.notInclude(row.text, license_key)
    assert.notInclude(JSON.stringify(await service.feed()), license_key)
  })

  it("leaves out what is not there", async () => {
    const { license } = (await create()).body.data
    assert.doesNotHaveAnyKeys(license, [
      "customer_id",
      "order_id",
      "subscription_id",
      "customer_email",
      "customer_name",
      "starts_at",
      "expires_at",
      "maintenance_expires_at"
    ])
  })

  it("needs what it refers to: 404 when it is not there", async () => {
    for (const member of ["product_id", "policy_id", "customer_id", "order_id", "subscription_id"]) {
      const error = refused(await create({ [member]: "none" }), 404, "NOT_FOUND")
      assert.include(error.message, member)
    }
  })

  it("refuses the policy of another product", async () => {
    const other = await service.issue()
    const error = refused(await create({ policy_id: other.policy.id }), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(error.fields.map((field: Body) => field.path), ["policy_id"])
  })

  it("takes maintenance for a perpetual license alone", async () => {
    const maintenance = { maintenance_expires_at: "2027-01-01T00:00:00Z" }
    const error = refused(await create(maintenance), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(error.fields.map((field: Body) => field.path), ["maintenance_expires_at"])
    const { license } = await service.issue({ policy: { license_type: "perpetual" }, license: maintenance })
    assert.strictEqual(license.maintenance_expires_at, "2027-01-01T00:00:00.000Z")
  })

  it("refuses an expiry that is not after the start, in whatever offset", async () => {
    const starts_at = "2026-06-01T12:00:00Z"
    for (const expires_at of [starts_at, "2026-06-01T13:00:00+02:00", "2020-01-01T00:00:00Z"]) {
      const error = refused(await create({ starts_at, expires_at }), 422, "VALIDATION_ERROR")
      assert.deepStrictEqual(error.fields.map((field: Body) => field.path), ["expires_at"])
    }
    assert.strictEqual((await create({ starts_at, expires_at: "2026-06-01T10:00:01-02:00" })).status, 201)
  })

  it("of one that has expired already answers it as expired", async () => {
    assert.strictEqual((await create({ expires_at: "2020-01-01T00:00:00Z" })).body.data.license.status, "expired")
  })
})

describe("suspend, reinstate and revoke", () => {
  /** What each action does to each state: the state after it, or the failure. */
  const table: ReadonlyArray<readonly [state: string, action: string, result: string]> = [
    ["active", "suspend", "suspended"],
    ["active", "reinstate", "active"],
    ["active", "revoke", "revoked"],
    ["grace_period", "suspend", "suspended"],
    ["grace_period", "reinstate", "grace_period"],
    ["grace_period", "revoke", "revoked"],
    ["suspended", "suspend", "suspended"],
    ["suspended", "reinstate", "active"],
    ["suspended", "revoke", "revoked"],
    ["expired", "suspend", "STATE_CONFLICT"],
    ["expired", "reinstate", "STATE_CONFLICT"],
    ["expired", "revoke", "revoked"],
    ["revoked", "suspend", "STATE_CONFLICT"],
    ["revoked", "reinstate", "STATE_CONFLICT"],
    ["revoked", "revoke", "revoked"]
  ]
  const past: Readonly<Record<string, string>> = {
    suspend: "license.suspended",
    reinstate: "license.reinstated",
    revoke: "license.revoked"
  }

  let lenient: Issued
  let sql: Session

  beforeAll(async () => {
    lenient = await service.issue({ policy: { grace_period_days: 5 } })
    sql = await session(service.databaseUrl)
  })

  /** The id of a new license that is in this state. */
  const inState = async (state: string): Promise<string> => {
    const origin = { product_id: lenient.product.id, policy_id: lenient.policy.id }
    const { license: { id } } = (await create(origin)).body.data
    if (state === "suspended") await act(id, "suspend")
    if (state === "revoked") await act(id, "revoke")
    const ago = { grace_period: "1 hour", expired: "6 days" }[state]
    if (ago !== undefined) {
      await sql.query("UPDATE licenses SET expires_at = now() - $1::text::interval WHERE id = $2", [ago, id])
    }
    assert.strictEqual(await status(id), state)
    return id
  }

  it.each(table)("%s, %s: %s", async (state, action, result) => {
    const id = await inState(state)
    const before = await service.data("GET", `${path}/${id}`)
    const answer = await act(id, action)
    if (result === "STATE_CONFLICT") {
      assert.strictEqual(refused(answer, 409, result).detail, state)
      assert.deepStrictEqual(await service.data("GET", `${path}/${id}`), before)
    } else {
      assert.strictEqual(answer.status, 200)
      conforms("License", answer.body.data)
      assert.strictEqual(answer.body.data.status, result)
      assert.deepStrictEqual(await service.data("GET", `${path}/${id}`), answer.body.data)
    }
    // Only what changed something has happened. The sweeper may announce meanwhile what the calendar did.
    const happened = (await events(id)).filter((type) => Object.values(past).includes(type))
    const earlier = Object.values(past).filter((type) => type === `license.${state}`)
    assert.deepStrictEqual(
      happened,
      result === state || result === "STATE_CONFLICT" ? earlier : [...earlier, past[action]]
    )
  })

  it("of a suspension that the expiry has overtaken shows as suspended, and then as expired", async () => {
    const id = await inState("suspended")
    await sql.query("UPDATE licenses SET expires_at = now() - interval '30 days' WHERE id = $1", [id])
    assert.strictEqual(await status(id), "suspended")
    assert.strictEqual((await act(id, "reinstate")).body.data.status, "expired")
  })

  it("take no body, however its absence is framed", async () => {
    const { license: { id } } = await service.issue()
    const framings = [
      {},
      { "content-length": "0" },
      { "content-type": "application/x-www-form-urlencoded", "content-length": "0" },
      { "content-type": "application/json", "content-length": "0" }
    ]
    for (const headers of framings) {
      for (const action of ["suspend", "reinstate"]) {
        assert.strictEqual((await service.call("POST", `${path}/${id}/${action}`, { headers })).status, 200)
      }
    }
  })

  it.each(["suspend", "reinstate", "revoke"])("%s: 404 for a license that is not there", async (action) => {
    refused(await act("lic_none", action), 404, "NOT_FOUND")
  })

  it("many at once end in one state with one event for each change", async () => {
    const { license: { id } } = await service.issue()
    const answers = await Promise.all(Array.from({ length: 20 }, () => act(id, "suspend")))
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.deepStrictEqual(await events(id), ["license.created", "license.suspended"])
  })
})

describe("features of a license", () => {
  const feature = async (): Promise<Body> =>
    service.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "f", code: randomUUID() })
  const features = (id: string) => `${path}/${id}/features`

  it("are assigned, changed in parts, listed and taken away", async () => {
    const [{ license }, f] = [(await create()).body.data, await feature()]
    const answer = await service.call("POST", features(license.id), { body: { feature_id: f.id } })
    assert.strictEqual(answer.status, 200)
    conforms("LicenseFeature", answer.body.data)
    assert.deepStrictEqual(answer.body.data, {
      license_id: license.id,
      feature_id: f.id,
      feature_code: f.code,
      feature_name: f.name,
      enabled: true,
      total_consumptions: 0,
      metadata: {}
    })
    const assign = (members: object) => service.data("POST", features(license.id), { feature_id: f.id, ...members })
    const limited = await assign({ max_consumptions: 9, metadata: { a: 1 }, expires_at: "2999-01-01T00:00:00Z" })
    const off = await assign({ enabled: false })
    assert.deepStrictEqual(off, { ...limited, enabled: false })
    assert.deepInclude(off, { max_consumptions: 9, remaining: 9, expires_at: "2999-01-01T00:00:00.000Z" })
    assert.deepStrictEqual(await service.data("GET", features(license.id)), [off])
    assert.strictEqual((await service.call("DELETE", `${features(license.id)}/${f.id}`)).status, 204)
    assert.deepStrictEqual(await service.data("GET", features(license.id)), [])
    refused(await service.call("DELETE", `${features(license.id)}/${f.id}`), 404, "NOT_FOUND")
    assert.strictEqual((await service.data("GET", `${path}/${license.id}`)).entitlement_version, 5)
    assert.deepStrictEqual((await events(license.id)).slice(1), [
      "license.feature_assigned",
      "license.feature_assigned",
      "license.feature_assigned",
      "license.feature_removed"
    ])
  })

  it("belong to the license's product, and keep from being deleted while assigned", async () => {
    const [other, { license }, f] = [await service.issue(), (await create()).body.data, await feature()]
    const foreign = await service.data("POST", `/api/v1/products/${other.product.id}/features`, {
      name: "f",
      code: "f"
    })
    const error = refused(
      await service.call("POST", features(license.id), { body: { feature_id: foreign.id } }),
      422,
      "VALIDATION_ERROR"
    )
    assert.deepStrictEqual(error.fields.map((field: Body) => field.path), ["feature_id"])
    const none = { body: { feature_id: "feat_none" } }
    refused(await service.call("POST", features(license.id), none), 404, "NOT_FOUND")
    refused(await service.call("POST", features("lic_none"), { body: { feature_id: f.id } }), 404, "NOT_FOUND")
    refused(await service.call("GET", features("lic_none")), 404, "NOT_FOUND")
    await service.data("POST", features(license.id), { feature_id: f.id })
    refused(await service.call("DELETE", `/api/v1/features/${f.id}`), 409, "IN_USE")
  })
})

describe("devices of a license", () => {
  it("are listed and read, each with the members of the contract", async () => {
    const given = await service.issue({ policy: { max_activations: 3 } })
    const body = { fingerprint: "b8e1", hostname: "studio-07", os: "linux", is_vm: true }
    const { device_id } = (await service.license("activate", given.key, body)).body.data
    const devices = `${path}/${given.license.id}/devices`
    const device = await service.data("GET", `${devices}/${device_id}`)
    conforms("Device", device)
    assert.deepInclude(device, {
      ...body,
      binding_kind: "hardware",
      binding_key: "b8e1",
      status: "active",
      metadata: {}
    })
    assert.deepStrictEqual(await service.data("GET", devices), [device])
    const other = await service.issue()
    refused(await service.call("GET", `${path}/${other.license.id}/devices/${device_id}`), 404, "NOT_FOUND")
    refused(await service.call("GET", `${devices}/dev_none`), 404, "NOT_FOUND")
    refused(await service.call("GET", `${path}/lic_none/devices`), 404, "NOT_FOUND")
  })
})
