import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { countReported, reportedRows } from "../../../../src/services/evidence/reports/ReportSql.ts"
import type { Database, Query } from "../../../../src/services/ground/persistence/Database.ts"
import { insertConnection } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const credentials = new Uint8Array([1])

/** Purchases of a month each, one after the other over 20,000 hours, of which every tenth goes on; and one without an event. */
const sell = Effect.fnUntraced(function*(sql: Database) {
  const values = { name: "Stripe", mapping: { prices: [] }, credentials, has_secret: true, has_api_key: false }
  yield* insertConnection(sql, { id: "bcn_report", provider: "stripe", values })
  yield* sql`
    INSERT INTO purchases (id, connection_id, name, status, state, created_at)
    SELECT 'pur_' || n, 'bcn_report', 'subscription/sub_' || n, 'done',
      jsonb_build_object('kind', 'subscription', 'state', CASE WHEN n % 10 = 0 THEN 'active' ELSE 'canceled' END,
        'began_at', to_char(timestamp '2024-01-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"'))
      || CASE WHEN n % 10 = 0 THEN '{}'::jsonb ELSE jsonb_build_object(
        'ended_at', to_char(timestamp '2024-01-31' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"')) END,
      timestamptz '2024-01-01Z' + n * interval '1 hour'
    FROM generate_series(1, 20000) n`
  yield* sql`INSERT INTO purchases (id, connection_id, name, status, created_at)
    VALUES ('pur_new', 'bcn_report', 'subscription/sub_new', 'new', '2024-02-01T00:00:00Z')`
  yield* sql`ANALYZE purchases`
})

const planOf = (sql: Database, query: Query<object>) =>
  Effect.map(
    sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${query}`,
    (plan) => plan.map((line) => line["QUERY PLAN"]).join("\n")
  )

/** The last month, as the console asks for it, and the first one. */
const last = { from: "2026-04-01T00:00:00.000Z", to: "2026-05-01T00:00:00.000Z" }
const first = { from: "2024-01-01T00:00:00.000Z", to: "2024-02-01T02:00:00.000+02:00" }

describe("the statements of the report of purchases", () => {
  layer(Workers.layer)((it) => {
    it.effect("read the purchases of a period alone, and once for all counts", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        yield* sell(sql)
        const counted = yield* planOf(sql, countReported(sql, last, undefined))
        assert.include(counted, "purchases_by_end")
        assert.notInclude(counted, "Seq Scan on purchases")
        assert.lengthOf(counted.match(/ on purchases p/g) ?? [], 1)
        assert.include(yield* planOf(sql, countReported(sql, first, undefined)), "purchases_by_begin")
        const rows = yield* planOf(sql, sql`SELECT * FROM ${reportedRows(sql, last, undefined)} r`)
        assert.include(rows, "purchases_by_end")
        assert.notInclude(rows, "Seq Scan on purchases")
      }))

    it.effect("count those in effect at some time of a period, to its first instant and not to its last one", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const counts = (from: string, to: string) =>
          Effect.map(
            countReported(sql, { from, to }, undefined),
            (rows) => rows.map(({ by, purchases, state, status }) => [by, state ?? status, Number(purchases)].join(" "))
          )
        // Purchase 1 began at 01:00 and ended at 01:00 of the 31st.
        assert.deepStrictEqual(yield* counts("2023-01-01T00:00:00Z", "2024-01-01T01:00:00Z"), ["all  0"])
        assert.deepStrictEqual(yield* counts("2023-01-01T00:00:00Z", "2024-01-01T01:00:00.001Z"), [
          "all  1",
          "state canceled 1",
          "status done 1"
        ])
        const ends = (instant: string) => counts(instant, "2024-01-01T02:00:00Z")
        assert.include(yield* ends("2024-01-31T01:00:00Z"), "all  1")
        assert.include(yield* ends("2024-01-31T01:00:00.001Z"), "all  0")
        // One that no event has told of is there since it was made.
        assert.includeMembers(
          [...yield* counts("2024-02-01T00:00:00Z", "2024-02-01T00:00:00.001Z")],
          ["state  1", "status new 1"]
        )
      }))
  })
})
