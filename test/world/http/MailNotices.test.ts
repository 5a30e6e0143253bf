// Notices to the owners of licenses, in the test environment, whose clock is moved: each sent once, or not once it is over.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { headerOf, MailServer } from "../../fixtures/MailServer.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const server = await new MailServer().start()
const names = ["grace", "renewed", "before", "warned", "metered", "seated", "owing", "paid", "many"]
const settings = {
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>",
  COUNTERSIGN_MAIL_TEST_ADDRESSES: names.map((name) => `${name}@example.com`).join(",")
}

let test: Service

beforeAll(async () => {
  const service = await startService({ environment: settings })
  test = inTestOf(service, testDatabaseOf(service))
})

/** Moves the clock of the test environment. */
const pass = (advance: string) => test.data("PUT", "/api/v1/environment/clock", { advance })

/** A license that ends so many days from now. */
const ending = async (customer_email: string, days: number, policy: object) => {
  const { now } = await pass("PT1M")
  const expires_at = new Date(Date.parse(now) + days * 86_400_000).toISOString()
  return (await test.issue({ policy, license: { customer_email, expires_at } })).license
}

const settledInTest = (license: Body, count = 1): Promise<ReadonlyArray<Body>> =>
  eventually(`${count} mails of ${license.id} are settled`, async () => {
    const events = await test.feed(`&event_type=mail.*&resource_id=${license.id}`)
    return events.length >= count ? events : undefined
  })

/** A write under a key of its own. */
const post = (path: string, body: object = {}) =>
  test.data("POST", path, body, { headers: { "idempotency-key": randomUUID() } })

const textOf = ({ raw }: { readonly raw: string }): string => raw.replaceAll("=\r\n", "")

