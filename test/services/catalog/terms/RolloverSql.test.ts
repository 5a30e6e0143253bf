import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertCarried, updateRolledUntil } from "../../../../src/services/catalog/terms/UsedValueSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

describe("the statements of carried units", () => {
  layer(Workers.layer)((it) => {
    it.effect("carried units become grants, and begin the counter of a feature that has none", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const { id: policy_id, product_id } = yield* rows.policy()
        const license_id = yield* rows.license({ policy_id, product_id })
        const feature_id = "feat_carried"
        yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: "f", metadata: first`'{}'` })
        const carried = (id: string, created_at: string) => ({
          id,
          license_id,
          feature_id,
          feature_code: "f",
          amount: 3,
          used: 0,
          remaining: 3,
          starts_at: "2027-02-01T00:00:00.000Z",
          expires_at: "2027-03-01T00:00:00.000Z",
          priority: 50,
          source: "rollover" as const,
          created_at
        })
        const grants = [
          carried("grant_a", "2027-02-03T00:00:00.000Z"),
          carried("grant_b", "2027-02-04T00:00:00.000Z")
        ]
        yield* insertCarried(first, grants)
        assert.deepStrictEqual(
          yield* first`SELECT id, amount, source, is_open, created_at FROM license_grants
            WHERE license_id = ${license_id} ORDER BY id`,
          grants.map(({ created_at, id }) => ({
            id,
            amount: 3n,
            source: "rollover",
            is_open: true,
            created_at: new Date(created_at)
          }))
        )
        const [counter] = yield* first`SELECT is_counter, granted_consumptions FROM license_features
          WHERE license_id = ${license_id} AND feature_id = ${feature_id}`
        assert.deepStrictEqual(counter, { is_counter: true, granted_consumptions: 0n })
        yield* updateRolledUntil(first, license_id, new Date("2027-02-04T00:00:00Z"))
        const [left] = yield* first`SELECT rolled_until FROM licenses WHERE id = ${license_id}`
        assert.deepStrictEqual(left, { rolled_until: new Date("2027-02-04T00:00:00Z") })
      }))
  })
})
