import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()

const transfer = (id: string, body: unknown, headers: Record<string, string> = { "idempotency-key": randomUUID() }) =>
  service.call("POST", `/api/v1/licenses/${id}/transfer`, { body, headers })

const transferred = async (id: string, body: unknown): Promise<Body> => {
  const answer = await transfer(id, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

const customer = () => service.data("POST", "/api/v1/customers", { name: "Beispiel", code: randomUUID() })

describe("transferLicense", () => {
  it("changes the owner member by member; the empty string clears", async () => {
    const [from, to] = [await customer(), await customer()]
    const { license } = await service.issue({
      license: { customer_id: from.id, customer_email: "a@b.example", customer_name: "A" }
    })
    const first = await transferred(license.id, { customer_id: to.id, customer_name: "B" })
    assert.strictEqual(first.customer_id, to.id)
    assert.strictEqual(first.customer_name, "B")
    assert.notProperty(first, "customer_email")
    assert.strictEqual(first.times_transferred, 1)
    const second = await transferred(license.id, { customer_id: "", customer_email: "", customer_name: "" })
    for (const member of ["customer_id", "customer_email", "customer_name"]) assert.notProperty(second, member)
    assert.strictEqual(second.times_transferred, 2)
    const events = await service.feed(`&resource_id=${license.id}&event_type=license.transferred`)
    assert.deepStrictEqual(events.map(({ metadata }) => metadata), [
      { devices_reset: 0, previous_customer_id: from.id },
      { devices_reset: 0, previous_customer_id: to.id }
    ])
  })

  it("needs an owner member or reset_devices", async () => {
    const { license } = await service.issue()
    refused(await transfer(license.id, {}), 422, "VALIDATION_ERROR")
    refused(await transfer(license.id, { reset_devices: false }), 422, "VALIDATION_ERROR")
    refused(await transfer(license.id, { customer_email: "nobody" }), 422, "VALIDATION_ERROR")
    refused(await transfer(license.id, { owner: "x" }), 400, "UNKNOWN_FIELD")
    refused(await transfer(license.id, { customer_id: "cus_none" }), 404, "NOT_FOUND")
    refused(await transfer("lic_none", { customer_name: "B" }), 404, "NOT_FOUND")
    refused(await transfer(license.id, { customer_name: "B" }, {}), 400, "IDEMPOTENCY_KEY_REQUIRED")
    assert.strictEqual((await transferred(license.id, { reset_devices: true })).times_transferred, 1)
  })

  it("admits exactly as many as the policy allows, also when they race", async () => {
    const { license } = await service.issue({ policy: { max_transfers: 3 }, license: { customer_name: "A" } })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => transfer(license.id, { customer_name: `Owner ${index}` }))
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 409, 409, 409, 409, 409])
    const error = refused(await transfer(license.id, { customer_name: "B" }), 409, "STATE_CONFLICT")
    assert.include(error.detail, "3 of 3")
    const none = await service.issue({ policy: { max_transfers: 0 }, license: { customer_name: "A" } })
    refused(await transfer(none.license.id, { customer_name: "B" }), 409, "STATE_CONFLICT")
  })

  it("counts once per Idempotency-Key", async () => {
    const { license } = await service.issue({ license: { customer_name: "A" } })
    const headers = { "idempotency-key": randomUUID() }
    const first = await transfer(license.id, { customer_name: "B" }, headers)
    assert.strictEqual((await transfer(license.id, { customer_name: "B" }, headers)).text, first.text)
    refused(await transfer(license.id, { customer_name: "C" }, headers), 409, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).times_transferred, 1)
  })

  it("resets the devices when asked to, and leaves them otherwise", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 2 } })
    for (const fingerprint of ["one", "two"]) await service.license("activate", key, { fingerprint })
    assert.strictEqual((await transferred(license.id, { customer_name: "B" })).active_device_count, 2)
    refused(await service.license("activate", key, { fingerprint: "three" }), 403, "ACTIVATION_LIMIT_EXCEEDED")

    assert.strictEqual((await transferred(license.id, { reset_devices: true })).active_device_count, 0)
    const devices = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    assert.deepStrictEqual(devices.map(({ status }: Body) => status), ["reset", "reset"])
    refused(await service.license("validate", key, { fingerprint: "one" }), 404, "DEVICE_NOT_ACTIVATED")
    for (const fingerprint of ["three", "one"]) {
      assert.strictEqual((await service.license("activate", key, { fingerprint })).status, 200)
    }
    refused(await service.license("activate", key, { fingerprint: "two" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    assert.lengthOf(await service.feed("&event_type=device.reset"), 2)
  })

  it("refuses a revoked license; suspended and expired ones change hands", async () => {
    const { license } = await service.issue({ license: { expires_at: "2020-01-01T00:00:00Z" } })
    assert.strictEqual((await transferred(license.id, { customer_name: "B" })).status, "expired")
    const suspended = await service.issue()
    await service.data("POST", `/api/v1/licenses/${suspended.license.id}/suspend`)
    assert.strictEqual((await transferred(suspended.license.id, { customer_name: "B" })).status, "suspended")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    refused(await transfer(license.id, { customer_name: "C" }), 409, "STATE_CONFLICT")
  })
})
