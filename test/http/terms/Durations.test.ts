import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { movedClock } from "../../fixtures/MovedClock.ts"
import type { MovedClock } from "../../fixtures/MovedClock.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../fixtures/Service.ts"

let clock: MovedClock
let service: Service

beforeAll(async () => {
  clock = await movedClock()
  service = await startService({ databaseUrl: clock.databaseUrl })
})

const day = 86_400_000
const isNear = (instant: string, expected: number) =>
  assert.isBelow(Math.abs(Date.parse(instant) - expected), 120_000, instant)
const get = (id: string) => service.data("GET", `/api/v1/licenses/${id}`)
const activate = (key: string, fingerprint: string): Promise<Answer> =>
  service.license("activate", key, { fingerprint })
const inAYear = () => {
  const end = new Date()
  return end.setUTCFullYear(end.getUTCFullYear() + 1)
}

describe("a policy with a duration", () => {
  it("ends licenses that long after their creation, or after their start", async () => {
    const { license, policy, product } = await service.issue({ policy: { duration: "P1Y" } })
    isNear(license.expires_at, inAYear())
    const issue = (more: object) =>
      service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id, ...more })
    const later = await issue({ starts_at: "2027-01-31T10:00:00Z" })
    assert.strictEqual(later.license.expires_at, "2028-01-31T10:00:00.000Z")
    const explicit = await issue({ expires_at: "2027-06-01T00:00:00Z" })
    assert.strictEqual(explicit.license.expires_at, "2027-06-01T00:00:00.000Z")
    const own = await issue({ starts_at: "2027-01-31T10:00:00Z", overrides: { duration: "P1M" } })
    assert.strictEqual(own.license.expires_at, "2027-02-28T10:00:00.000Z")
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: product.id, policy_id: policy.id },
      licenses: [{ starts_at: "2027-01-31T10:00:00Z" }, { expires_at: "2027-06-01T00:00:00Z" }]
    })
    assert.deepStrictEqual(results.map((row: { license: { expires_at: string } }) => row.license.expires_at), [
      "2028-01-31T10:00:00.000Z",
      "2027-06-01T00:00:00.000Z"
    ])
  })

  it("covers updates of perpetual licenses for its maintenance_duration", async () => {
    const { license } = await service.issue({ policy: { license_type: "perpetual", maintenance_duration: "P1Y" } })
    assert.notProperty(license, "expires_at")
    isNear(license.maintenance_expires_at, inAYear())
  })

  it("is what a renewal without dates adds", async () => {
    const { license } = await service.issue({ policy: { duration: "P1Y" } })
    const renew = (id: string, body: object = {}) =>
      service.call("POST", `/api/v1/licenses/${id}/renew`, { body, headers: { "idempotency-key": randomUUID() } })
    const renewed = await renew(license.id)
    const end = new Date(license.expires_at)
    end.setUTCFullYear(end.getUTCFullYear() + 1)
    assert.strictEqual(renewed.body.data.expires_at, end.toISOString())
    const without = await service.issue()
    invalid(await renew(without.license.id), "expires_at", "required")
  })

  it.each([
    [{ license_type: "perpetual", duration: "P1Y" }, "duration", /maintenance_duration/],
    [{ license_type: "trial", maintenance_duration: "P1Y" }, "maintenance_duration", /use duration/],
    [{ license_type: "trial", expiry_basis: "first_activation" }, "expiry_basis", /needs a duration/],
    [{ license_type: "trial", follows_subscription: true }, "follows_subscription", /subscription only/],
    [
      { license_type: "subscription", follows_subscription: true, duration: "P1M" },
      "follows_subscription",
      /excludes duration/
    ],
    [{ license_type: "trial", floating_overage: "10%" }, "floating_overage", /needs max_floating_users/],
    [{ license_type: "trial", max_self_service_resets: 3 }, "max_self_service_resets", /needs self_service: true/],
    [
      { license_type: "trial", allow_offline_activation: false, offline_file_days: 3 },
      "offline_file_days",
      /needs allow_offline_activation/
    ]
  ])("is refused where it contradicts itself, with the cure: %j", async (body, path, cure) => {
    const product = await service.data("POST", "/api/v1/products", { name: "P", code: randomUUID() })
    const create = (more: object) =>
      service.call("POST", `/api/v1/products/${product.id}/policies`, {
        body: { name: "P", code: randomUUID(), ...more }
      })
    const answer = await create(body)
    invalid(answer, path, "contradiction")
    assert.match(answer.body.error.message, cure)
    // As a change of a policy that was sound.
    const { license_type, ...rules } = body
    const sound = (await create({ license_type })).body.data
    invalid(await service.call("PATCH", `/api/v1/policies/${sound.id}`, { body: rules }), path, "contradiction")
  })
})

