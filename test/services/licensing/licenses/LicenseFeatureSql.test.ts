import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { LicenseFeatureAssign } from "../../../../src/domain/catalog/Feature.ts"
import { toWire } from "../../../../src/services/ground/persistence/RowToWire.ts"
import {
  deleteAssignment,
  findAssignment,
  insertAssignment,
  insertCorrected,
  listCounted,
  lockFeature,
  lockProducts,
  updateCredits,
  updateGrantsVersion,
  updateRestarted
} from "../../../../src/services/licensing/licenses/LicenseFeatureSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import type { Members } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const start = "2027-01-01T00:00:00.000Z"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy()
  const license_id = yield* rows.license({ policy_id, product_id })
  const feature = Effect.fnUntraced(function*() {
    const id = `feat_${++made}`
    yield* rows.insert("features", { id, product_id, name: id, code: id, metadata: first`'{}'` })
    return id
  })
  /** A feature with what is stored of it for the license. */
  const counted = Effect.fnUntraced(function*(members: Members = {}) {
    const feature_id = yield* feature()
    yield* rows.insert("license_features", { license_id, feature_id, enabled: true, metadata: first`'{}'`, ...members })
    return feature_id
  })
  const assign = (feature_id: string, input: Omit<LicenseFeatureAssign, "feature_id">, credits?: number) =>
    Effect.map(
      insertAssignment(first, license_id, { input: { feature_id, ...input }, credits }),
      ([row]) => toWire<Readonly<Record<string, unknown>>>(row!)
    )
  const shown = (found: ReadonlyArray<object>) => found.map((row) => toWire<Readonly<Record<string, unknown>>>(row))
  return { ...workers, assign, counted, feature, license_id, policy_id, product_id, rows, shown }
})

