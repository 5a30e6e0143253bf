import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { findFormerOwner, lockCodes } from "../../../src/services/catalog/CatalogSql.ts"
import {
  deleteGrant,
  findGrant,
  findWithoutSubscription,
  insertPolicyFeature,
  listPolicyFeatures,
  lockGrantable,
  lockPolicyOf
} from "../../../src/services/catalog/PolicyFeatureSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const feature = Effect.fnUntraced(function*() {
    const id = `feat_p${++made}`
    yield* rows.insert("features", { id, product_id, name: id, code: id, metadata: workers.first`'{}'` })
    return id
  })
  return { ...workers, feature, policy_id, product_id, rows }
})

describe("the statements about features of a policy", () => {
  layer(Workers.layer)((it) => {
    it.effect("grants of a policy change one after the other, and a policy is one of its product", () =>
      Effect.gen(function*() {
        const { first, policy_id, product_id, second, waiting } = yield* world
        const lock = (sql: typeof first) => lockPolicyOf(sql, product_id, policy_id)
        const [a, b] = yield* waiting(lock(first), lock(second))
        assert.deepStrictEqual([a.length, b.length], [1, 1])
        assert.deepStrictEqual(yield* lockPolicyOf(first, "prod_x", policy_id), [])
      }))

    it.effect("a feature is archived before it is granted, or after", () =>
      Effect.gen(function*() {
        const { feature, first, passing, product_id, second, waiting } = yield* world
        const id = yield* feature()
        yield* passing(lockGrantable(first, id, undefined), lockGrantable(second, id, [product_id]))
        const archive = first`UPDATE features SET archived_at = now() WHERE id = ${id}`
        const [, [archived]] = yield* waiting(archive, lockGrantable(second, id, undefined))
        assert.deepStrictEqual(archived, { isArchived: true, value_type: null, enum_options: null, meter: null })
        assert.deepStrictEqual(yield* lockGrantable(second, id, ["prod_x"]), [])
      }))

    it.effect("a grant is returned as it is left, listed from the newest on, and taken away alone", () =>
      Effect.gen(function*() {
        const { feature, first, policy_id } = yield* world
        const [a, b] = [yield* feature(), yield* feature()].toSorted()
        const grant = (feature_id: string, more = {}) =>
          insertPolicyFeature(first, policy_id, { feature_id, enabled: true, metadata: {}, ...more })
        yield* grant(a!)
        yield* grant(b!, { max_consumptions: 9, period: "month" })
        const [changed] = yield* grant(b!, { enabled: false, max_consumptions: 7, overage: "10%", metadata: { a: 1 } })
        assert.deepInclude(changed, { enabled: false, max_consumptions: 7n, period: null, overage: "10%" })
        const ids = (found: ReadonlyArray<object>) =>
          found.map((row) => (row as { readonly feature_id: string }).feature_id)
        const page = (after?: string) => listPolicyFeatures(first, policy_id, { after, limit: 5 })
        assert.deepStrictEqual(ids(yield* page()), [b, a])
        assert.deepStrictEqual(ids(yield* page(b)), [a])
        yield* deleteGrant(first, policy_id, b!)
        assert.deepStrictEqual(yield* findGrant(first, policy_id, b!), [])
        assert.lengthOf(yield* findGrant(first, policy_id, a!), 1)
      }))

    it.effect("a revoked license lacks no subscription", () =>
      Effect.gen(function*() {
        const { first, policy_id, product_id, rows } = yield* world
        yield* rows.license({ policy_id, product_id, state: "revoked" })
        assert.deepStrictEqual(yield* findWithoutSubscription(first, policy_id), [])
        yield* rows.license({ policy_id, product_id })
        assert.lengthOf(yield* findWithoutSubscription(first, policy_id), 1)
      }))

    it.effect("codes of products are given out one after the other, and a former code has its owner", () =>
      Effect.gen(function*() {
        const { first, product_id, second, waiting } = yield* world
        yield* waiting(lockCodes(first), lockCodes(second))
        yield* first`UPDATE products SET former_codes = ${["was"]}::text[] WHERE id = ${product_id}`
        const owner = (code: string, id: string) =>
          Effect.map(findFormerOwner(first, code, id), (found) => found.map((row) => row.id))
        assert.deepStrictEqual(yield* owner("was", ""), [product_id])
        assert.deepStrictEqual(yield* owner("was", product_id), [])
        assert.deepStrictEqual(yield* owner("never", ""), [])
      }))
  })
})
