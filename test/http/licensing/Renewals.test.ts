import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Issued } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString()

const renew = (id: string, body: unknown, headers: Record<string, string> = { "idempotency-key": randomUUID() }) =>
  service.call("POST", `/api/v1/licenses/${id}/renew`, { body, headers })

const issue = (type: string, license: object = {}): Promise<Issued> =>
  service.issue({ policy: { license_type: type }, license })

const renewed = async (id: string, body: unknown): Promise<Body> => {
  const answer = await renew(id, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

describe("renewLicense", () => {
  it("extends from the stored expiry while it lies ahead", async () => {
    for (const type of ["time_limited", "subscription", "trial"]) {
      const { license } = await issue(type, { expires_at: "2090-01-31T08:30:00.000Z" })
      const first = await renewed(license.id, { extend_by_days: 30 })
      assert.strictEqual(first.expires_at, "2090-03-02T08:30:00.000Z")
      assert.strictEqual(first.status, "active")
      assert.isAbove(first.entitlement_version, license.entitlement_version)
      // 30 and then 335 days are 365 days.
      assert.strictEqual(
        (await renewed(license.id, { extend_by_days: 335 })).expires_at,
        "2091-01-31T08:30:00.000Z"
      )
    }
  })

  it("extends from now when the license has expired, is in grace, or never had an expiry", async () => {
    const { license: expired } = await issue("subscription", { expires_at: inDays(-400) })
    const { license: grace } = await service.issue({
      policy: { grace_period_days: 30 },
      license: { expires_at: inDays(-10) }
    })
    const { license: endless } = await issue("trial")
    assert.strictEqual(expired.status, "expired")
    assert.strictEqual(grace.status, "grace_period")
    assert.notProperty(endless, "expires_at")
    for (const { id } of [expired, grace, endless]) {
      const before = Date.now()
      const license = await renewed(id, { extend_by_days: 7 })
      assert.strictEqual(license.status, "active")
      assert.isAtLeast(Date.parse(license.expires_at), before + 7 * day - 2000)
      assert.isAtMost(Date.parse(license.expires_at), Date.now() + 7 * day + 2000)
    }
  })

  it("counts from the expiry or from now where it is told to", async () => {
    const { license: grace } = await service.issue({
      policy: { grace_period_days: 30 },
      license: { expires_at: inDays(-10) }
    })
    const late = await renewed(grace.id, { extend_by_days: 30, renew_from: "expiry" })
    assert.strictEqual(Date.parse(late.expires_at), Date.parse(grace.expires_at) + 30 * day)
    const { license } = await issue("subscription", { expires_at: inDays(100) })
    const sooner = await renewed(license.id, { extend_by_days: 7, renew_from: "now" })
    assert.isAtMost(Date.parse(sooner.expires_at), Date.now() + 7 * day + 2000)
    const over = await service.issue({ license: { expires_at: inDays(-10) } })
    refused(await renew(over.license.id, { extend_by_days: 3, renew_from: "expiry" }), 422, "VALIDATION_ERROR")
    const error = refused(
      await renew(license.id, { expires_at: inDays(300), renew_from: "expiry" }),
      422,
      "VALIDATION_ERROR"
    )
    assert.strictEqual(error.fields[0].path, "renew_from")
  })

  it("comes back to its day after a short month, also from an end that an edit has set", async () => {
    const { license } = await service.issue({
      policy: { license_type: "subscription", duration: "P1M" },
      license: { starts_at: "2090-01-31T08:30:00.000Z" }
    })
    const ends = [license.expires_at]
    for (let term = 0; term < 3; term++) ends.push((await renewed(license.id, {})).expires_at)
    assert.deepStrictEqual(ends.map((end) => end.slice(0, 10)), [
      "2090-02-28",
      "2090-03-31",
      "2090-04-30",
      "2090-05-31"
    ])
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { expires_at: "2091-12-31T23:59:59.999Z" })
    const more: Array<string> = []
    for (let term = 0; term < 3; term++) more.push((await renewed(license.id, {})).expires_at)
    assert.deepStrictEqual(more.map((end) => end.slice(0, 10)), ["2092-01-31", "2092-02-29", "2092-03-31"])
    const moved = await service.data("PATCH", `/api/v1/licenses/${license.id}`, { starts_at: "2090-02-03T00:00:00Z" })
    assert.strictEqual(moved.term_anchor, "2091-12-31T23:59:59.999Z")
    assert.strictEqual((await renewed(license.id, {})).expires_at.slice(0, 10), "2092-04-30")
  })

  it("takes an instant instead of days", async () => {
    const { license } = await issue("subscription", { expires_at: inDays(10) })
    const { expires_at } = await renewed(license.id, { expires_at: "2088-02-29T12:00:00+02:00" })
    assert.strictEqual(expires_at, "2088-02-29T10:00:00.000Z")
  })

  it("needs exactly one of both, and an end that lies ahead, after the start and before the year 10000", async () => {
    const { license } = await issue("subscription", { starts_at: inDays(100), expires_at: inDays(200) })
    const wrong = [
      [{}, "expires_at"],
      [{ expires_at: inDays(300), extend_by_days: 3 }, "expires_at"],
      [{ extend_by_days: 0 }, "extend_by_days"],
      [{ extend_by_days: 1.5 }, "extend_by_days"],
      [{ extend_by_days: 2_147_483_647 }, "extend_by_days"],
      [{ expires_at: inDays(-1) }, "expires_at"],
      [{ expires_at: inDays(99) }, "expires_at"],
      [{ expires_at: "tomorrow" }, "expires_at"]
    ] as const
    for (const [body, path] of wrong) {
      const error = refused(await renew(license.id, body), 422, "VALIDATION_ERROR")
      assert.strictEqual(error.fields[0].path, path, JSON.stringify(body))
    }
    refused(await renew(license.id, { extend_by_days: 1, weeks: 2 }), 400, "UNKNOWN_FIELD")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).updated_at, license.updated_at)
  })

  it("refuses licenses that are not renewable, and revoked ones; a suspended one stays suspended", async () => {
    for (const type of ["perpetual", "consumption"]) {
      const { license } = await issue(type)
      refused(await renew(license.id, { extend_by_days: 1 }), 409, "STATE_CONFLICT")
    }
    const { license } = await issue("subscription", { expires_at: inDays(10) })
    await service.data("POST", `/api/v1/licenses/${license.id}/suspend`)
    assert.strictEqual((await renewed(license.id, { extend_by_days: 1 })).status, "suspended")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    refused(await renew(license.id, { extend_by_days: 1 }), 409, "STATE_CONFLICT")
    refused(await renew("lic_none", { extend_by_days: 1 }), 404, "NOT_FOUND")
  })

  it("is done once per Idempotency-Key, which it requires", async () => {
    const { license } = await issue("subscription", { expires_at: "2090-01-01T00:00:00.000Z" })
    refused(await renew(license.id, { extend_by_days: 1 }, {}), 400, "IDEMPOTENCY_KEY_REQUIRED")
    const headers = { "idempotency-key": randomUUID() }
    const first = await renew(license.id, { extend_by_days: 1 }, headers)
    const again = await renew(license.id, { extend_by_days: 1 }, headers)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    refused(await renew(license.id, { extend_by_days: 2 }, headers), 409, "IDEMPOTENCY_CONFLICT")
    const { expires_at } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.strictEqual(expires_at, "2090-01-02T00:00:00.000Z")
  })

  it("checks the order and the subscription, and writes them into the event alone", async () => {
    const { license, product } = await issue("subscription", { expires_at: "2090-01-01T00:00:00.000Z" })
    const period = { current_period_start: inDays(0), current_period_end: inDays(30) }
    const subscription = await service.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
      external_system: "billing",
      external_id: randomUUID(),
      status: "active",
      ...period
    })
    const order = await service.data("POST", `/api/v1/products/${product.id}/orders`, {
      external_system: "billing",
      external_id: randomUUID(),
      status: "paid",
      subscription_id: subscription.id
    })
    const left = await renewed(license.id, { extend_by_days: 1, order_id: order.id })
    const twice = refused(await renew(license.id, { extend_by_days: 1, order_id: order.id }), 409, "STATE_CONFLICT")
    assert.include(twice.detail, order.id)
    await service.feed()
    refused(await renew(license.id, { expires_at: inDays(500), order_id: order.id }), 409, "STATE_CONFLICT")
    assert.notProperty(left, "order_id")
    assert.notProperty(left, "subscription_id")
    const [event] = (await service.feed(`&resource_id=${license.id}&event_type=license.renewed`)).slice(-1)
    assert.deepStrictEqual(event.metadata, {
      previous_expires_at: "2090-01-01T00:00:00.000Z",
      extend_by_days: 1,
      order_id: order.id,
      subscription_id: subscription.id
    })
    assert.strictEqual(event.data.expires_at, "2090-01-02T00:00:00.000Z")

    refused(await renew(license.id, { extend_by_days: 1, order_id: "ord_none" }), 404, "NOT_FOUND")
    const other = await issue("subscription")
    refused(await renew(other.license.id, { extend_by_days: 1, order_id: order.id }), 422, "VALIDATION_ERROR")
  })

  it("adds up when renewals race", async () => {
    const { license } = await issue("subscription", { expires_at: "2090-01-01T00:00:00.000Z" })
    await Promise.all(Array.from({ length: 10 }, () => renewed(license.id, { extend_by_days: 3 })))
    const { expires_at } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.strictEqual(expires_at, "2090-01-31T00:00:00.000Z")
  })
})

