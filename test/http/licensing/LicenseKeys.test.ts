import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { formatLicenseKey } from "../../../src/domain/keys/security/Credential.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

const service = await startService({ altered: ["license_key replaced_until"] })
const rotate = (id: string, body: unknown = {}) => service.call("POST", `/api/v1/licenses/${id}/rotate-key`, { body })
const lookup = (license_key: string) => service.call("POST", "/api/v1/licenses/lookup", { body: { license_key } })
const validate = (key: string) => service.license("validate", key, { fingerprint: "one" })

describe("rotateLicenseKey", () => {
  it("answers a new key once; both work until the overlap ends", async () => {
    const { key, license } = await service.issue()
    await service.license("activate", key, { fingerprint: "one" })
    const { body, status } = await rotate(license.id, { overlap_minutes: 60 })
    assert.strictEqual(status, 200)
    assert.sameMembers(Object.keys(body.data), ["license", "license_key", "previous_key_expires_at"])
    const next = body.data.license_key
    assert.notStrictEqual(next, key)
    assert.strictEqual(body.data.license.license_key_last4, next.slice(-4))
    assert.strictEqual(body.data.license.license_key_prefix, next.slice(0, 8))
    assert.strictEqual(body.data.license.active_device_count, 1)
    const hour = Date.parse(body.data.previous_key_expires_at) - Date.now()
    assert.isTrue(hour > 3_590_000 && hour < 3_610_000, `${hour} ms`)
    assert.strictEqual((await validate(key)).status, 200)
    assert.strictEqual((await validate(next)).status, 200)

    const database = await session(service.databaseUrl)
    await database.query(
      "UPDATE license_keys SET expires_at = now() WHERE license_id = $1 AND expires_at IS NOT NULL",
      [
        license.id
      ]
    )
    refused(await validate(key), 401, "LICENSE_KEY_INVALID")
    refused(await service.license("activate", key, { fingerprint: "one" }), 401, "LICENSE_KEY_INVALID")
    assert.strictEqual((await validate(next)).status, 200)
    const [event] = await service.feed("&event_type=license.key_rotated")
    assert.strictEqual(event.metadata.previous_key_last4, key.slice(-4))
    assert.notInclude(JSON.stringify(event), next)
  })

  it("keeps the cap whichever key a device comes with", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 3 } })
    const next = (await rotate(license.id)).body.data.license_key
    const answers = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) => service.license("activate", index % 2 === 0 ? key : next, { fingerprint: `device-${index}` })
      )
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 3)
    assert.lengthOf(answers.filter(({ body }) => body.error?.code === "ACTIVATION_LIMIT_EXCEEDED"), 17)
  })

  it("overlaps by a day unless told otherwise; 0 ends every older key at once", async () => {
    const { key, license } = await service.issue()
    await service.license("activate", key, { fingerprint: "one" })
    const first = (await rotate(license.id)).body.data
    const overlap = Date.parse(first.previous_key_expires_at) - Date.now()
    assert.isTrue(Math.abs(overlap - 86_400_000) < 10_000, `${overlap} ms`)
    const second = (await rotate(license.id, { overlap_minutes: 2880 })).body.data
    for (const each of [key, first.license_key, second.license_key]) {
      assert.strictEqual((await validate(each)).status, 200)
    }
    const third = (await rotate(license.id, { overlap_minutes: 0 })).body.data
    for (const each of [key, first.license_key, second.license_key]) {
      refused(await validate(each), 401, "LICENSE_KEY_INVALID")
    }
    assert.strictEqual((await validate(third.license_key)).status, 200)
  })

  it("gives one key in use when rotations race", async () => {
    const { license } = await service.issue()
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(license.id, { overlap_minutes: 0 })))
    const standing = await service.data("GET", `/api/v1/licenses/${license.id}`)
    let working = 0
    for (const { body } of answers) {
      const { body: found } = await service.license("activate", body.data.license_key, { fingerprint: "one" })
      if (found.data !== undefined) {
        working++
        assert.strictEqual(standing.license_key_last4, body.data.license_key.slice(-4))
      }
    }
    assert.strictEqual(working, 1)
  })

  it("refuses what it must", async () => {
    const { license } = await service.issue()
    refused(await rotate("lic_none"), 404, "NOT_FOUND")
    refused(await rotate(license.id, { overlap_minutes: -1 }), 422, "VALIDATION_ERROR")
    refused(await rotate(license.id, { minutes: 1 }), 400, "UNKNOWN_FIELD")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    refused(await rotate(license.id), 409, "STATE_CONFLICT")
  })
})

describe("lookupLicense", () => {
  it("finds a license by its key as people type it, also by one it replaced, also when revoked", async () => {
    const { key, license } = await service.issue()
    assert.strictEqual((await lookup(key)).body.data.id, license.id)
    assert.strictEqual((await lookup(key.toLowerCase().replaceAll("-", " "))).body.data.id, license.id)
    const next = (await rotate(license.id, { overlap_minutes: 0 })).body.data.license_key
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    assert.strictEqual((await lookup(key)).body.data.id, license.id)
    assert.strictEqual((await lookup(next)).body.data.status, "revoked")
  })

  it("tells a mistyped key from an unknown one", async () => {
    const { key } = await service.issue()
    const mistyped = key.slice(0, -1) + (key.endsWith("7") ? "8" : "7")
    assert.strictEqual(refused(await lookup(mistyped), 422, "VALIDATION_ERROR").fields[0].code, "not_a_license_key")
    refused(await lookup(formatLicenseKey(randomBytes(15))), 404, "NOT_FOUND")
    const reader = (await service.data("POST", "/api/v1/api-keys", { name: "r", scopes: ["product:read"] })).token
    refused(
      await service.call("POST", "/api/v1/licenses/lookup", { body: { license_key: key }, token: reader }),
      403,
      "TOKEN_SCOPE_DENIED"
    )
  })
})
