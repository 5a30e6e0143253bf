import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../fixtures/Doctor.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually, holdLicense, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

// Two nodes with both environments.
const service = await startService()
const testDatabase = testDatabaseOf(service)
const other = await startService({ databaseUrl: service.databaseUrl })

const test = { token: testToken }
const day = 86_400_000

/** A management call in the test environment that must succeed; answers `data`. */
const inTest = (method: string, path: string, body?: unknown, on = service): Promise<Body> =>
  on.data(method, path, body, test)

/** A product, a policy and a license of the test environment. */
const issueInTest = async (policy: object = {}) => {
  const code = randomUUID()
  const product = await inTest("POST", "/api/v1/products", { name: "Acme Studio", code })
  const { id } = await inTest("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Annual",
    code: "annual",
    license_type: "subscription",
    duration: "P1Y",
    ...policy
  })
  const issued = await inTest("POST", "/api/v1/licenses", { product_id: product.id, policy_id: id })
  return { product, license: issued.license, key: String(issued.license_key) }
}

/** The events of a resource, once there are some. */
const feedOf = (resource: string): Promise<Array<Body>> =>
  eventually(`the events of ${resource} are in the feed`, async () => {
    const { body } = await service.call("GET", `/api/v1/events?limit=200&resource_id=${resource}`, test)
    return body.data.length > 0 && body.data
  })

