import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"

// Two nodes that share the work, so that everything here is done once in spite of both.
const service = await startService({ altered: ["license expires_at"] })
const other = await startService({ databaseUrl: service.databaseUrl })
const database = await session(service.databaseUrl)

const crossings = ["license.expiring", "license.grace_started", "license.expired"]
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()

/** The crossings of a license that were announced, once the sweeper has come to `announced` and all is sequenced. */
const announcements = async (id: string, announced: string): Promise<Array<string>> => {
  await eventually(`${id} is announced as ${announced}`, async () => {
    const [row] = await database.query("SELECT announced FROM licenses WHERE id = $1", [id])
    return row.announced === announced
  })
  const events: Array<Body> = await service.feed(`&resource_id=${id}`)
  return events.map(({ event_type }) => event_type).filter((kind) => crossings.includes(kind))
}

/** Lets time pass for one license: its expiry moves back, as if nobody had changed it. */
const pass = (id: string, millis: number) =>
  database.query("UPDATE licenses SET expires_at = expires_at - $2::int * interval '1 millisecond' WHERE id = $1", [
    id,
    millis
  ])

/** A sweep has begun and ended since: what it would have announced wrongly is there. */
const sweep = async () => {
  const { license } = await service.issue({ license: { expires_at: from(-day) } })
  await announcements(license.id, "expired")
}