describe("updateLicense", () => {
  const update = (id: string, body: unknown) => service.call("PATCH", `/api/v1/licenses/${id}`, { body })

  it("edits what it is given and leaves the rest", async () => {
    const { license } = await issue("subscription", {
      customer_email: "a@b.example",
      customer_name: "A",
      expires_at: inDays(10),
      metadata: { a: 1 }
    })
    const answer = await update(license.id, {
      customer_email: "",
      customer_name: "B",
      starts_at: "2026-01-01T00:00:00Z",
      expires_at: "2090-01-01T00:00:00Z",
      metadata: { b: 2 }
    })
    assert.strictEqual(answer.status, 200, answer.text)
    const { customer_email: _email, ...rest } = license
    assert.deepStrictEqual(answer.body.data, {
      ...rest,
      customer_name: "B",
      starts_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2090-01-01T00:00:00.000Z",
      term_anchor: "2090-01-01T00:00:00.000Z",
      metadata: { b: 2 },
      entitlement_version: license.entitlement_version + 1,
      updated_at: answer.body.data.updated_at
    })
    const cleared = await update(license.id, { starts_at: null, expires_at: null })
    assert.notProperty(cleared.body.data, "starts_at")
    assert.notProperty(cleared.body.data, "expires_at")
    const [event] = (await service.feed(`&resource_id=${license.id}&event_type=license.updated`)).slice(-1)
    assert.deepStrictEqual(event.data, cleared.body.data)
  })

  it("changes nothing and writes nothing when it is given nothing", async () => {
    const { license } = await issue("subscription")
    assert.deepStrictEqual((await update(license.id, {})).body.data, license)
    assert.lengthOf(await service.feed(`&resource_id=${license.id}`), 1)
  })

  it("holds to the rules of creation", async () => {
    const { license } = await issue("subscription", { expires_at: "2090-01-01T00:00:00Z" })
    const { license: perpetual } = await issue("perpetual")
    refused(await update(license.id, { maintenance_expires_at: inDays(1) }), 422, "VALIDATION_ERROR")
    refused(await update(license.id, { starts_at: "2090-01-01T00:00:00Z" }), 422, "VALIDATION_ERROR")
    refused(await update(license.id, { customer_email: "nobody" }), 422, "VALIDATION_ERROR")
    refused(await update(license.id, { policy_id: "pol_x" }), 400, "UNKNOWN_FIELD")
    refused(await update("lic_none", { metadata: {} }), 404, "NOT_FOUND")
    const kept = await update(perpetual.id, { maintenance_expires_at: "2088-01-01T00:00:00Z" })
    assert.strictEqual(kept.body.data.maintenance_expires_at, "2088-01-01T00:00:00.000Z")
    await service.data("POST", `/api/v1/licenses/${license.id}/revoke`)
    refused(await update(license.id, { expires_at: null }), 409, "STATE_CONFLICT")
    assert.deepStrictEqual((await update(license.id, { metadata: { note: "fraud" } })).body.data.metadata, {
      note: "fraud"
    })
  })
})