describe("a mail without a key", () => {
  it("about an expiry says until when the license still works, and at the end of its grace that it does not", async () => {
    const license = await ending("grace@example.com", 1, { mails: ["license_expired"], grace_period_days: 2 })
    await pass("P1DT1H")
    const [mail] = await server.to("grace@example.com")
    assert.strictEqual(headerOf(mail!, "Subject"), "Your license for Acme Studio has expired")
    assert.match(mail!.raw, /You can keep using it until \d/)
    const [started] = await test.feed(`&event_type=license.grace_started&resource_id=${license.id}`)
    assert.strictEqual(headerOf(mail!, "Message-ID"), `<${started!.id}.license_expired@acme.example>`)
    await settledInTest(license)
    await pass("P2D")
    const [, last] = await server.to("grace@example.com", 2)
    assert.include(last!.raw, "It no longer works.")
    await settledInTest(license, 2)
  })

  it("about an expiry that comes is sent 30, 7 and 1 day before it, its event 7 days before alone, and again for a new end", async () => {
    const license = await ending("warned@example.com", 40, { mails: ["license_expiring"] })
    const told = async (count: number) => (await server.to("warned@example.com", count)).length
    for (const [advance, count] of [["P11D", 1], ["P23D", 2], ["P5DT20H", 3]] as const) {
      await pass(advance)
      assert.strictEqual(await told(count), count)
    }
    const events = await test.feed(`&event_type=license.expiring&resource_id=${license.id}`)
    assert.lengthOf(events, 1)
    const [first, second] = await server.to("warned@example.com")
    assert.strictEqual(headerOf(first!, "Subject"), "Your license for Acme Studio will expire soon")
    assert.strictEqual(headerOf(second!, "Message-ID"), `<${events[0]!.id}.license_expiring@acme.example>`)
    const { now } = await pass("PT1M")
    await test.data("PATCH", `/api/v1/policies/${license.policy_id}`, { expiring_days: [20, 3] })
    const expires_at = new Date(Date.parse(now) + 25 * 86_400_000).toISOString()
    await test.data("POST", `/api/v1/licenses/${license.id}/renew`, { expires_at }, {
      headers: { "idempotency-key": randomUUID() }
    })
    await pass("P6D")
    assert.strictEqual(await told(4), 4)
    assert.lengthOf(await test.feed(`&event_type=license.expiring&resource_id=${license.id}`), 2)
    await settledInTest(license, 4)
  })

  it("is not sent once the license is renewed, says why, and none is sent of an end before the license was recorded", async () => {
    server.behaviours.set("renewed@example.com", 450)
    const mails = { mails: ["license_expired"] }
    const license = await ending("renewed@example.com", 1, mails)
    await ending("before@example.com", -1, mails)
    await pass("P1DT1H")
    await eventually("it is tried", () => server.named.get("renewed@example.com"))
    await test.data("POST", `/api/v1/licenses/${license.id}/renew`, { expires_at: "2099-01-01T00:00:00Z" }, {
      headers: { "idempotency-key": randomUUID() }
    })
    server.behaviours.delete("renewed@example.com")
    await pass("PT1H")
    const [failed] = await settledInTest(license)
    assert.deepInclude(failed, { event_type: "mail.failed" })
    assert.deepInclude(failed!.data, { kind: "license_expired", reason: "outdated" })
    assert.isUndefined(server.named.get("before@example.com"))
  })

  it("about a quota says what is left, for the last threshold that a use reached, and for an app's use as for a backend's", async () => {
    const { key, license, policy, product } = await test.issue({
      policy: { mails: ["quota_threshold"] },
      license: { customer_email: "metered@example.com" }
    })
    const feature = await test.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "PDF exports",
      code: "pdf"
    })
    await test.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 10,
      quota_thresholds: [50, 80, 100]
    })
    await test.data("POST", "/api/v1/usage", {
      uses: [{ license_id: license.id, feature_code: "pdf", event_id: randomUUID(), amount: 9 }]
    })
    const [mail] = await server.to("metered@example.com")
    assert.strictEqual(headerOf(mail!, "Subject"), "Acme Studio: 1 of 10 left for PDF exports")
    await test.license("activate", key, { fingerprint: "meter" })
    await test.license("consume", key, { fingerprint: "meter", feature_code: "pdf", event_id: randomUUID() })
    await server.to("metered@example.com", 2)
    const events = await settledInTest(license, 2)
    assert.deepStrictEqual(events.map(({ data }) => data.kind), ["quota_threshold", "quota_threshold"])
  })

  it("about a device is sent for a new one alone, and not where it has given its seat back meanwhile", async () => {
    const { key, license } = await test.issue({
      policy: { mails: ["device_added"], max_activations: 3 },
      license: { customer_email: "seated@example.com" }
    })
    const app = async (action: string, hostname: string) => {
      const { status, text } = await test.license(action, key, { hostname, fingerprint: `fingerprint of ${hostname}` })
      assert.strictEqual(status, 200, text)
    }
    await app("activate", "Ada's laptop")
    const [mail] = await server.to("seated@example.com")
    assert.include(textOf(mail!), "Ada's laptop")
    await settledInTest(license)
    await app("deactivate", "Ada's laptop")
    await app("activate", "Ada's laptop")
    server.behaviours.set("seated@example.com", 450)
    await app("activate", "tower")
    await eventually("it is tried", () => (server.named.get("seated@example.com") ?? 0) > 1 || undefined)
    await app("deactivate", "tower")
    server.behaviours.delete("seated@example.com")
    await pass("PT1H")
    const events = await settledInTest(license, 2)
    assert.deepStrictEqual(events.map(({ data }) => data.reason), [undefined, "outdated"])
    assert.lengthOf(await server.to("seated@example.com"), 1)
  })

  it("about a payment goes to each owner once, and not once it was made", async () => {
    const { license, policy, product } = await test.issue({
      policy: { mails: ["payment_failed"] },
      license: { customer_email: "owing@example.com" }
    })
    const subscription = await test.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: "2099-01-01T00:00:00Z",
      external_system: "stripe",
      external_id: randomUUID(),
      status: "active"
    })
    const path = `/api/v1/subscriptions/${subscription.id}`
    const link = { product_id: product.id, policy_id: policy.id, subscription_id: subscription.id }
    await test.data("POST", "/api/v1/licenses", { ...link, customer_email: "owing@example.com" })
    await test.data("POST", "/api/v1/licenses", { ...link, customer_email: "owing@example.com" })
    const late = await test.data("POST", "/api/v1/licenses", { ...link, customer_email: "paid@example.com" })
    server.behaviours.set("paid@example.com", 450)
    await test.data("PATCH", path, { status: "past_due" })
    await server.to("owing@example.com")
    await eventually("it is tried", () => server.named.get("paid@example.com"))
    await test.data("PATCH", path, { status: "active" })
    server.behaviours.delete("paid@example.com")
    await pass("PT1H")
    const [failed] = await settledInTest(late.license)
    assert.deepInclude(failed!.data, { kind: "payment_failed", reason: "outdated" })
    assert.strictEqual(server.named.get("owing@example.com"), 1)
    assert.deepStrictEqual(await test.feed(`&event_type=mail.*&resource_id=${license.id}`), [])
  })

  it("is sent for none of 1,000 licenses at once whose ends are over, and days are told from what is none", async () => {
    const { policy, product } = await test.issue({
      policy: { mails: ["license_issued", "license_expiring", "license_expired"] }
    })
    for (const _ of Array.from({ length: 2 })) {
      const { created } = await post("/api/v1/licenses/bulk", {
        defaults: {
          product_id: product.id,
          policy_id: policy.id,
          customer_email: "many@example.com",
          expires_at: "2020-01-01T00:00:00Z"
        },
        licenses: Array.from({ length: 500 }, () => ({}))
      })
      assert.strictEqual(created, 500)
    }
    // Each stop of the clock waits until what is due has happened.
    await pass("P1D")
    assert.isUndefined(server.named.get("many@example.com"))
    for (const days of [[], [0], [366], [1, 1], [1.5]]) {
      const answer = await test.call("PATCH", `/api/v1/policies/${policy.id}`, { body: { expiring_days: days } })
      assert.strictEqual(answer.status, 422, JSON.stringify(days))
    }
    assert.notProperty(
      await test.data("PATCH", `/api/v1/policies/${policy.id}`, { expiring_days: null }),
      "expiring_days"
    )
  })
})
