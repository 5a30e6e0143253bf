import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import migration from "../../../src/runtime/postgres/migrations/0008_reports.ts"
import { makeHistory } from "../../fixtures/History.ts"
import { startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

const columns = [
  "id",
  "feature_code",
  "total_consumptions",
  "product_id",
  "customer_id",
  "order_id",
  "subscription_id",
  "request_id"
]

it("brings what was used and what happened before into the tables of reports as if they had been there", async () => {
  const service = await startService()
  await makeHistory(service)
  await service.feed()
  await service.kill("SIGKILL")
  const database = await session(service.databaseUrl)
  const contents = async () => {
    const all: Record<string, ReadonlyArray<unknown>> = {}
    for (const table of ["usage_records", "usage_corrections", "usage_days", "activities"]) {
      all[table] = (await database.query(
        `SELECT to_jsonb(t)::text AS row FROM ${table} t
         ${table === "activities" ? "WHERE result_class <> 'refused'" : ""} ORDER BY to_jsonb(t)::text`
      )).map(({ row }) => JSON.parse(row))
    }
    return all
  }
  const before = await contents()
  for (const [table, rows] of Object.entries(before)) assert.isNotEmpty(rows, table)

  // The database as it was before.
  await database.query("DROP VIEW usage_ledger")
  await database.query("DROP TABLE activities, usage_corrections, usage_days")
  await database.query(`ALTER TABLE usage_records ${columns.map((column) => `DROP COLUMN ${column}`).join(", ")}`)
  await database.query("DROP INDEX usage_records_by_time")
  await database.query("DROP INDEX usage_records_by_license_id")
  await database.query("DROP STATISTICS usage_records_hours")

  await Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(migration)).pipe(
      Effect.provide(
        Database.layerTarget.pipe(
          Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(service.databaseUrl) }))
        )
      )
    )
  )
  assert.deepStrictEqual(await contents(), before)
})