describe("the statements about features of a license", () => {
  layer(Workers.layer)((it) => {
    it.effect("features of a license change one after the other, and refer to a license that stays", () =>
      Effect.gen(function*() {
        const { first, license_id, product_id, second, waiting } = yield* world
        const change = Effect.andThen(
          lockProducts(first, license_id),
          first`UPDATE licenses SET product_ids = '{prod_more}' WHERE id = ${license_id}`
        )
        const [, [row]] = yield* waiting(change, lockProducts(second, license_id))
        assert.deepStrictEqual(row!.products, [product_id, "prod_more"])
      }))

    it.effect("a feature is archived before it is assigned, or after, and several licenses may get it at once", () =>
      Effect.gen(function*() {
        const { feature, first, passing, product_id, second, waiting } = yield* world
        const id = yield* feature()
        const archive = first`UPDATE features SET archived_at = now() WHERE id = ${id}`
        const [, [archived]] = yield* waiting(archive, lockFeature(second, id, [product_id]))
        assert.deepStrictEqual(archived, { product_id, isArchived: true, value_type: null, enum_options: null })
        yield* passing(lockFeature(first, id, undefined), lockFeature(second, id, undefined))
        assert.deepStrictEqual(yield* lockFeature(second, id, ["prod_x"]), [])
      }))

    it.effect("an assignment keeps what the input leaves out, and takes the credits with a new quota", () =>
      Effect.gen(function*() {
        const { assign, counted } = yield* world
        const id = yield* counted({
          is_counter: true,
          credits: 4,
          credits_start: new Date(start),
          total_consumptions: 3
        })
        const expires_at = "2030-01-01T00:00:00.000Z"
        const given = { enabled: false, period: "month", overage: "10%", expires_at, metadata: { a: 1 } } as const
        const first = yield* assign(id, { ...given, max_consumptions: 9 }, 4)
        assert.deepInclude(first, { ...given, max_consumptions: 13, credits: 4, credits_start: start, remaining: 10 })
        assert.notProperty(first, "from")
        assert.deepStrictEqual(yield* assign(id, {}, 4), first)
        const { credits: _credits, credits_start: _start, quota_from: _from, ...rest } = first
        assert.deepStrictEqual(yield* assign(id, { max_consumptions: 2 }), {
          ...rest,
          max_consumptions: 2,
          remaining: 0
        })
        const { expires_at: _end, ...endless } = rest
        assert.deepStrictEqual(yield* assign(id, { expires_at: null, max_consumptions: 9 }), {
          ...endless,
          max_consumptions: 9,
          remaining: 6
        })
      }))

    it.effect("a correction of what the policy alone grants stays a counter, until it names a quota", () =>
      Effect.gen(function*() {
        const { counted, first, license_id, shown } = yield* world
        const feature_id = yield* counted({ is_counter: true, period_consumptions: 3, period_start: new Date(start) })
        const corrected = {
          quota: undefined,
          credits: null,
          credits_start: null,
          total: 1,
          period_start: null,
          period_consumptions: null
        }
        const [kept] = shown(yield* insertCorrected(first, { license_id, feature_id }, corrected))
        assert.deepInclude(kept, { from: "policy", total_consumptions: 1, period_start: start, period_consumptions: 3 })
        assert.deepStrictEqual(yield* findAssignment(first, license_id, feature_id), [])
        const [own] = shown(
          yield* insertCorrected(first, { license_id, feature_id }, { ...corrected, quota: 7, credits: 2 })
        )
        assert.deepInclude(own, { max_consumptions: 9, credits: 2, quota_from: "license", remaining: 8 })
        assert.notProperty(own, "from")
        const [again] = shown(yield* insertCorrected(first, { license_id, feature_id }, { ...corrected, total: 5 }))
        assert.deepInclude(again, { max_consumptions: 7, total_consumptions: 5 })
        assert.lengthOf(yield* findAssignment(first, license_id, feature_id), 1)
      }))

    it.effect("credits are of a period, and none take away what is stored", () =>
      Effect.gen(function*() {
        const { counted, first, license_id, shown } = yield* world
        const feature_id = yield* counted({ max_consumptions: 5 })
        const of = { license_id, feature_id }
        const [kept] = shown(yield* updateCredits(first, of, 3, start))
        assert.deepInclude(kept, { credits: 3, credits_start: start, max_consumptions: 8 })
        const [none] = shown(yield* updateCredits(first, of, 0, start))
        assert.notProperty(none, "credits")
        assert.notProperty(none, "credits_start")
      }))

    it.effect("a restart sets the counted features to zero, keeps credits that count, and touches no other", () =>
      Effect.gen(function*() {
        const { counted, first, license_id, shown } = yield* world
        const ofPeriod = { period_consumptions: 2, period_start: new Date(start), credits: 1 }
        const [a, b] = [yield* counted({ total_consumptions: 4, ...ofPeriod }), yield* counted(ofPeriod)]
        const unused = yield* counted({ credits: 1 })
        const all = shown(yield* listCounted(first, license_id))
        assert.deepStrictEqual(all.map(({ feature_id }) => feature_id), [a, b].toSorted())
        const left = shown(yield* updateRestarted(first, license_id, [a, b], [b]))
        assert.sameDeepMembers(
          left.map((row) => [row["feature_id"], row["total_consumptions"], row["period_consumptions"], row["credits"]]),
          [[a, 0, 0, undefined], [b, 0, 0, 1]]
        )
        assert.deepStrictEqual(yield* listCounted(first, license_id), [])
        const [other] = shown(yield* findAssignment(first, license_id, unused))
        assert.strictEqual(other!["credits"], 1)
        assert.notProperty(other, "period_consumptions")
      }))

    it.effect("each change of what a license grants is counted, and an assignment goes alone", () =>
      Effect.gen(function*() {
        const { counted, first, license_id } = yield* world
        const [a, b] = [yield* counted(), yield* counted()]
        yield* updateGrantsVersion(first, license_id, 3)
        const [row] = yield* first`SELECT entitlement_version::int AS version FROM licenses WHERE id = ${license_id}`
        assert.strictEqual(row!["version"], 4)
        yield* deleteAssignment(first, license_id, a)
        assert.deepStrictEqual(yield* findAssignment(first, license_id, a), [])
        assert.lengthOf(yield* findAssignment(first, license_id, b), 1)
      }))
  })
})