describe.concurrent("the license sweeper", () => {
  it("announces expiring, grace_started and expired once each, and again after a renewal", async () => {
    const { license: { id } } = await service.issue({
      policy: { grace_period_days: 2 },
      license: { expires_at: from(7 * day + 60_000) }
    })
    await sweep()
    assert.deepStrictEqual(await announcements(id, "nothing"), [])
    await pass(id, 60_000)
    assert.deepStrictEqual(await announcements(id, "expiring"), crossings.slice(0, 1))
    await pass(id, 7 * day)
    assert.deepStrictEqual(await announcements(id, "grace_period"), crossings.slice(0, 2))
    await pass(id, 2 * day)
    assert.deepStrictEqual(await announcements(id, "expired"), crossings)
    await sweep()
    assert.deepStrictEqual(await announcements(id, "expired"), crossings)

    const renewal = await other.call("POST", `/api/v1/licenses/${id}/renew`, {
      body: { extend_by_days: 5 },
      headers: { "idempotency-key": randomUUID() }
    })
    assert.strictEqual(renewal.body.data.status, "active")
    assert.deepStrictEqual(await announcements(id, "expiring"), [...crossings, "license.expiring"])
    await pass(id, 8 * day)
    assert.deepStrictEqual(await announcements(id, "expired"), [...crossings, ...crossings])
    await sweep()
    assert.deepStrictEqual(await announcements(id, "expired"), [...crossings, ...crossings])
  })

  it("shows the license as the crossing left it", async () => {
    const { license } = await service.issue({ license: { expires_at: from(day), customer_email: "a@b.example" } })
    await announcements(license.id, "expiring")
    await pass(license.id, 2 * day)
    const expires_at = new Date(Date.parse(license.expires_at) - 2 * day).toISOString()
    assert.deepStrictEqual(await announcements(license.id, "expired"), ["license.expiring", "license.expired"])
    const [expired] = (await service.feed(`&resource_id=${license.id}&event_type=license.expired`)).slice(-1)
    assert.strictEqual(expired.actor_type, "system")
    assert.deepStrictEqual(expired.data, { ...license, expires_at, status: "expired" })
    assert.deepStrictEqual(expired.metadata, { expires_at })
    assert.property(expired.commitments, "/data/customer_email")
  })

  it("announces nothing of licenses that are suspended or revoked, or have no expiry", async () => {
    const expires = { license: { expires_at: from(day) } }
    const [suspended, revoked, endless] = [
      await service.issue(expires),
      await service.issue(expires),
      await service.issue()
    ]
    // Within the last week, so each is announced as expiring before it is suspended or revoked.
    for (const { license } of [suspended, revoked]) {
      await announcements(license.id, "expiring")
      await service.data(
        "POST",
        `/api/v1/licenses/${license.id}/${license === suspended.license ? "suspend" : "revoke"}`
      )
    }
    for (const { license } of [suspended, revoked]) await pass(license.id, 2 * day)
    await sweep()
    assert.deepStrictEqual(await announcements(suspended.license.id, "expiring"), ["license.expiring"])
    assert.deepStrictEqual(await announcements(revoked.license.id, "expiring"), ["license.expiring"])
    assert.deepStrictEqual(await announcements(endless.license.id, "nothing"), [])
    await service.data("POST", `/api/v1/licenses/${suspended.license.id}/reinstate`)
    assert.deepStrictEqual(await announcements(suspended.license.id, "expired"), [
      "license.expiring",
      "license.expired"
    ])
  })

  it("starts again when an edit moves the expiry", async () => {
    const { license: { id } } = await service.issue({ license: { expires_at: from(-day) } })
    await announcements(id, "expired")
    await service.data("PATCH", `/api/v1/licenses/${id}`, { expires_at: from(30 * day) })
    assert.deepStrictEqual(await announcements(id, "nothing"), ["license.expired"])
    await service.data("PATCH", `/api/v1/licenses/${id}`, { expires_at: from(-2 * day) })
    assert.deepStrictEqual(await announcements(id, "expired"), ["license.expired", "license.expired"])
    await service.data("PATCH", `/api/v1/licenses/${id}`, { expires_at: null })
    await sweep()
    assert.deepStrictEqual(await announcements(id, "nothing"), ["license.expired", "license.expired"])
  })

  it("follows a policy whose grace period changes", async () => {
    const { license: { id }, policy } = await service.issue({ license: { expires_at: from(-day) } })
    await announcements(id, "expired")
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { grace_period_days: 5 })
    assert.deepStrictEqual(await announcements(id, "grace_period"), ["license.expired"])
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${id}`)).status, "grace_period")
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { grace_period_days: 0 })
    assert.deepStrictEqual(await announcements(id, "expired"), ["license.expired", "license.expired"])
  })

  it("announces hundreds that cross at once, each once, while renewals run", async () => {
    const { license: { policy_id, product_id } } = await service.issue()
    // A sweep takes 200 at a time: those that are not renewed are more than one.
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id, policy_id, expires_at: from(day) },
      licenses: Array.from({ length: 240 }, () => ({}))
    })
    const ids: Array<string> = results.map(({ license }: Body) => license.id)
    const renewed = 30
    const announced = async (crossing: string) => {
      const [row] = await database.query(
        "SELECT count(*)::int AS n FROM licenses WHERE policy_id = $1 AND announced = $2",
        [policy_id, crossing]
      )
      return row.n
    }
    await eventually("all are warned of", async () => await announced("expiring") === ids.length)
    await database.query("UPDATE licenses SET expires_at = now() WHERE id = ANY($1)", [ids])
    // Some are renewed in the middle of it, on both nodes.
    await Promise.all(
      ids.slice(0, renewed).map((id, index) =>
        (index % 2 === 0 ? service : other).call("POST", `/api/v1/licenses/${id}/renew`, {
          body: { extend_by_days: 100 },
          headers: { "idempotency-key": randomUUID() }
        })
      )
    )
    await eventually("all the others are announced", async () => await announced("expired") === ids.length - renewed)
    await sweep()
    const count = new Map<string, number>()
    for (const { event_type, resource_id } of await service.feed()) {
      count.set(`${event_type} ${resource_id}`, (count.get(`${event_type} ${resource_id}`) ?? 0) + 1)
    }
    for (const [index, id] of ids.entries()) {
      assert.strictEqual(count.get(`license.expiring ${id}`), 1)
      const expired = count.get(`license.expired ${id}`) ?? 0
      assert.isAtMost(expired, 1)
      if (index >= renewed) assert.strictEqual(expired, 1)
    }
  })

  it("reads only what is due from its indexes", async () => {
    await database.query("SET enable_seqscan = off")
    for (
      const condition of [
        "state = 'active' AND announced = 'nothing' AND expires_at <= now() + interval '7 days'",
        "state = 'active' AND announced = 'expiring' AND expires_at <= now()",
        "policy_id = 'pol' AND state = 'active' AND announced = 'grace_period' AND expires_at <= now()",
        "policy_id = 'pol' AND state = 'active' AND announced = 'expired' AND expires_at > now()"
      ]
    ) {
      const plan = await database.query(
        `EXPLAIN SELECT id FROM licenses WHERE ${condition} ORDER BY expires_at LIMIT 200`
      )
      assert.match(JSON.stringify(plan), /licenses_to_warn|licenses_to_end|licenses_past_expiry/)
    }
  })
})
