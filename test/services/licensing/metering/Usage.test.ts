import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer, Issued, Service } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { session } from "../../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

interface Metered extends Issued {
  readonly feature: Body
  readonly consume: (members?: object, headers?: Record<string, string>) => Promise<Answer>
  readonly read: () => Promise<Body>
}

/** A license with one activated device and a metered feature. */
const metered = async (assignment: object = {}): Promise<Metered> => {
  const given = await service.issue({ policy: { license_type: "consumption" } })
  const feature = await service.data("POST", `/api/v1/products/${given.product.id}/features`, {
    name: "PDF export",
    code: "export-pdf"
  })
  const path = `/api/v1/licenses/${given.license.id}/features`
  await service.data("POST", path, { feature_id: feature.id, ...assignment })
  await service.license("activate", given.key, { fingerprint: "f" })
  return {
    ...given,
    feature,
    consume: (members = {}, headers = {}) =>
      service.license(
        "consume",
        given.key,
        { fingerprint: "f", feature_code: "export-pdf", event_id: randomUUID(), ...members },
        headers
      ),
    read: async () => (await service.data("GET", path)).find((assigned: Body) => assigned.feature_id === feature.id)
  }
}

const events = async (given: Issued, type: string) =>
  service.feed(`&resource_id=${given.license.id}&event_type=${type}`)

// How uses are counted that come at once, or are asked for again: test/http/licensing/Consume.test.ts.
describe("a quota", () => {
  it("amounts that do not fit leave what is left for those that do", async () => {
    const given = await metered({ max_consumptions: 10 })
    assert.strictEqual((await given.consume({ amount: 7 })).status, 200)
    const error = refused(await given.consume({ amount: 4 }), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(error.detail, "3 left, 4 asked for")
    const last = await given.consume({ amount: 3 })
    assert.deepStrictEqual(last.body.data.features, [
      { code: "export-pdf", consumed: 10, enabled: true, quota: 10, remaining: 0 }
    ])
  })
})

describe("an event_id counts once for ever", () => {
  it("with another amount it is IDEMPOTENCY_CONFLICT; for another feature it is another", async () => {
    const given = await metered()
    assert.strictEqual((await given.consume({ event_id: "e", amount: 2 })).status, 200)
    refused(await given.consume({ event_id: "e", amount: 3 }), 409, "IDEMPOTENCY_CONFLICT")
    refused(await given.consume({ event_id: "e" }), 409, "IDEMPOTENCY_CONFLICT")
    const other = await service.data("POST", `/api/v1/products/${given.product.id}/features`, {
      name: "Print",
      code: "print"
    })
    await service.data("POST", `/api/v1/licenses/${given.license.id}/features`, { feature_id: other.id })
    assert.strictEqual((await given.consume({ event_id: "e", feature_code: "print" })).status, 200)
    assert.strictEqual((await given.read()).total_consumptions, 2)
  })

  it("of another license is another", async () => {
    const [one, two] = [await metered(), await metered()]
    await one.consume({ event_id: "shared" })
    await two.consume({ event_id: "shared" })
    assert.deepStrictEqual([(await one.read()).total_consumptions, (await two.read()).total_consumptions], [1, 1])
  })
})

describe("FEATURE_NOT_ENTITLED", () => {
  it("unknown, not assigned, switched off, expired, taken away", async () => {
    const given = await metered()
    const path = `/api/v1/licenses/${given.license.id}/features`
    const denied = async (members: object = {}) => refused(await given.consume(members), 403, "FEATURE_NOT_ENTITLED")
    await denied({ feature_code: "no-such-feature" })
    await service.data("POST", `/api/v1/products/${given.product.id}/features`, { name: "n", code: "unassigned" })
    await denied({ feature_code: "unassigned" })
    await service.data("POST", path, { feature_id: given.feature.id, enabled: false })
    await denied()
    await service.data("POST", path, { feature_id: given.feature.id, enabled: true })
    assert.strictEqual((await given.consume()).status, 200)
    await service.data("POST", path, { feature_id: given.feature.id, expires_at: "2020-01-01T00:00:00Z" })
    await denied()
    await service.data("DELETE", `${path}/${given.feature.id}`)
    await denied()
  })
})

describe("consume", () => {
  it("needs an active device on a license that serves", async () => {
    const given = await metered()
    refused(await given.consume({ fingerprint: "another" }), 404, "DEVICE_NOT_ACTIVATED")
    await service.data("POST", `/api/v1/licenses/${given.license.id}/suspend`)
    refused(await given.consume(), 403, "LICENSE_INACTIVE")
    assert.strictEqual((await given.read()).total_consumptions, 0)
  })

  it("refuses amounts that are none", async () => {
    const given = await metered()
    for (const amount of [0, -1, 1.5, 2 ** 53, "1", null]) {
      const error = refused(await given.consume({ amount }), 422, "VALIDATION_ERROR")
      assert.deepStrictEqual([...new Set(error.fields.map((field: Body) => field.path))], ["amount"], String(amount))
    }
  })

  it("records what was used, by which device", async () => {
    const given = await metered({ max_consumptions: 3 })
    await given.consume({ event_id: "e-1", amount: 2 })
    const sql = await session(service.databaseUrl)
    const [device] = await sql.query("SELECT id FROM devices WHERE license_id = $1", [given.license.id])
    const [event] = await events(given, "license.usage_recorded")
    assert.deepInclude(event, { actor_type: "license", actor_id: given.license.id })
    assert.deepStrictEqual(event.data, {
      license_id: given.license.id,
      device_id: device.id,
      feature_id: given.feature.id,
      feature_code: "export-pdf",
      event_id: "e-1",
      amount: 2,
      total_consumptions: 2,
      max_consumptions: 3,
      remaining: 1
    })
  })
})
