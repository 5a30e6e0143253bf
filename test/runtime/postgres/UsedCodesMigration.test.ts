import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Database from "../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import migration from "../../../src/runtime/postgres/migrations/0015_used_codes.ts"
import { startService } from "../../fixtures/Service.ts"
import { session } from "../../fixtures/Session.ts"

it("adds the days up again on which a feature had more than one code", async () => {
  const service = await startService()
  const { key, license, product } = await service.issue()
  const path = `/api/v1/products/${product.id}/features`
  const feature = await service.data("POST", path, { code: "render", name: "Render" })
  const other = await service.data("POST", path, { code: "export", name: "Export" })
  for (const { id } of [feature, other]) {
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: id })
  }
  await service.license("activate", key, { fingerprint: "a" })
  const use = async (feature_code: string, amount: number) => {
    const body = { fingerprint: "a", feature_code, event_id: randomUUID(), amount }
    assert.strictEqual((await service.license("consume", key, body)).status, 200)
  }
  await use("render", 2)
  await use("export", 4)
  await service.data("PATCH", `/api/v1/features/${feature.id}`, { code: "draw" })
  await use("draw", 3)
  const database = await session(service.databaseUrl)
  const days = () =>
    database.query(
      "SELECT day, license_id, feature_id, feature_code, customer_id, product_id, uses, amount, first_at, last_at " +
        "FROM usage_days ORDER BY feature_code"
    )
  await service.stop()
  const before = await days()
  assert.lengthOf(before, 3)

  // As it was added up before: under the first code of the day.
  await database.query("DELETE FROM usage_days WHERE feature_code = 'draw'")
  await database.query("UPDATE usage_days SET uses = 2, amount = 5 WHERE feature_code = 'render'")
  await database.query("ALTER TABLE usage_days DROP CONSTRAINT usage_days_once")
  await database.query(
    "ALTER TABLE usage_days ADD UNIQUE NULLS NOT DISTINCT (license_id, day, feature_id, customer_id)"
  )

  await Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(migration)).pipe(
      Effect.provide(
        Database.layerTarget.pipe(
          Layer.provide(Layer.succeed(DatabaseTarget, { url: Redacted.make(service.databaseUrl) }))
        )
      )
    )
  )
  assert.deepStrictEqual(await days(), before)
})
