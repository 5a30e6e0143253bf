import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { movedClock } from "../../../fixtures/MovedClock.ts"
import type { MovedClock } from "../../../fixtures/MovedClock.ts"
import type { Answer, Service } from "../../../fixtures/Service.ts"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import { session } from "../../../fixtures/Session.ts"

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
    const later = await issue({ starts_at: "2035-01-31T10:00:00Z" })
    assert.strictEqual(later.license.expires_at, "2036-01-31T10:00:00.000Z")
    const explicit = await issue({ expires_at: "2035-06-01T00:00:00Z" })
    assert.strictEqual(explicit.license.expires_at, "2035-06-01T00:00:00.000Z")
    const own = await issue({ starts_at: "2035-01-31T10:00:00Z", overrides: { duration: "P1M" } })
    assert.strictEqual(own.license.expires_at, "2035-02-28T10:00:00.000Z")
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: product.id, policy_id: policy.id },
      licenses: [{ starts_at: "2035-01-31T10:00:00Z" }, { expires_at: "2035-06-01T00:00:00Z" }]
    })
    assert.deepStrictEqual(results.map((row: { license: { expires_at: string } }) => row.license.expires_at), [
      "2036-01-31T10:00:00.000Z",
      "2035-06-01T00:00:00.000Z"
    ])
  })

  it("is of less than 5,000 years where it is written, so that what is issued has an end that can be said", async () => {
    const { policy, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "F", code: "f" })
    const policies = `/api/v1/products/${product.id}/policies`
    const longest = "P4999Y9999M9999W99999DT99999H999999M"
    const calls: ReadonlyArray<(text: string) => Promise<Answer>> = [
      (duration) =>
        service.call("POST", policies, {
          body: { name: "P", code: randomUUID(), license_type: "time_limited", duration }
        }),
      (duration) => service.call("PATCH", `/api/v1/policies/${policy.id}`, { body: { duration } }),
      (maintenance_duration) =>
        service.call("POST", policies, {
          body: { name: "P", code: randomUUID(), license_type: "perpetual", maintenance_duration }
        }),
      (duration) =>
        service.call("POST", "/api/v1/licenses", {
          body: { product_id: product.id, policy_id: policy.id, overrides: { duration } }
        }),
      (expires_after) =>
        service.call("POST", `${policies}/${policy.id}/features`, { body: { feature_id: feature.id, expires_after } })
    ]
    for (const call of calls) {
      refused(await call("P5000Y"), 422, "VALIDATION_ERROR")
      refused(await call("P9999Y"), 422, "VALIDATION_ERROR")
      const taken = await call(longest)
      assert.isBelow(taken.status, 300, taken.text)
    }
    assert.match((await service.issue({ policy: { duration: longest } })).license.expires_at, /^8\d{3}-/)
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
    [{ license_type: "trial", lease_unit: "process" }, "lease_unit", /needs max_floating_users/],
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
      expires_at: "2035-06-01T00:00:00Z"
    })
    assert.notProperty(patched, "awaits_activation")
    assert.strictEqual((await activate(key, "one")).body.data.expires_at, "2035-06-01T00:00:00.000Z")
    invalid(
      await service.call("POST", "/api/v1/licenses", {
        body: {
          product_id: license.product_id,
          policy_id: license.policy_id,
          activate_before: "2035-01-01T00:00:00Z",
          expires_at: "2036-01-01T00:00:00Z"
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

describe("a duration that was stored before there was a limit", () => {
  /** What is done while a policy has the duration; the doctor finds it as it was. */
  const stored = async (id: string, member: "duration" | "maintenance_duration", act: () => Promise<void>) => {
    const sql = await session(service.databaseUrl)
    const write = (value: string) => sql.query(`UPDATE policies SET ${member} = $2 WHERE id = $1`, [id, value])
    await write("P9999Y")
    try {
      await act()
    } finally {
      await write("P1Y")
    }
  }
  const lazy = { duration: "P1Y", expiry_basis: "first_activation", max_floating_users: 2 }

  it("issues nothing, and says which policy is to be changed", async () => {
    for (
      const [terms, member, path] of [
        [{ duration: "P1Y" }, "duration", "expires_at"],
        [lazy, "duration", "expires_at"],
        [{ license_type: "perpetual", maintenance_duration: "P1Y" }, "maintenance_duration", "maintenance_expires_at"]
      ] as const
    ) {
      const { policy, product } = await service.issue({ policy: terms })
      const body = { product_id: product.id, policy_id: policy.id }
      await stored(policy.id, member, async () => {
        const answer = await service.call("POST", "/api/v1/licenses", { body })
        invalid(answer, path, "out_of_range")
        assert.include(answer.body.error.message, `${member} P9999Y of the policy ${policy.id}: PATCH it`)
        invalid(
          await service.call("POST", "/api/v1/licenses/bulk", { body: { defaults: body, licenses: [{}] } }),
          `licenses.0.${path}`,
          "out_of_range"
        )
        const given = await service.data("POST", "/api/v1/licenses", { ...body, [path]: "2088-01-01T00:00:00Z" })
        assert.strictEqual(given.license[path], "2088-01-01T00:00:00.000Z")
      })
    }
  })

  it("starts no license that would be without an end; explain says so, and the policy's change is the cure", async () => {
    const { key, license, policy, product } = await service.issue({ policy: lazy })
    const other = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Other",
      code: "other",
      license_type: "time_limited",
      ...lazy
    })
    const waiting = await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: other.id })
    await stored(policy.id, "duration", async () => {
      for (const operation of ["activate", "floating/checkout"]) {
        const error = refused(
          await service.license(operation, key, { fingerprint: "one" }),
          403,
          "LICENSE_INACTIVE"
        )
        assert.strictEqual(error.detail, "out_of_range")
      }
      const { deciding_rule, findings } = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
        operation: "activate",
        binding: { fingerprint: "one" }
      })
      assert.strictEqual(deciding_rule, "term_out_of_range")
      assert.deepInclude(findings[0], {
        code: "LICENSE_INACTIVE",
        detail: "out_of_range",
        term: { name: "duration", value: "P9999Y", from: "policy" }
      })
      assert.deepInclude(await get(license.id), { awaits_activation: true, active_device_count: 0 })
      // Nor does another license come under it that waits.
      invalid(
        await service.call("POST", `/api/v1/licenses/${waiting.license.id}/change-policy`, {
          body: { policy_id: policy.id, expiry: "policy" },
          headers: { "idempotency-key": randomUUID() }
        }),
        "expiry",
        "out_of_range"
      )
    })
    isNear((await activate(key, "one")).body.data.expires_at, inAYear())
  })

  it("of a feature ends it with the last instant that can be said", async () => {
    const { license, policy, product } = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "F", code: "f" })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      expires_after: "P1Y"
    })
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { starts_at: "9999-06-01T00:00:00Z" })
    const [granted] = await service.data("GET", `/api/v1/licenses/${license.id}/features`)
    assert.strictEqual(granted.expires_at, "9999-12-31T23:59:59.999Z")
  })
})