describe("the test environment", () => {
  it("is another world than the live one: no product, name, number or event of one is in the other", async () => {
    const live = await service.issue()
    const liveHead = (await service.feed()).length
    const { license, product } = await issueInTest()
    const twin = await inTest("POST", "/api/v1/products", { name: "Acme Studio", code: live.product.code })
    assert.notStrictEqual(twin.id, live.product.id)
    for (
      const [token, path] of [
        [adminToken, `/api/v1/products/${product.id}`],
        [adminToken, `/api/v1/licenses/${license.id}`],
        [testToken, `/api/v1/products/${live.product.id}`],
        [testToken, `/api/v1/licenses/${live.license.id}`]
      ] as const
    ) {
      assert.strictEqual((await service.call("GET", path, { token })).status, 404, path)
    }
    assert.lengthOf(await service.feed(), liveHead)
    const { found } = await examine(testDatabase)
    assert.deepStrictEqual(found, [])
  })

  it("is told by every credential, and says its name in what it signs and records; live says nothing", async () => {
    const { key, license, product } = await issueInTest()
    assert.match(key, /^CST-/)
    const created = await inTest("POST", "/api/v1/api-keys", { name: "ci", scopes: ["license:read"] })
    assert.match(created.token, /^csk_test_/)
    assert.strictEqual(
      (await service.call("GET", `/api/v1/licenses/${license.id}`, { token: created.token })).status,
      200
    )
    const device = { product_code: product.code, fingerprint: "f-1" }
    const activated = await service.license("activate", key, device)
    assert.strictEqual(activated.body.data.environment, "test")
    const refused = await service.license("validate", key, { ...device, fingerprint: "f-2" })
    assert.strictEqual(refused.body.meta.refusal.data.environment, "test")
    // Pasted as people do, it leads to the same place.
    const pasted = await service.license("validate", `License key: ${key.toLowerCase()}`, device)
    assert.strictEqual(pasted.body.data.environment, "test")
    const events = await feedOf(license.id)
    for (const event of events) assert.strictEqual(event.environment, "test")
    const list = await service.call("GET", "/test/api/v1/license/revocations", { token: null })
    assert.strictEqual(list.body.data.environment, "test")

    const live = await service.issue()
    const answer = await service.license("activate", live.key, { product_code: live.product.code, fingerprint: "f-1" })
    assert.notProperty(answer.body.data, "environment")
    for (const event of await service.feed()) assert.notProperty(event, "environment")
  })

  it("has documents of its own under /test", async () => {
    const live = await service.call("GET", "/api/v1/system/public-keys", { token: null })
    const keys = await service.call("GET", "/test/api/v1/system/public-keys", { token: null })
    assert.notStrictEqual(keys.body.data[0].kid, live.body.data[0].kid)
    assert.strictEqual((await service.call("GET", "/test/.well-known/jwks.json", { token: null })).status, 200)
  })

  it("takes no credential of the live environment, and says which it is of", async () => {
    const live = await service.issue()
    const token = await service.call("GET", "/test/api/v1/products", {})
    assert.strictEqual(token.status, 401)
    const { token: limited } = await service.data("POST", "/api/v1/api-keys", { name: "ci", scopes: ["license:read"] })
    const key = await service.call("GET", "/test/api/v1/products", { token: limited })
    assert.strictEqual(key.status, 401)
    assert.match(key.body.error.message, /live environment/)
    const app = await service.call("POST", "/test/api/v1/license/validate", {
      licenseKey: live.key,
      body: { product_code: live.product.code, fingerprint: "f-1" }
    })
    assert.strictEqual(app.status, 401)
    assert.match(app.body.error.message, /live environment/)
  })

  it("does what is due on the way of its clock, at its own time and in order, before the call answers", async () => {
    const receiver = await startReceiver()
    await inTest("POST", "/api/v1/webhooks", { name: "told", url: receiver.url, event_types: ["license.*"] })
    const { key, license, product } = await issueInTest({ grace_period_days: 14 })
    const device = { product_code: product.code, fingerprint: "f-1" }
    assert.strictEqual((await service.license("activate", key, device)).status, 200)
    const before = await inTest("GET", "/api/v1/environment")

    const moved = await inTest("PUT", "/api/v1/environment/clock", { advance: "P13M" })
    const due = (await feedOf(license.id)).filter(({ event_type }) => /expir|grace/.test(event_type))
    const end = Date.parse(license.expires_at)
    assert.deepStrictEqual(
      due.map(({ created_at, event_type }) => [event_type, Math.round((Date.parse(created_at) - end) / day)]),
      [["license.expiring", -7], ["license.grace_started", 0], ["license.expired", 14]]
    )
    assert.isAtLeast(moved.events, 3)
    assert.isAbove(Date.parse(moved.now) - Date.parse(before.now), 390 * day)
    const told = receiver.received.map(({ body }) => JSON.parse(body))
    assert.includeMembers(told.map(({ id }) => id), due.map(({ id }) => id))
    for (const { environment } of told) assert.strictEqual(environment, "test")
    // Receivers compare the time of the signature with their own clock.
    for (const { headers } of receiver.received) {
      assert.closeTo(Number(headers["webhook-timestamp"]) * 1000, Date.now(), 10 * 60_000)
    }
    const refused = await service.license("validate", key, device)
    assert.strictEqual(refused.body.error.code, "LICENSE_EXPIRED")
    // The other node follows, and nothing lies between the tables and the log.
    await eventually(
      "the other node follows",
      async () =>
        Date.parse((await inTest("GET", "/api/v1/environment", undefined, other)).now) >= Date.parse(moved.now)
    )
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })

  it("frees floating seats whose time is over, when its clock passes it", async () => {
    const { key, license, product } = await issueInTest({ max_floating_users: 1 })
    const first = await service.license("floating/checkout", key, { product_code: product.code, fingerprint: "f-1" })
    assert.strictEqual(first.status, 200, first.text)
    const full = await service.license("floating/checkout", key, { product_code: product.code, fingerprint: "f-2" })
    assert.strictEqual(full.status, 403)
    await inTest("PUT", "/api/v1/environment/clock", { advance: "PT1H" })
    const { body } = await service.call("GET", "/api/v1/events?limit=50&order=desc", test)
    const freed = body.data.find(({ event_type }: Body) => event_type === "lease.expired")
    assert.strictEqual(freed.data.license_id, license.id)
    const second = await service.license("floating/checkout", key, { product_code: product.code, fingerprint: "f-2" })
    assert.strictEqual(second.status, 200, second.text)
  })

  it("refuses a move that makes no sense", async () => {
    const { now } = await inTest("GET", "/api/v1/environment")
    for (
      const body of [
        {},
        { now, advance: "P1D" },
        { now: new Date(Date.parse(now) - day).toISOString() },
        { advance: "P11Y" },
        { advance: "a month" },
        { now: "9999-12-31T23:59:59Z" }
      ]
    ) {
      const { status, text } = await service.call("PUT", "/api/v1/environment/clock", { ...test, body })
      assert.strictEqual(status, 422, `${JSON.stringify(body)}: ${text}`)
    }
  })

  it("leaves the clock and the data of the live environment alone", async () => {
    const move = await service.call("PUT", "/api/v1/environment/clock", { body: { advance: "P1D" } })
    const reset = await service.call("POST", "/api/v1/environment/reset")
    for (const { body, status } of [move, reset]) {
      assert.strictEqual(status, 409)
      assert.match(body.error.message, /live environment/)
    }
    const { clock_moved, name } = await service.data("GET", "/api/v1/environment")
    assert.deepStrictEqual({ name, clock_moved }, { name: "live", clock_moved: false })
    const { query } = await session(service.databaseUrl)
    const [{ found }] = await query("SELECT to_regclass('environment_clock') IS NOT NULL AS found")
    assert.isFalse(found)
  })

  it("leaves every table of the live environment as it is, whatever happens in it", async () => {
    await service.feed()
    const { query } = await session(service.databaseUrl)
    // The heartbeats of the nodes go on, and so do the looks of what wakes by the clock.
    const tables = (await query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('node_runners', 'node_locks', 'rate_limits', 'webhook_minutes') ORDER BY 1`))
      .map(({ name }) => String(name))
    const shown = () =>
      Promise.all(tables.map(async (name) => {
        const [{ rows }] = await query(
          `SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS rows FROM "${name}" t`
        )
        return [name, rows]
      }))
    const before = await shown()
    const { key, license, product } = await issueInTest({ grace_period_days: 3, max_floating_users: 2 })
    const device = { product_code: product.code, fingerprint: "f-1" }
    await service.license("floating/checkout", key, device)
    await inTest("POST", `/api/v1/licenses/${license.id}/suspend`)
    await inTest("POST", "/api/v1/signing-keys/rotate")
    await inTest("PUT", "/api/v1/environment/clock", { advance: "P2Y" })
    await service.call("GET", "/api/v1/reports/usage/summary", test)
    assert.deepStrictEqual(await shown(), before)
  })

  it("goes on while live works on something that waits", async () => {
    const live = await service.issue()
    const lock = await holdLicense(service.databaseUrl, live.license.id)
    const stuck = service.license("activate", live.key, { fingerprint: "held" })
    await lock.blocked(1)
    // Test gives way to a live environment that is asked more than now and then.
    for (let n = 0; n < 12; n++) await service.call("GET", "/api/v1/environment")
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.call("GET", "/api/v1/environment", test)))
    assert.deepStrictEqual(answers.map(({ status }) => status), Array.from({ length: 6 }, () => 200))
    await lock.release()
    // On a machine with much else to do it may have waited too long by then.
    assert.include([200, 201, 503], (await stuck).status)
  })

  it("is empty after a reset, on every node, with its clock at real time and its admin token as before", async () => {
    const { product } = await issueInTest()
    const keys = await service.call("GET", "/test/api/v1/system/public-keys", { token: null })
    await inTest("PUT", "/api/v1/environment/clock", { advance: "P1Y" })
    assert.strictEqual((await service.call("GET", `/api/v1/products/${product.id}`, test)).status, 200)
    const answer = await service.call("POST", "/api/v1/environment/reset", test)
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.body.data.clock_moved, false)
    assert.deepStrictEqual((await service.call("GET", "/api/v1/products", test)).body.data, [])
    assert.closeTo(Date.parse((await inTest("GET", "/api/v1/environment")).now), Date.now(), 10 * 60_000)
    const after = await service.call("GET", "/test/api/v1/system/public-keys", { token: null })
    assert.notStrictEqual(after.body.data[0].kid, keys.body.data[0].kid)
    await eventually("the other node has begun anew", async () => {
      const { body, status } = await other.call("GET", "/test/api/v1/system/public-keys", { token: null })
      return status === 200 && body.data[0].kid === after.body.data[0].kid
    })
    const created = await inTest("POST", "/api/v1/products", { name: "Again", code: product.code }, other)
    assert.strictEqual((await service.call("GET", `/api/v1/products/${created.id}`, test)).status, 200)
    assert.deepStrictEqual((await examine(testDatabase)).found, [])
  })
})
