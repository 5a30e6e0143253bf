import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Issued, Service } from "../../../fixtures/Service.ts"
import { refused, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { eventually, session } from "../../../fixtures/Session.ts"

let here: Service
let there: Service

beforeAll(async () => {
  here = await startService({ altered: ["license expires_at"] })
  there = await startService({ databaseUrl: here.databaseUrl, as: "host" })
})

const activated = async (policy: object = {}, license: object = {}): Promise<Issued> => {
  const given = await here.issue({ policy, license })
  assert.strictEqual((await here.license("activate", given.key, { fingerprint: "f" })).status, 200)
  return given
}

const ask = (node: Service, given: Issued, operation = "validate") =>
  node.license(operation, given.key, { fingerprint: "f" })

describe("trap 13: a cache delays revocation", () => {
  it("what one node was told, the other knows at once", async () => {
    for (let round = 0; round < 2; round++) {
      const given = await activated()
      const path = `/api/v1/licenses/${given.license.id}`
      // Both nodes have answered for it before, so both have had something to keep.
      for (const node of [here, there]) assert.strictEqual((await ask(node, given)).status, 200)
      await here.data("POST", `${path}/suspend`)
      for (const operation of ["validate", "check", "activate"]) {
        refused(await ask(there, given, operation), 403, "LICENSE_INACTIVE")
      }
      await there.data("POST", `${path}/reinstate`)
      assert.strictEqual((await ask(here, given)).status, 200)
      await here.data("POST", `${path}/revoke`)
      for (const node of [there, here]) refused(await ask(node, given), 403, "LICENSE_INACTIVE")
    }
  })

  it("the same of a policy that is changed, a device that is given back, and a feature that is taken away", async () => {
    const given = await activated()
    assert.strictEqual((await ask(there, given)).status, 200)
    await here.data("PATCH", `/api/v1/policies/${given.policy.id}`, { validation_interval_minutes: 7 })
    const { issued_at, next_check_at } = (await ask(there, given)).body.data
    assert.isAtMost(Date.parse(next_check_at) - Date.parse(issued_at), 7 * 60_000)
    const feature = await here.data("POST", `/api/v1/products/${given.product.id}/features`, { name: "f", code: "f" })
    const features = `/api/v1/licenses/${given.license.id}/features`
    await here.data("POST", features, { feature_id: feature.id })
    assert.deepStrictEqual((await ask(there, given)).body.data.features, [{ code: "f", enabled: true }])
    await here.data("DELETE", `${features}/${feature.id}`)
    assert.deepStrictEqual((await ask(there, given)).body.data.features, [])
    await here.license("deactivate", given.key, { fingerprint: "f" })
    refused(await ask(there, given), 404, "DEVICE_NOT_ACTIVATED")
  })

  it("the same of an API key", async () => {
    for (let round = 0; round < 2; round++) {
      const { api_key, token } = await here.data("POST", "/api/v1/api-keys", { name: "k" })
      for (const node of [here, there]) {
        assert.strictEqual((await node.call("GET", "/api/v1/products", { token })).status, 200)
      }
      await here.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
      for (const node of [there, here]) {
        refused(await node.call("GET", "/api/v1/products", { token }), 401, "TOKEN_REVOKED")
      }
    }
  })

  it("the same of a signing key", async () => {
    const given = await activated()
    await ask(there, given)
    const key = await here.data("POST", "/api/v1/signing-keys/rotate")
    assert.strictEqual((await ask(there, given)).body.signature.kid, key.kid)
  })
})

describe("what is asked together", () => {
  it("is answered as it would be alone, each by its own state", async () => {
    const [valid, revoked, versioned] = [await activated(), await activated(), await activated()]
    await here.data("POST", `/api/v1/licenses/${revoked.license.id}/revoke`)
    const path = `/api/v1/products/${versioned.product.id}/versions`
    for (const version of ["1.0.0", "2.0.0"]) {
      await here.data("POST", path, { version, released_at: `202${version[0]}-01-01T00:00:00Z` })
    }
    const questions = [
      { key: valid.key, body: { fingerprint: "f" } },
      { key: valid.key, body: { fingerprint: "another" } },
      { key: revoked.key, body: { fingerprint: "f" } },
      { key: "CS-00000-00000-00000-00000-00000", body: { fingerprint: "f" } },
      { key: versioned.key, body: { fingerprint: "f", app_version: "1.0.0" } },
      { key: versioned.key, body: { fingerprint: "f", app_version: "3.0.0" } },
      { key: versioned.key, body: { fingerprint: "f" } }
    ]
    const put = async ({ body, key }: typeof questions[number]) => {
      const answer = await here.license("validate", key, body)
      const { activation_id, license_id, status } = answer.body.data ?? {}
      return [answer.status, answer.body.error?.code, license_id, activation_id, status]
    }
    const alone: Array<Awaited<ReturnType<typeof put>>> = []
    for (const question of questions) alone.push(await put(question))
    assert.isAtLeast(new Set(alone.map((answer) => JSON.stringify(answer))).size, 5)
    for (let round = 0; round < 5; round++) {
      const many = Array.from({ length: 70 }, (_, index) => (index * (round + 1)) % questions.length)
      const together = await Promise.all(many.map((index) => put(questions[index]!)))
      assert.deepStrictEqual(together, many.map((index) => alone[index]!))
    }
  })
})

const device = async (given: Issued): Promise<Body> =>
  (await here.data("GET", `/api/v1/licenses/${given.license.id}/devices`))[0]

describe("when a device was last seen", () => {
  it("is recorded by validate, soon and never backwards", async () => {
    const given = await activated()
    const before = await device(given)
    assert.notProperty(before, "last_validated_at")
    const { issued_at } = (await ask(here, given)).body.data
    const after = await eventually("the sighting is written", async () => {
      const seen = await device(given)
      return seen.last_validated_at !== undefined && seen
    })
    assert.strictEqual(after.last_validated_at, issued_at)
    assert.strictEqual(after.last_seen_at, issued_at)
    assert.deepStrictEqual({ ...after, last_seen_at: 0, last_validated_at: 0 }, {
      ...before,
      last_seen_at: 0,
      last_validated_at: 0
    })
  })

  it("is not recorded by check", async () => {
    const [checked, validated] = [await activated(), await activated()]
    const before = await device(checked)
    assert.strictEqual((await ask(here, checked, "check")).status, 200)
    // A validate after it is written by the same sweep: once it shows, the check would show too.
    await ask(here, validated)
    await eventually(
      "the later sighting is written",
      async () => (await device(validated)).last_validated_at !== undefined
    )
    assert.deepStrictEqual(await device(checked), before)
  })

  it("validate and check change nothing else", async () => {
    const given = await activated()
    const license = await here.data("GET", `/api/v1/licenses/${given.license.id}`)
    const events = (await here.feed()).length
    await ask(here, given)
    await ask(here, given, "check")
    assert.deepStrictEqual(await here.data("GET", `/api/v1/licenses/${given.license.id}`), license)
    assert.lengthOf(await here.feed(), events)
  })
})

describe("time is the database's", () => {
  it("a license passes from active through grace_period to expired between two calls", async () => {
    const given = await activated({ grace_period_days: 3 }, { expires_at: "2999-01-01T00:00:00Z" })
    const sql = await session(here.databaseUrl)
    const path = `/api/v1/licenses/${given.license.id}`
    const lapse = (interval: string) =>
      sql.query("UPDATE licenses SET expires_at = now() - $1::text::interval WHERE id = $2", [
        interval,
        given.license.id
      ])
    await lapse("1 second")
    const { body: { data } } = await ask(there, given)
    assert.strictEqual(data.status, "grace_period")
    const end = Date.parse(data.expires_at) + 3 * 86_400_000
    assert.isAtMost(Date.parse(data.valid_until), end)
    assert.strictEqual((await here.data("GET", path)).status, "grace_period")
    assert.strictEqual((await here.license("deactivate", given.key, { fingerprint: "f" })).status, 200)
    assert.strictEqual((await here.license("activate", given.key, { fingerprint: "f" })).status, 200, "still serves")
    await lapse("73 hours")
    refused(await ask(there, given), 403, "LICENSE_EXPIRED")
    refused(await here.license("activate", given.key, { fingerprint: randomUUID() }), 403, "LICENSE_EXPIRED")
    assert.strictEqual((await here.data("GET", path)).status, "expired")
  })

  it("valid_until never outlives the license", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const given = await activated({ validation_interval_minutes: 1440 }, { expires_at })
    const { data } = (await ask(here, given)).body
    assert.strictEqual(data.expires_at, expires_at)
    assert.isAtMost(Date.parse(data.valid_until), Date.parse(expires_at))
    assert.isAtMost(Date.parse(data.next_check_at), Date.parse(data.valid_until))
  })
})

// The last one: it ends a service.
describe("a service that stops", () => {
  it("writes when it has last seen devices", async () => {
    const given = await activated()
    const { issued_at } = (await ask(there, given)).body.data
    assert.strictEqual(await there.kill("SIGTERM"), 0)
    assert.strictEqual((await device(given)).last_validated_at, issued_at)
  })
})
