import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const { license: sample, policy, product } = await service.issue()
const bulk = (body: unknown, headers: Record<string, string> = {}) =>
  service.call("POST", "/api/v1/licenses/bulk", { body, headers })
const defaults = { product_id: product.id, policy_id: policy.id }
const database = await session(service.databaseUrl)
const count = async (): Promise<number> => (await database.query("SELECT count(*)::int AS n FROM licenses"))[0].n

describe("createLicenses", () => {
  it("creates 1,000 licenses in one call, each with its key and its event", async () => {
    const before = await count()
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      customer_email: `person-${index}@a-rather-long-domain-name.beispiel.example`,
      customer_name: `Person Number ${index} of the Whole Company`,
      metadata: { seat: index, department: "engineering", cost_center: "4711-0815" }
    }))
    const body = { defaults: { ...defaults, expires_at: "2090-01-01T00:00:00Z" }, licenses: rows }
    assert.isAbove(JSON.stringify(body).length, 200_000)
    const answer = await bulk(body)
    assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
    const { created, refused: refusedRows, results } = answer.body.data
    assert.deepStrictEqual([created, refusedRows, results.length], [1000, 0, 1000])
    assert.strictEqual(new Set(results.map(({ license_key }: Body) => license_key)).size, 1000)
    for (const index of [0, 1, 500, 999]) {
      const result = results[index]
      assert.strictEqual(result.index, index)
      assert.sameMembers(Object.keys(result.license), [
        ...Object.keys(sample),
        "customer_email",
        "customer_name",
        "expires_at"
      ])
      assert.strictEqual(result.license.customer_email, rows[index]!.customer_email)
      assert.deepStrictEqual(result.license.metadata, rows[index]!.metadata)
      assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses/${result.license.id}`), result.license)
      const { status } = await service.license("activate", result.license_key, { fingerprint: "one" })
      assert.strictEqual(status, 200)
    }
    assert.strictEqual(await count(), before + 1000)
    const ids = new Set(results.map(({ license }: Body) => license.id))
    const events = (await service.feed("&event_type=license.created")).filter(({ resource_id }) => ids.has(resource_id))
    assert.deepStrictEqual(events.map(({ resource_id }) => resource_id), [...ids])
    assert.deepStrictEqual(events[7].data, results[7].license)
    assert.sameMembers(Object.keys(events[7].commitments), [
      "/data/customer_email",
      "/data/customer_name",
      "/ip_address"
    ])
  })

  const bad = [
    { customer_email: "good@b.example" },
    { customer_email: "nobody" },
    { customer_id: "cus_none" },
    { starts_at: "2090-01-02T00:00:00Z", expires_at: "2090-01-01T00:00:00Z" },
    { maintenance_expires_at: "2090-01-01T00:00:00Z" },
    { policy_id: "pol_none", customer_name: 7 },
    { customer_name: "Also good" }
  ]

  it("creates nothing when one row is not valid, and names every finding", async () => {
    const before = await count()
    const error = refused(await bulk({ defaults, licenses: bad }), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(error.fields.map(({ code, path }: Body) => [path, code]), [
      ["licenses.1.customer_email", "invalid_value"],
      ["licenses.2.customer_id", "not_found"],
      ["licenses.3.expires_at", "before_start"],
      ["licenses.4.maintenance_expires_at", "perpetual_only"],
      ["licenses.5.customer_name", "invalid_type"]
    ])
    assert.strictEqual(await count(), before)
  })

  it("creates the rows that are valid when asked to, and answers row by row", async () => {
    const before = await count()
    const { body, status } = await bulk({ mode: "per_row", defaults, licenses: bad })
    assert.strictEqual(status, 200)
    assert.deepStrictEqual([body.data.created, body.data.refused], [2, 5])
    assert.deepStrictEqual(
      body.data.results.map(({ error, index, license_key }: Body) => [index, error?.code ?? license_key.slice(0, 3)]),
      [
        [0, "CS-"],
        [1, "VALIDATION_ERROR"],
        [2, "NOT_FOUND"],
        [3, "VALIDATION_ERROR"],
        [4, "VALIDATION_ERROR"],
        [5, "VALIDATION_ERROR"],
        [6, "CS-"]
      ]
    )
    assert.strictEqual(body.data.results[2].error.fields[0].path, "customer_id")
    assert.strictEqual(await count(), before + 2)
    const none = await bulk({ mode: "per_row", defaults, licenses: [{ customer_id: "cus_none" }] })
    assert.deepStrictEqual([none.body.data.created, none.body.data.refused], [0, 1])
  })

  it("takes the links of each row as a single create does", async () => {
    const other = await service.issue()
    const order = await service.data("POST", `/api/v1/products/${product.id}/orders`, {
      external_system: "billing",
      external_id: randomUUID(),
      status: "paid",
      subscription_id: (await service.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
        external_system: "billing",
        external_id: randomUUID(),
        status: "active",
        current_period_start: "2026-01-01T00:00:00Z",
        current_period_end: "2027-01-01T00:00:00Z"
      })).id
    })
    const customer = await service.data("POST", "/api/v1/customers", { name: "C", code: randomUUID() })
    const { body } = await bulk({
      mode: "per_row",
      defaults,
      licenses: [
        { order_id: order.id, customer_id: customer.id },
        { order_id: "ord_none" },
        { product_id: other.product.id, policy_id: other.policy.id, order_id: order.id },
        { policy_id: other.policy.id },
        { product_id: "prod_none" }
      ]
    })
    const [linked, ...refusals] = body.data.results
    assert.strictEqual(linked.license.subscription_id, order.subscription_id)
    assert.strictEqual(linked.license.customer_id, customer.id)
    assert.deepStrictEqual(
      refusals.map(({ error }: Body) => error.fields.map(({ code, path }: Body) => `${path} ${code}`)),
      [
        ["order_id not_found"],
        ["order_id other_product"],
        ["policy_id other_product"],
        ["product_id not_found", "policy_id other_product"]
      ]
    )
  })

  it("leaves licenses with a status as creating each alone does, with the same events, in a handful of statements", async () => {
    /** What is alike of two licenses: all but what is their own. */
    const alike = (license: Body): Body =>
      Object.fromEntries(
        Object.entries(license).filter(([name]) =>
          !["id", "license_key_prefix", "license_key_last4"].includes(name) && !name.endsWith("_at")
        )
      )
    const eventsOf = async (id: string) =>
      // That one has expired is told by the clock, whenever it comes round.
      (await service.feed(`&resource_id=${id}`)).filter(({ event_type }) => event_type !== "license.expired").map(
        ({ data, event_type }: Body) => [event_type, data.status]
      )
    const past = { starts_at: "2020-01-01T00:00:00Z", expires_at: "2020-02-01T00:00:00Z" }
    const rows = [
      {},
      past,
      ...["active", "suspended", "revoked"].flatMap((status) => [{ status }, { status, ...past }])
    ] as ReadonlyArray<{ readonly status?: string }>
    const { body } = await bulk({ defaults, licenses: rows })
    for (const [index, row] of rows.entries()) {
      const { license } = body.data.results[index]
      const alone = (await service.data("POST", "/api/v1/licenses", { ...defaults, ...row })).license
      assert.deepStrictEqual(alike(license), alike(alone))
      const stored = [license.id, alone.id].map((id) => service.data("GET", `/api/v1/licenses/${id}`))
      const [ofBulk, ofOne] = await Promise.all(stored)
      assert.deepStrictEqual(alike(ofBulk), alike(ofOne))
      assert.deepStrictEqual(ofBulk, license)
      const told = await eventsOf(license.id)
      assert.deepStrictEqual(told, await eventsOf(alone.id))
      assert.lengthOf(told, ["suspended", "revoked"].includes(row.status ?? "") ? 2 : 1)
    }
    const many = Array.from({ length: 1000 }, (_, index) => ({ status: ["active", "suspended", "revoked"][index % 3] }))
    const answer = await bulk({ defaults, licenses: many })
    assert.deepStrictEqual(
      answer.body.data.results.map(({ license }: Body) => license.status),
      many.map(({ status }) => status)
    )
  })

  it("is done once per Idempotency-Key", async () => {
    const before = await count()
    const headers = { "idempotency-key": randomUUID() }
    const body = { defaults, licenses: Array.from({ length: 50 }, () => ({})) }
    const first = await bulk(body, headers)
    const again = await bulk(body, headers)
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(await count(), before + 50)
  })

  it("refuses too many rows, none, unknown members and what is too large", async () => {
    const rows = (length: number) => ({ defaults, licenses: Array.from({ length }, () => ({})) })
    refused(await bulk(rows(1001)), 422, "VALIDATION_ERROR")
    refused(await bulk(rows(0)), 422, "VALIDATION_ERROR")
    refused(await bulk({ defaults, licenses: [{ key: 1 }] }), 400, "UNKNOWN_FIELD")
    refused(await bulk({ defaults: { customer_email: "nobody" }, licenses: [{}] }), 422, "VALIDATION_ERROR")
    refused(await bulk({ ...rows(1), mode: "some" }), 422, "VALIDATION_ERROR")
    refused(await bulk({ defaults, licenses: [{ metadata: { a: "x".repeat(300_000) } }] }), 413, "PAYLOAD_TOO_LARGE")
  })
})
