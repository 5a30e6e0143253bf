import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as NodeCompression from "../../../src/runtime/node/NodeCompression.ts"
import * as PgDatabase from "../../../src/runtime/postgres/Database.ts"
import { ExportClaims } from "../../../src/services/evidence/exports/ExportClaims.ts"
import { ExportFreezer } from "../../../src/services/evidence/exports/ExportFreezer.ts"
import { ReportSource } from "../../../src/services/evidence/reports/ReportSource.ts"
import { Checkpoints } from "../../../src/services/evidence/transparency/Checkpoints.ts"
import { Signing } from "../../../src/services/keys/security/Signing.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../fixtures/Delivery.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const day = 24 * 3_600_000
const firstDay = Date.parse("2026-03-01T00:00:00Z")
const window = { from: new Date(firstDay).toISOString(), to: new Date(firstDay + 6 * day).toISOString() }

let service: Service
let database: Session
let issued: Issued
let customer: Body
let feature: Body
let order: Body
/** A license whose units are of grants. */
let granted: Body

/** Everything from here on is written at this time, some hours into a day. */
const setClock = (days: number) => database.query("UPDATE test_clock SET at = $1", [new Date(firstDay + days * day)])

const use = async (amount: number) => {
  const body = { fingerprint: "a", feature_code: "render", event_id: randomUUID(), amount }
  const answer = await service.license("consume", issued.key, body)
  assert.strictEqual(answer.status, 200, answer.text)
}

const give = (amount: number): Promise<Body> =>
  service.data("POST", `/api/v1/licenses/${granted["license"].id}/grants`, { feature_code: "pack", amount })

const take = async (amount: number) => {
  const body = { fingerprint: "a", feature_code: "pack", event_id: randomUUID(), amount }
  const answer = await service.license("consume", granted["license_key"], body)
  assert.strictEqual(answer.status, 200, answer.text)
}

const reset = (total_consumptions: number) =>
  service.data("POST", `/api/v1/licenses/${issued.license.id}/usage/reset`, {
    feature_id: feature.id,
    total_consumptions
  }, { headers: { "idempotency-key": randomUUID() } })

/** The frozen snapshot of a report about the window. */
const frozen = async (report_kind: string, filters: object): Promise<Body> => {
  const base = "/api/v1/reports/exports"
  const { id } = await service.data("POST", base, { report_kind, filters: { ...window, ...filters } })
  const record = await eventually(`the export of ${report_kind} ends`, async () => {
    const found = await service.data("GET", `${base}/${id}`)
    return found.status === "ready" || found.status === "failed" ? found : undefined
  })
  assert.strictEqual(record.status, "ready", JSON.stringify(record))
  return (await service.call("GET", `${base}/${id}/download`)).body
}

