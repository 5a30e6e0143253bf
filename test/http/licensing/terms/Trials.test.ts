import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { operations } from "../../../../src/api/composition/docs/Operations.ts"
import { verifyEnvelope } from "../../../../src/client/verify/verifyEnvelope.ts"
import { isPublishableKey, parseLicenseKey } from "../../../../src/domain/keys/security/Credential.ts"
import { movedClock } from "../../../fixtures/MovedClock.ts"
import type { MovedClock } from "../../../fixtures/MovedClock.ts"
import type { Answer, Service } from "../../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Body, Session } from "../../../fixtures/Session.ts"
import { session } from "../../../fixtures/Session.ts"

let clock: MovedClock
let service: Service
let sql: Session

const proxied = { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.0/8" }

beforeAll(async () => {
  clock = await movedClock()
  service = await startService({ databaseUrl: clock.databaseUrl, environment: proxied })
  sql = await session(clock.databaseUrl)
})

const day = 86_400_000
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

let addresses = 0

/** An address that nobody has called from. */
const anAddress = () => ({ "x-forwarded-for": `198.51.${addresses >> 8}.${addresses++ & 255}` })

/** Asks for a trial, from an address of its own unless one is given. */
const ask = (key: Body, body: object, from?: string): Promise<Answer> =>
  service.call("POST", "/api/v1/license/trials", {
    token: key.key,
    body,
    headers: from === undefined ? anAddress() : { "x-forwarded-for": from }
  })

const licensesOf = async (product: Body): Promise<Array<Body>> =>
  (await service.call("GET", `/api/v1/licenses?product_id=${product.id}&limit=200`)).body.data

const kindsOf = async (id: string): Promise<Array<Body>> => service.feed(`&resource_id=${id}`)

describe("publishable keys", () => {
  it("are created, listed whole and revoked, each with its event", async () => {
    const { key, policy, product } = await offered()
    assert.isTrue(isPublishableKey(key.key), key.key)
    assert.deepInclude(key, { product_id: product.id, policy_id: policy.id, name: "app" })
    assert.notProperty(key, "revoked_at")
    const path = `/api/v1/products/${product.id}/publishable-keys`
    assert.deepStrictEqual((await service.call("GET", path)).body.data, [key])
    for (let again = 0; again < 2; again++) {
      assert.strictEqual((await service.call("DELETE", `/api/v1/publishable-keys/${key.id}`)).status, 204)
    }
    const [listed] = (await service.call("GET", path)).body.data
    assert.deepStrictEqual({ ...listed, revoked_at: undefined }, { ...key, revoked_at: undefined })
    assert.isString(listed.revoked_at)
    const events = await kindsOf(key.id)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "publishable_key.created",
      "publishable_key.revoked"
    ])
    assert.deepStrictEqual(events[1].data, listed)
    refused(await ask(key, { fingerprint: "a" }), 401, "UNAUTHENTICATED")
    refused(await service.call("DELETE", "/api/v1/publishable-keys/pub_none"), 404, "NOT_FOUND")
    refused(await service.call("GET", "/api/v1/products/prod_none/publishable-keys"), 404, "NOT_FOUND")
  })

  it("need a policy of the product whose trials end and have a seat, and say what it lacks", async () => {
    const { product } = await offered()
    const other = await offered()
    const withPolicy = async (policy: object) => {
      const code = crypto.randomUUID()
      const { id } = await created(`products/${product.id}/policies`, { name: "P", code, ...policy })
      const body = { name: "app", policy_id: id }
      return service.call("POST", `/api/v1/products/${product.id}/publishable-keys`, { body })
    }
    const cure = async (policy: object) => (await withPolicy(policy)).body.error.fields[0].message
    invalid(await withPolicy({ license_type: "trial" }), "policy_id", "contradiction")
    assert.match(await cure({ license_type: "trial" }), /must have a duration, such as P14D/)
    assert.match(await cure({ license_type: "time_limited", duration: "P14D" }), /license_type trial/)
    assert.match(await cure({ license_type: "trial", duration: "P14D", max_activations: 0 }), /max_activations/)
    const body = { name: "app", policy_id: other.policy.id }
    const path = `/api/v1/products/${product.id}/publishable-keys`
    invalid(await service.call("POST", path, { body }), "policy_id", "other_product")
    refused(
      await service.call("POST", path, { body: { name: "app", policy_id: "pol_none" } }),
      404,
      "NOT_FOUND"
    )
  })

  it("hold their policy to that until they are revoked", async () => {
    const { key, policy, product } = await offered()
    const path = `/api/v1/products/${product.id}/policies/${policy.id}`
    const patch = (body: object) => service.call("PATCH", `/api/v1/policies/${policy.id}`, { body })
    invalid(await patch({ duration: null }), "duration", "contradiction")
    invalid(await patch({ max_activations: 0 }), "max_activations", "contradiction")
    assert.strictEqual((await patch({ duration: "P7D" })).status, 200, path)
    await service.call("DELETE", `/api/v1/publishable-keys/${key.id}`)
    assert.strictEqual((await patch({ duration: null })).status, 200)
    refused(await service.call("DELETE", `/api/v1/policies/${policy.id}`), 409, "IN_USE")
  })

  it("are good for opening trials alone, and every other operation says so", async () => {
    const { key, product } = await offered()
    for (const { declaration, method, path } of operations) {
      if (declaration.scope === "none" || declaration.scope === "publishable") continue
      const target = path.replace(/:[a-z_]+/g, product.id)
      const body = method === "GET" || method === "DELETE" ? {} : { body: {} }
      const isRuntime = declaration.scope === "license"
      const answer = isRuntime
        ? await service.call(method, target, {
          licenseKey: key.key,
          headers: { "idempotency-key": crypto.randomUUID(), ...anAddress() },
          ...body
        })
        : await service.call(method, target, { token: key.key, headers: anAddress(), ...body })
      const error = refused(answer, 401, isRuntime ? "LICENSE_KEY_INVALID" : "UNAUTHENTICATED")
      assert.include(error.message, "a publishable key was sent, which is good for opening trials alone", path)
    }
    refused(
      await service.call("POST", "/api/v1/licenses", {
        body: { product_id: product.id, policy_id: "pol_none", license_key: key.key }
      }),
      422,
      "VALIDATION_ERROR"
    )
  })

  it("are told from other credentials, and from those that do not exist", async () => {
    const { key } = await offered()
    const { key: licenseKey } = await service.issue()
    const hint = async (token: string) =>
      refused(await ask({ key: token }, { fingerprint: "a" }), 401, "UNAUTHENTICATED").message
    assert.include(await hint(licenseKey), "a license key was sent")
    assert.include(await hint("csk_4fJ0x9QbT2mYpW7sVd1Kc8RzLh6NgE3uXaB5iOvMqUtJwD"), "an API key was sent")
    const [last] = key.key.slice(-1)
    assert.include(await hint(key.key.slice(0, -1) + (last === "a" ? "b" : "a")), "its check characters are right")
    const { key: withdrawn } = await offered()
    await service.call("DELETE", `/api/v1/publishable-keys/${withdrawn.id}`)
    assert.include(await hint(withdrawn.key), "was revoked")
    refused(
      await service.call("POST", "/api/v1/license/trials", { token: null, body: {}, headers: anAddress() }),
      401,
      "UNAUTHENTICATED"
    )
  })
})

