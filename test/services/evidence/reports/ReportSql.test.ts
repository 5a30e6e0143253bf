import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { countLedger, findReportTime, listBuckets } from "../../../../src/services/evidence/reports/ReportSql.ts"
import { sumsOfLicenses } from "../../../../src/services/evidence/reports/UsageReports.ts"
import { usageCells, usageCellsByLicense } from "../../../../src/services/licensing/metering/UsageQuery.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const window = { from: "2026-01-01T00:00:00.000Z", to: "2026-02-01T00:00:00.000Z" }

describe("the statements of reports", () => {
  layer(Workers.layer)((it) => {
    it.effect("buckets of an hour are added up from the index on the time of uses, without their rows", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        // Tables without rows are read whole, unless that is ruled out; so is an index that the rows have to be added to.
        yield* sql`SELECT set_config(name, 'off', false)
          FROM unnest(${["enable_seqscan", "enable_bitmapscan", "enable_indexscan"]}::text[]) AS s (name)`
        const cells = usageCells(sql, window, {}, { bucket: "1h", limit: undefined })
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${listBuckets(sql, cells, { bucket: "1h" })}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.include(text, "Index Only Scan using usage_records_by_time")
        assert.notInclude(text, "Seq Scan")
      }))

    it.effect("a report of now ends after an event of this instant, whose time is rounded to the millisecond", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        // A clock that stands still, before PostgreSQL's own in the search path.
        yield* sql`CREATE SCHEMA standing`
        yield* sql`CREATE FUNCTION standing.clock_timestamp() RETURNS timestamptz LANGUAGE sql IMMUTABLE
          AS $$ SELECT '2026-03-01T00:00:00.0019Z'::timestamptz $$`
        yield* sql`SELECT set_config('search_path', 'standing, ' || current_schema() || ', pg_catalog', false)`
        const [time] = yield* findReportTime(sql)
        assert.isAbove(time!.now.getTime(), Date.parse("2026-03-01T00:00:00.002Z"))
        yield* sql`RESET ALL`
      }))

    it.effect("the totals of a ledger sum up usage and corrections apart", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const entries =
          sql`(VALUES ('license.usage_recorded', 5, 2, '{"model":"large"}'::jsonb, 7), ('license.usage_recorded', 3, 0, NULL, NULL),
          ('license.usage_reset', -4, 0, NULL, NULL)) AS e (action, amount, overage, dimensions, measured)`
        const [totals] = yield* countLedger(sql, entries)
        assert.deepStrictEqual(Object.entries(totals ?? {}), [
          ["entries", 3n],
          ["uses", 2n],
          ["amount", 8n],
          ["adjusted", -4n],
          ["overage", 2n],
          ["hasDimensions", true],
          ["hasMeasured", true]
        ])
      }))

    it.effect("sums of licenses are made in their order, without sorting the days", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        yield* sql`SELECT set_config(name, value, false) FROM (VALUES ('enable_seqscan', 'off'),
          ('enable_bitmapscan', 'off'), ('enable_indexscan', 'on'), ('enable_sort', 'off')) AS s (name, value)`
        const cells = usageCellsByLicense(sql, { ...window, to: "2026-02-01T12:00:00.000Z" }, {}, { limit: undefined })
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${sumsOfLicenses(sql, cells, undefined)}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(text, /GroupAggregate.*\n(.*\n)*.*Merge Append.*\n(.*\n)*.*Index Scan using usage_days_once/)
        assert.notInclude(text, "Sort  (")
      }))
  })
})