/** What the events say that were there in the window when the feed ended with `sequence`. */
const recomputed = async (sequence: number) => {
  const about = (await service.feed()).filter((event) =>
    event.sequence <= sequence && event.created_at >= window.from && event.created_at < window.to
  )
  const uses = about.filter(({ event_type }) => event_type === "license.usage_recorded")
  const amountOf = (some: ReadonlyArray<Body>) => some.reduce((sum, { data }) => sum + data.amount, 0)
  const resets = about.filter(({ event_type }) => event_type === "license.usage_reset")
  const times = uses.map(({ created_at }) => created_at as string).toSorted()
  return {
    entries: [...uses, ...resets].map(({ id }) => id),
    activities: about.map(({ id }) => id),
    resets,
    used: { uses: uses.length, amount: amountOf(uses), first_at: times[0]!, last_at: times.at(-1)! },
    days: [...Map.groupBy(uses, ({ created_at }) => created_at.slice(0, 10))].map(([date, own]) => ({
      bucket: `${date}T00:00:00.000Z`,
      uses: own.length,
      amount: amountOf(own)
    })).toSorted((a, b) => a.bucket < b.bucket ? -1 : 1)
  }
}

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  customer = await service.data("POST", "/api/v1/customers", { name: "C", code: "c" })
  const product = await service.data("POST", "/api/v1/products", { name: "P", code: "p" })
  order = await service.data("POST", `/api/v1/products/${product.id}/orders`, {
    external_system: "s",
    external_id: "o",
    status: "paid"
  })
  const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "P",
    code: "p",
    license_type: "subscription"
  })
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    order_id: order.id
  })
  issued = { product, policy, license, key }
  granted = await service.data("POST", "/api/v1/licenses", { product_id: product.id, policy_id: policy.id })
  feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "R", code: "render" })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
  await service.license("activate", key, { fingerprint: "a" })
  const pack = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "P", code: "pack" })
  const assigned = { feature_id: pack.id, max_consumptions: 0 }
  await service.data("POST", `/api/v1/licenses/${granted["license"].id}/features`, assigned)
  await service.license("activate", granted["license_key"], { fingerprint: "a" })
  await database.query("CREATE TABLE test_clock (at timestamptz NOT NULL)")
  await database.query("INSERT INTO test_clock VALUES (now())")
  await database.query(
    "CREATE FUNCTION test_now() RETURNS timestamptz AS 'SELECT at FROM test_clock' LANGUAGE sql STABLE"
  )
  for (const table of ["usage_records", "usage_corrections", "event_records", "grants"]) {
    await database.query(`ALTER TABLE ${table} ALTER COLUMN created_at SET DEFAULT test_now()`)
  }
})

describe("a report that is frozen while events wait for their place in the feed", () => {
  let sequence: number
  let snapshots: Readonly<Record<string, Body>>

  beforeAll(async () => {
    for (const [days, amount] of [[0.25, 1], [1.25, 2], [2.25, 4], [3.25, 8]] as const) {
      await setClock(days)
      await use(amount)
    }
    await reset(100)
    await setClock(20)
    const [first] = [await give(10), await take(3)]
    sequence = (await service.feed()).at(-1).sequence
    // Who has the row of the chain is the sequencer; another one leaves everything where it waits.
    const held = await hold(service.databaseUrl, "SELECT 1 FROM event_chain FOR UPDATE")
    try {
      // Among the days that were rolled up, and on one of its own.
      for (const [days, amount] of [[2.5, 16], [3.25, 32], [4.25, 64]] as const) {
        await setClock(days)
        await use(amount)
        await reset(200 * amount)
      }
      await setClock(21)
      await give(100)
      await take(5)
      await service.data("POST", `/api/v1/licenses/${granted["license"].id}/grants/${first.id}/revoke`)
      const { license } = issued
      snapshots = {
        statement: await frozen("statement", {
          license_id: granted["license"].id,
          from: new Date(firstDay + 20 * day).toISOString(),
          to: new Date(firstDay + 30 * day).toISOString()
        }),
        summary: await frozen("usage-summary", { bucket: "1d" }),
        hours: await frozen("usage-summary", { bucket: "1h", group_by: "feature_code" }),
        ledger: await frozen("usage-ledger", {}),
        audit: await frozen("license-audit", { license_id: license.id, to: new Date(Date.now() + day).toISOString() }),
        customer: await frozen("customer-summary", { customer_id: customer.id }),
        settlement: await frozen("subscription-settlement", { order_id: order.id })
      }
    } finally {
      await held.release()
    }
  })

  it("says what the events up to its sequence say, and nothing of those that wait", async () => {
    const { audit, customer, hours, ledger, settlement, statement, summary } = snapshots as Record<string, Body>
    for (const snapshot of Object.values(snapshots)) assert.strictEqual(snapshot.as_of_sequence, sequence)
    const expected = await recomputed(sequence)
    assert.strictEqual(expected.used.amount, 15)
    const adjusted = expected.resets.length === 1 ? 100 - 15 : assert.fail("one reset has its place")

    assert.deepStrictEqual(summary.summary, { ...expected.used, feature_code: "render" })
    assert.deepStrictEqual(
      summary.table.rows.map(({ amount, bucket, uses }: Body) => ({ bucket, uses, amount })),
      expected.days
    )
    assert.deepStrictEqual(hours.summary, expected.used)
    assert.lengthOf(hours.table.rows, 4)
    assert.sameMembers(ledger.table.rows.map(({ id }: Body) => id), expected.entries)
    assert.deepStrictEqual(ledger.summary, { entries: 5, uses: 4, amount: 15, adjusted })
    assert.deepInclude(customer.summary, expected.used)
    assert.deepInclude(customer.table.rows[0], expected.used)
    assert.deepInclude(settlement.summary, { ...expected.used, adjusted })
    assert.deepInclude(settlement.table.rows[0], { ...expected.used, adjusted })
    assert.deepInclude(audit.summary.features[0], expected.used)
    assert.deepInclude(statement.table.rows[0], { given: 10, used: 3, revoked: 0, closing: 7, uses: 1, amount: 3 })
    const feed = (await service.feed()).filter((event) =>
      event.sequence <= sequence && [event.resource_id, event.data.license_id].includes(issued.license.id)
    )
    assert.sameMembers(audit.table.rows.map((row: Body) => row.audit_event_id), feed.map(({ id }) => id))
    assert.strictEqual(audit.summary.activities, feed.length)
    const counts = audit.summary.actions as ReadonlyArray<Body>
    assert.strictEqual(counts.find(({ action }) => action === "license.usage_reset").count, 1)
    assert.strictEqual(counts.find(({ action }) => action === "license.usage_recorded").count, 4)
  })

  it("knows of them once they have their place", async () => {
    const after = await frozen("usage-summary", { bucket: "1d" })
    const expected = await recomputed(after.as_of_sequence)
    assert.strictEqual(expected.used.amount, 127)
    assert.deepStrictEqual(after.summary, { ...expected.used, feature_code: "render" })
    assert.lengthOf((await frozen("usage-ledger", {})).table.rows, 11)
  })
})

