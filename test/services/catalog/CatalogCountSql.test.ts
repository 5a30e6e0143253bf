import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { countOfPolicies, countOfProducts } from "../../../src/services/catalog/CatalogSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("what belongs to products and policies", () => {
  layer(Workers.layer)((it) => {
    it.effect("is counted of each, and licenses only for who may see them", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const rows = makeRows(sql)
        const [full, empty] = [yield* rows.product(), yield* rows.product()]
        const [one, other] = [yield* rows.policy({ product_id: full }), yield* rows.policy({ product_id: full })]
        const under = { policy_id: one.id, product_id: full }
        const [used, unused, former] = [
          yield* rows.license(under),
          yield* rows.license(under),
          yield* rows.license(under)
        ]
        yield* rows.device({ license_id: used })
        yield* rows.device({ license_id: used })
        yield* rows.device({ license_id: former, last_seen_at: sql`now() - interval '31 days'` })
        assert.isString(unused)
        for (const [version, days] of [["1.9.0", 5], ["2.0.0", 1], ["1.9.1", 3]] as const) {
          yield* sql`INSERT INTO product_versions (id, product_id, version, released_at, metadata)
            VALUES (${`ver_${version}`}, ${full}, ${version}, now() - ${days}::int * interval '1 day', '{}')`
        }
        const none = { policies: 0, licenses: 0, in_use: 0, has_unseen: false, newest_version: null }
        const counts = { policies: 2, licenses: 3, in_use: 1, has_unseen: false, newest_version: "2.0.0" }
        assert.deepStrictEqual(
          (yield* countOfProducts(sql, [full, empty], true)).toSorted((a, b) => b.licenses - a.licenses),
          [{ id: full, ...counts }, { id: empty, ...none }]
        )
        assert.deepStrictEqual(yield* countOfProducts(sql, [full], false), [
          { id: full, ...counts, licenses: 0, in_use: 0 }
        ])
        assert.deepStrictEqual(
          (yield* countOfPolicies(sql, [one.id, other.id])).toSorted((a, b) => b.licenses - a.licenses),
          [{ id: one.id, licenses: 3 }, { id: other.id, licenses: 0 }]
        )
      }))
  })
})
