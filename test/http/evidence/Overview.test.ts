// What matters of a service today, and what of it each caller may see.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const overview = async (query = "", token?: string): Promise<Body> => {
  const answer = await service.call("GET", `/api/v1/overview${query}`, token === undefined ? {} : { token })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

const tokenWith = async (scopes: ReadonlyArray<string>, more: object = {}): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "overview", scopes, ...more })).token

describe("the overview", () => {
  it("of an empty service has no figure but zero, and no day", async () => {
    assert.deepInclude(await overview(), {
      days: [],
      issued: 0,
      activations: 0,
      refusals: 0,
      refusals_by_code: [],
      quotas_reached: [],
      active_licenses: { count: 0, has_more: false },
      ending_licenses: { count: 0, has_more: false },
      ending: [],
      failing_endpoints: [],
      waiting_purchases: { count: 0, has_more: false },
      late_mails: { count: 0, has_more: false }
    })
  })

  it("counts the mails that no mail server took in time, for callers who see all products", async () => {
    const sql = await session(service.databaseUrl)
    for (const [id, minutes] of [["late", 16], ["young", 14]]) {
      await sql.query(
        `INSERT INTO mails (event_id, kind, recipient, created_at, due_at)
        VALUES ('evt_' || $1, 'portal_link', 'ada@example.com', now() - $2::int * interval '1 minute', now() + interval '1 day')`,
        [id, minutes]
      )
    }
    assert.deepStrictEqual((await overview()).late_mails, { count: 1, has_more: false })
    const product = await service.data("POST", "/api/v1/products", { name: "One", code: "one-of-mails" })
    const limited = await overview("", await tokenWith(["report:read"], { product_ids: [product.id] }))
    assert.notProperty(limited, "late_mails")
    await sql.query("DELETE FROM mails")
  })

  it("counts by day what was issued, activated and refused, and names what ends with its owner", async () => {
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
    const { key, license } = await service.issue({
      policy: { max_activations: 1 },
      license: { customer_name: "Ada Lovelace", expires_at: soon }
    })
    const { license: revoked, product } = await service.issue()
    await service.data("POST", `/api/v1/licenses/${revoked.id}/revoke`, {})
    await service.license("activate", key, { fingerprint: "a" })
    refused(await service.license("activate", key, { fingerprint: "b" }), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const found = await eventually("the refusal is counted", async () => {
      const found = await overview()
      return found.refusals === 1 && found
    })
    assert.deepInclude(found, {
      issued: 2,
      activations: 1,
      refusals_by_code: [{ code: "ACTIVATION_LIMIT_EXCEEDED", count: 1 }],
      active_licenses: { count: 1, has_more: false },
      ending_licenses: { count: 1, has_more: false }
    })
    assert.deepStrictEqual(found.ending, [{
      license_id: license.id,
      product: "Acme Studio",
      policy: "Annual",
      owner: "Ada Lovelace",
      expires_at: soon
    }])
    const [day] = found.days
    assert.deepInclude(day, { issued: 2, activations: 1, refusals: 1, active_licenses: 1 })
    // A limited key sees the figures of its products alone.
    const limited = await overview("", await tokenWith(["report:read"], { product_ids: [product.id] }))
    assert.deepInclude(limited, { issued: 1, activations: 0, refusals: 0 })
    assert.strictEqual(limited.active_licenses.count, 0)
  })

  it("leaves out what the caller may not see", async () => {
    const found = await overview("", await tokenWith(["report:read"]))
    for (const part of ["ending", "ending_licenses", "failing_endpoints", "waiting_purchases"]) {
      assert.notProperty(found, part)
    }
    assert.property(await overview("", await tokenWith(["report:read", "license:read"])), "ending")
  })

  it("counts back how many licenses were in force on each day", async () => {
    const sql = await session(service.databaseUrl)
    await sql.query(`INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class)
      SELECT 'act_ended_' || n, now() - interval '2 days', 'license.expired', 'system', 'system', 'countersign', 'success'
      FROM generate_series(1, 3) n`)
    const { active_licenses, days } = await overview()
    assert.strictEqual(days.at(-1).active_licenses, active_licenses.count)
    // Two were issued since, one of which was revoked again, and three more ended on that day itself.
    assert.strictEqual(days[0].active_licenses, 0)
    await sql.query("DELETE FROM activities WHERE id LIKE 'act_ended_%'")
  })

  it.each(["from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from=2020-01-01T00:00:00Z", "days=3"])(
    "refuses %s",
    async (query) => {
      refused(await service.call("GET", `/api/v1/overview?${query}`), 400, "INVALID_QUERY")
    }
  )
})