describe("a report that is frozen", () => {
  // The snapshot is read on another pool than that of the claim.
  const layer = ExportFreezer.layer.pipe(
    Layer.provide(Layer.fresh(ReportSource.layer)),
    Layer.provide(PgDatabase.layerUnhurried),
    Layer.provideMerge(Checkpoints.layer),
    Layer.provideMerge(Layer.mergeAll(ExportClaims.layer, Signing.layer, Sequencer.layer)),
    Layer.provideMerge(layerNode),
    Layer.provide([layerTarget, NodeCompression.layer])
  )

  it.effect("waits a little for a moment in which no event waits", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sequencer = yield* Sequencer
      const claims = yield* ExportClaims
      const freezer = yield* ExportFreezer
      yield* append(1)
      yield* sql`
        INSERT INTO report_exports (id, report_kind, format, filters, created_by)
        VALUES ('rptx_01k6f3q8zve8rbkm1v4t2c9dxa', 'usage-ledger', 'json', '{}', 'key_01k6f3q8zve8rbkm1v4t2c9dxa')`
      const claim = yield* claims.claim("any")
      const freezing = yield* Effect.forkChild(freezer.freeze(claim!, Infinity))
      // The clock stands still, so the second look is not taken before it is told to go on.
      yield* TestClock.withLive(Effect.sleep("300 millis"))
      assert.isUndefined(freezing.pollUnsafe())
      while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step
      const [chain] = yield* sql<{ readonly last: number }>`SELECT last_sequence::int AS last FROM event_chain`
      while (freezing.pollUnsafe() === undefined) {
        yield* TestClock.adjust("20 millis")
        yield* TestClock.withLive(Effect.sleep("5 millis"))
      }
      const { row } = yield* Fiber.join(freezing)
      assert.strictEqual(Number(row.as_of_sequence), chain!.last)
    }).pipe(Effect.provide(layer), Effect.scoped))
})
