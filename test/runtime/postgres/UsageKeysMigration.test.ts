import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import migration from "../../../src/runtime/postgres/migrations/0023_usage_keys.ts"
import { startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

it("leaves what was used and what was pruned as it is, and lets uses be pruned", async () => {
  let service = await startService()
  const { key, license, product } = await service.issue()
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { code: "r", name: "R" })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 5 })
  await service.license("activate", key, { fingerprint: "a" })
  const use = async () => {
    const body = { fingerprint: "a", feature_code: "r", event_id: "e-1", amount: 2 }
    const { body: answer, status, text } = await service.license("consume", key, body)
    assert.strictEqual(status, 200, text)
    assert.strictEqual(answer.data.features[0].consumed, 2)
  }
  await use()
  await service.stop()
  const database = await session(service.databaseUrl)
  const contents = () =>
    Promise.all(
      ["usage_records", "usage_days", "pruned_tables"].map((table) => database.query(`SELECT * FROM ${table}`))
    )

  // As it was before.
  await database.query("DROP FUNCTION usage_pruned, usage_key")
  await database.query("DROP TABLE usage_keys")
  const later = await database.query("DELETE FROM pruned_tables WHERE name LIKE 'decided_%' RETURNING name, until")
  await database.query(
    "ALTER TABLE pruned_tables DROP CONSTRAINT pruned_tables_name_check, ADD CHECK (name IN ('activities'))"
  )
  await database.query("INSERT INTO pruned_tables VALUES ('activities', '2020-01-01T00:00:00Z')")
  const before = await contents()

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
  for (const [name, isTaken] of [["usage_records", true], ["leases", false]] as const) {
    const taken = await database.query("INSERT INTO pruned_tables VALUES ($1, '2020-01-01T00:00:00Z')", [name]).then(
      () => true,
      () => false
    )
    assert.strictEqual(taken, isTaken, name)
  }
  // What a later migration brings.
  await database.query("ALTER TABLE pruned_tables DROP CONSTRAINT pruned_tables_name_check")
  for (const { name, until } of later) await database.query("INSERT INTO pruned_tables VALUES ($1, $2)", [name, until])
  service = await startService({ databaseUrl: service.databaseUrl })
  await use()
})