describe("a trial", () => {
  it("is a license with its key, signed, its device activated in the same step", async () => {
    const { key, policy, product } = await offered()
    const answer = await ask(key, { fingerprint: "a", hostname: "studio-07", nonce: "n-12345678" })
    assert.strictEqual(answer.status, 201, answer.text)
    const { data: publicKeys } = (await service.call("GET", "/api/v1/system/public-keys", { token: null })).body
    const { data } = await verifyEnvelope({ body: answer.text, publicKeys, expected: { nonce: "n-12345678" } })
    assert.deepInclude(data, { license_type: "trial", status: "active", product_id: product.id })
    const licenseKey = String(data["license_key"])
    assert.strictEqual(parseLicenseKey(licenseKey), licenseKey)
    const license = await service.data("GET", `/api/v1/licenses/${String(data["license_id"])}`)
    assert.deepInclude(license, { policy_id: policy.id, active_device_count: 1, times_activated: 1 })
    assert.strictEqual(Date.parse(license.expires_at) - Date.parse(license.created_at), 14 * day)
    assert.strictEqual((await service.license("validate", licenseKey, { fingerprint: "a" })).status, 200)
    const events = await kindsOf(license.id)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), ["license.created", "license.activated"])
    assert.deepStrictEqual(events[0].metadata, { trial: true, publishable_key_id: key.id })
    const stored = await sql.query("SELECT row_to_json(t) AS row FROM trials t WHERE license_id = $1", [license.id])
    assert.notInclude(JSON.stringify(stored), licenseKey)
  })

  it("is answered again while it runs, however the device names itself, and for another device is another", async () => {
    const { key, product } = await offered()
    const first = await ask(key, { fingerprint: "caf\u00e9" })
    const again = await ask(key, { fingerprint: " cafe\u0301 " })
    assert.strictEqual(again.status, 200)
    for (const member of ["license_id", "license_key", "device_id", "expires_at"]) {
      assert.strictEqual(again.body.data[member], first.body.data[member], member)
    }
    assert.lengthOf(await licensesOf(product), 1)
    const container = { is_container: true, container_id: "caf\u00e9" }
    const other = await offered({ allow_container: true })
    const hardware = await ask(other.key, { fingerprint: "container_id=caf%C3%A9" })
    const inside = await ask(other.key, container)
    assert.deepStrictEqual([hardware.status, inside.status], [201, 201])
    assert.notStrictEqual(hardware.body.data.license_key, inside.body.data.license_key)
    assert.notStrictEqual(hardware.body.data.license_id, first.body.data.license_id)
  })

  it("is one for sixty callers at once, who all get the same key", async () => {
    const { key, product } = await offered()
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => ask(key, { fingerprint: "race" }, "198.18.0.1"))
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [...Array.from({ length: 59 }, () => 200), 201])
    assert.strictEqual(new Set(answers.map(({ body }) => body.data.license_key)).size, 1)
    const [license, ...more] = await licensesOf(product)
    assert.isEmpty(more)
    assert.deepInclude(license, { active_device_count: 1, times_activated: 1 })
    assert.lengthOf(await kindsOf(license.id), 2)
    // Those who lost the race took nothing of the address: nineteen more devices have room, and not one beyond.
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask(key, { fingerprint: `next-${index}` }, "198.18.0.1"))
    )
    assert.deepStrictEqual(others.map(({ status }) => status).toSorted(), [
      ...Array.from({ length: 19 }, () => 201),
      429
    ])
    const limited = others.find(({ status }) => status === 429)!
    refused(limited, 429, "RATE_LIMITED")
    assert.isAtLeast(Number(limited.headers["retry-after"]), 1)
    assert.strictEqual((await ask(key, { fingerprint: "race" }, "198.18.0.1")).status, 200)
    assert.strictEqual((await ask(key, { fingerprint: "elsewhere" }, "198.18.0.2")).status, 201)
    assert.lengthOf(await licensesOf(product), 21)
  })

  it("is shown to no second caller whose fingerprint names no machine, who is told of it from the first call on", async () => {
    const { key, product } = await offered()
    const hashed = createHash("sha256").update(`${product.code}\n00000000-0000-0000-0000-000000000000`).digest("hex")
    for (const named of [{ fingerprint: "uninitialized" }, { fingerprint: hashed, product_code: product.code }]) {
      const [first, ...others] = (await Promise.all(Array.from({ length: 4 }, () => ask(key, named))))
        .toSorted((one, other) => one.status - other.status)
      assert.strictEqual(first!.status, 201, first!.text)
      assert.deepStrictEqual(
        first!.body.meta.warnings.map(({ code, field }: Body) => ({ code, field })),
        [{ code: "FINGERPRINT_NAMES_NO_MACHINE", field: "fingerprint" }]
      )
      for (const other of others) {
        assert.include(refused(other, 403, "TRIAL_USED").message, "names no machine")
        assert.notInclude(other.text, first!.body.data.license_key)
      }
      const licenseKey = first!.body.data.license_key
      for (const operation of ["activate", "validate"]) {
        const { body, status } = await service.license(operation, licenseKey, named)
        assert.strictEqual(status, 200)
        assert.strictEqual(
          body.meta.warnings?.[0]?.code,
          operation === "activate" ? "FINGERPRINT_NAMES_NO_MACHINE" : undefined
        )
      }
    }
    assert.isUndefined((await ask(key, { fingerprint: "machine-1" })).body.meta.warnings)
    assert.lengthOf(await licensesOf(product), 3)
  })

  it("is one for callers of two nodes at once", async () => {
    const { key, product } = await offered()
    const second = await startService({ databaseUrl: clock.databaseUrl, environment: proxied })
    const answers = await Promise.all(
      Array.from(
        { length: 60 },
        (_, index) =>
          (index % 2 === 0 ? service : second).call("POST", "/api/v1/license/trials", {
            token: key.key,
            body: { fingerprint: `device-${index % 3}` },
            headers: anAddress()
          })
      )
    )
    assert.lengthOf(answers.filter(({ status }) => status === 201), 3)
    assert.lengthOf(answers.filter(({ status }) => status === 200), 57)
    assert.strictEqual(new Set(answers.map(({ body }) => body.data.license_key)).size, 3)
    assert.lengthOf(await licensesOf(product), 3)
  })

  it("takes nothing of its address when it is refused, and leaves nothing behind", async () => {
    const { key, product } = await offered({ allow_vm: false })
    for (let more = 0; more < 25; more++) {
      refused(await ask(key, { fingerprint: "vm", is_vm: true }, "198.18.0.3"), 403, "VM_NOT_ALLOWED")
    }
    refused(await ask(key, { fingerprint: "vm", product_code: "other" }), 403, "PRODUCT_MISMATCH")
    assert.isEmpty(await licensesOf(product))
    assert.strictEqual((await ask(key, { fingerprint: "vm" }, "198.18.0.3")).status, 201)
  })

  it("is once for ever: over, it is refused with when it was used, until management renews it", async () => {
    const { key } = await offered({ grace_period_days: 0 })
    const { data } = (await ask(key, { fingerprint: "a" })).body
    const license = await service.data("GET", `/api/v1/licenses/${data.license_id}`)
    try {
      await clock.set(Date.parse(license.expires_at) + 1000)
      const error = refused(await ask(key, { fingerprint: "a" }), 403, "TRIAL_USED")
      assert.strictEqual(error.detail, `opened on ${license.created_at}`)
      const renewed = await service.call("POST", `/api/v1/licenses/${license.id}/renew`, {
        body: { expires_at: new Date(Date.parse(license.expires_at) + 7 * day).toISOString() },
        headers: { "idempotency-key": crypto.randomUUID() }
      })
      assert.strictEqual(renewed.status, 200, renewed.text)
      const again = await ask(key, { fingerprint: "a" })
      assert.deepStrictEqual([again.status, again.body.data.license_key], [200, data.license_key])
    } finally {
      await clock.set(Date.now())
    }
  })

  it("stays used when it is suspended, revoked, or its device blocked", async () => {
    const { key, product } = await offered()
    const { license_id: id } = (await ask(key, { fingerprint: "a" })).body.data
    const steer = (what: string) => service.data("POST", `/api/v1/licenses/${id}/${what}`, {})
    await steer("suspend")
    assert.strictEqual(refused(await ask(key, { fingerprint: "a" }), 403, "LICENSE_INACTIVE").detail, "suspended")
    await steer("reinstate")
    const [device] = await service.data("GET", `/api/v1/licenses/${id}/devices`)
    await service.data("POST", `/api/v1/licenses/${id}/devices/${device.id}/blacklist`, {})
    refused(await ask(key, { fingerprint: "a" }), 403, "DEVICE_BLACKLISTED")
    await service.data("POST", `/api/v1/licenses/${id}/devices/${device.id}/reset`, {})
    assert.strictEqual((await ask(key, { fingerprint: "a" })).status, 200)
    await steer("revoke")
    assert.strictEqual(refused(await ask(key, { fingerprint: "a" }), 403, "LICENSE_INACTIVE").detail, "revoked")
    assert.lengthOf(await licensesOf(product), 1)
  })

  it("stays used when its license was given to a customer, and the customer erased", async () => {
    const { key, product } = await offered()
    const { data } = (await ask(key, { fingerprint: "a" })).body
    const customer = await created("customers", { name: "Beispiel GmbH", code: crypto.randomUUID() })
    const transferred = await service.call("POST", `/api/v1/licenses/${data.license_id}/transfer`, {
      body: { customer_id: customer.id },
      headers: { "idempotency-key": crypto.randomUUID() }
    })
    assert.strictEqual(transferred.status, 200, transferred.text)
    await service.data("POST", `/api/v1/customers/${customer.id}/erase`, {})
    const again = await ask(key, { fingerprint: "a" })
    assert.deepStrictEqual([again.status, again.body.data.license_id], [200, data.license_id])
    assert.lengthOf(await licensesOf(product), 1)
  })

  it("shows no key any more that management has replaced, and goes on", async () => {
    const { key } = await offered()
    const { data } = (await ask(key, { fingerprint: "a" })).body
    const rotated = await service.call("POST", `/api/v1/licenses/${data.license_id}/rotate-key`, {
      body: { overlap_minutes: 0 },
      headers: { "idempotency-key": crypto.randomUUID() }
    })
    assert.isBelow(rotated.status, 300, rotated.text)
    const again = await ask(key, { fingerprint: "a" })
    assert.deepStrictEqual([again.status, again.body.data.license_id], [200, data.license_id])
    assert.notProperty(again.body.data, "license_key")
  })

  it("does not give the seat that another device took with its key", async () => {
    const { key } = await offered()
    const { data } = (await ask(key, { fingerprint: "a" })).body
    await service.license("deactivate", data.license_key, { fingerprint: "a" })
    assert.strictEqual((await service.license("activate", data.license_key, { fingerprint: "b" })).status, 200)
    refused(await ask(key, { fingerprint: "a" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    // The other device had no trial of its own yet.
    assert.strictEqual((await ask(key, { fingerprint: "b" })).status, 201)
  })

  it("starts with its activation where the policy says so", async () => {
    const { key } = await offered({ expiry_basis: "first_activation" })
    const { data } = (await ask(key, { fingerprint: "a" })).body
    const license = await service.data("GET", `/api/v1/licenses/${data.license_id}`)
    assert.notProperty(license, "awaits_activation")
    assert.strictEqual(license.expires_at, data.expires_at)
    const kinds = (await kindsOf(license.id)).map(({ event_type }) => event_type)
    assert.sameMembers(kinds, ["license.created", "license.started", "license.activated"])
  })
})

describe("guessing keys", () => {
  it("is limited by address, and refuses no app there whose key is right", async () => {
    const { key } = await offered()
    const from = "198.18.0.9"
    const guesses = await Promise.all(
      Array.from({ length: 70 }, () => ask({ key: `cpk_${"0".repeat(28)}` }, { fingerprint: "a" }, from))
    )
    assert.includeMembers(guesses.map(({ status }) => status), [401, 429])
    assert.strictEqual((await ask(key, { fingerprint: "guest" }, from)).status, 201)
  })
})