describe("a policy whose licenses start with their first activation", () => {
  const policy = { duration: "P1Y", expiry_basis: "first_activation", max_activations: 100, grace_period_days: 7 }

  it("has no end before, and one from then on, in the same transaction, with its event", async () => {
    const { key, license } = await service.issue({ policy })
    assert.deepInclude(license, { status: "active", awaits_activation: true })
    assert.notProperty(license, "expires_at")
    const answer = await activate(key, "one")
    isNear(answer.body.data.expires_at, inAYear())
    const started = await get(license.id)
    assert.notProperty(started, "awaits_activation")
    assert.strictEqual(started.expires_at, answer.body.data.expires_at)
    assert.isDefined(started.starts_at)
    assert.strictEqual(answer.body.data.entitlement_version, started.entitlement_version)
    await activate(key, "two")
    assert.strictEqual((await get(license.id)).expires_at, started.expires_at)
    const events = await service.feed(`&resource_id=${license.id}`)
    assert.deepStrictEqual(events.map(({ event_type }) => event_type), [
      "license.created",
      "license.started",
      "license.activated",
      "license.activated"
    ])
    assert.strictEqual(events[2]!.data.expires_at, started.expires_at)
    assert.strictEqual(events[1]!.data.starts_at, started.starts_at)
  })

  it("starts once, whoever of 60 callers is the first", async () => {
    const { key, license } = await service.issue({ policy })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => activate(key, `device-${index}`)))
    assert.isTrue(answers.every(({ status }) => status === 200))
    assert.strictEqual(new Set(answers.map(({ body }) => body.data.expires_at)).size, 1)
    const events = await service.feed(`&event_type=license.started&resource_id=${license.id}`)
    assert.lengthOf(events, 1)
    assert.strictEqual((await get(license.id)).active_device_count, 60)
  })

  it("starts with a checkout as well", async () => {
    const { key, license } = await service.issue({ policy: { ...policy, max_floating_users: 5 } })
    const answers = await Promise.all(
      ["a", "b", "c"].map((fingerprint) => service.license("floating/checkout", key, { fingerprint }))
    )
    const { expires_at } = await get(license.id)
    assert.deepStrictEqual(answers.map(({ body }) => body.data.expires_at), [expires_at, expires_at, expires_at])
    assert.lengthOf(await service.feed(`&event_type=license.started&resource_id=${license.id}`), 1)
  })

  it("is over, without grace, when it was not started in time", async () => {
    const before = new Date(Date.now() + day).toISOString()
    const { key, license } = await service.issue({ policy, license: { activate_before: before } })
    const { license: other, key: inTime } = await service.issue({ policy, license: { activate_before: before } })
    assert.deepInclude(license, { activate_before: before, expires_at: before })
    assert.strictEqual((await activate(inTime, "one")).status, 200)
    assert.notProperty(await get(other.id), "activate_before")
    await clock.set(Date.now() + day)
    const late = refused(await activate(key, "one"), 403, "LICENSE_EXPIRED")
    assert.isDefined(late)
    assert.strictEqual((await get(license.id)).status, "expired")
    const explained = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
      operation: "activate",
      binding: { fingerprint: "one" }
    })
    assert.deepStrictEqual(explained.findings[0].term, { name: "activate_before", value: before, from: "license" })
    await clock.set(Date.now())
  })

  it("is what management says where it says a date", async () => {
    const { key, license } = await service.issue({ policy })
    const patched = await service.data("PATCH", `/api/v1/licenses/${license.id}`, {
      expires_at: "2027-06-01T00:00:00Z"
    })
    assert.notProperty(patched, "awaits_activation")
    assert.strictEqual((await activate(key, "one")).body.data.expires_at, "2027-06-01T00:00:00.000Z")
    invalid(
      await service.call("POST", "/api/v1/licenses", {
        body: {
          product_id: license.product_id,
          policy_id: license.policy_id,
          activate_before: "2027-01-01T00:00:00Z",
          expires_at: "2028-01-01T00:00:00Z"
        }
      }),
      "activate_before",
      "contradiction"
    )
  })

  it("is not renewed before it has started", async () => {
    const { license } = await service.issue({ policy })
    const answer = await service.call("POST", `/api/v1/licenses/${license.id}/renew`, {
      body: {},
      headers: { "idempotency-key": randomUUID() }
    })
    assert.strictEqual(refused(answer, 409, "STATE_CONFLICT").detail, "awaits_activation")
  })
})
