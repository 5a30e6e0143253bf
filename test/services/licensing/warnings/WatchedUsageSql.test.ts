// The watches of usage: who is looked at because something was moved, and when again.
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteWatch,
  insertOfPolicy,
  listDueWatches,
  updateWatched
} from "../../../../src/services/licensing/warnings/WatchedUsageSql.ts"
import { insertMoved } from "../../../../src/services/log/EventSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const world = Effect.gen(function*() {
  const { first, second } = yield* Workers
  const rows = makeRows(first)
  const { id: policyId, product_id } = yield* rows.policy()
  const feature_id = `feat_watched_${++made}`
  yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: feature_id, metadata: first`'{}'` })
  yield* rows.insert("policy_features", {
    policy_id: policyId,
    feature_id,
    enabled: true,
    max_consumptions: 10,
    quota_thresholds: [80],
    metadata: first`'{}'`
  })
  const license = Effect.fnUntraced(function*(isUsed: boolean) {
    const id = yield* rows.license({ policy_id: policyId, product_id })
    if (isUsed) {
      yield* rows.insert("license_features", {
        license_id: id,
        feature_id,
        enabled: true,
        is_counter: true,
        metadata: first`'{}'`
      })
    }
    return id
  })
  const due = Effect.fnUntraced(function*(...subjects: ReadonlyArray<string>) {
    const found = yield* listDueWatches(first, [""], 1000)
    return found.filter(({ subject }) => subjects.includes(subject))
  })
  return { due, first, license, policyId, rows, second }
})

describe("watches of usage", () => {
  layer(Workers.layer)((it) => {
    it.effect("are of licenses whose policy names thresholds, once, and say whether less may be left", () =>
      Effect.gen(function*() {
        const { due, first, license, rows } = yield* world
        const id = yield* license(true)
        const other = yield* rows.license()
        yield* insertMoved(first, [{ id, fell: false }, { id: other, fell: true }])
        assert.deepStrictEqual((yield* due(id, other)).map(({ fell, subject }) => [subject, fell]), [[id, false]])
        yield* insertMoved(first, [{ id, fell: true }])
        yield* insertMoved(first, [{ id, fell: false }])
        assert.deepStrictEqual(yield* deleteWatch(first, id), [{ fell: true, serves: true }])
        assert.deepStrictEqual(yield* due(id), [])
      }))

    it.effect("of a policy are of the licenses that have used the feature, slice by slice", () =>
      Effect.gen(function*() {
        const { due, first, license, policyId } = yield* world
        const used = [yield* license(true), yield* license(true), yield* license(true)].toSorted()
        const unused = yield* license(false)
        yield* insertMoved(first, [{ id: policyId, fell: true }])
        const [watch] = yield* due(policyId)
        const slice = (after: string) =>
          Effect.map(insertOfPolicy(first, watch!, after, 2), (rows) => rows.map(({ subject }) => subject).toSorted())
        assert.deepStrictEqual(yield* slice(""), used.slice(0, 2))
        assert.deepStrictEqual(yield* slice(used[1]!), used.slice(2))
        assert.lengthOf(yield* due(...used, unused), 3)
      }))

    it.effect("guard: a look that was asked for meanwhile is made, and one that nobody asked for ends", () =>
      Effect.gen(function*() {
        const { due, first, policyId, second } = yield* world
        yield* insertMoved(first, [{ id: policyId, fell: true }])
        const [watch] = yield* due(policyId)
        yield* insertMoved(second, [{ id: policyId, fell: false }])
        yield* updateWatched(first, watch!, 0)
        const [again] = yield* due(policyId)
        assert.strictEqual(Number(again!.asked), Number(watch!.asked) + 1)
        yield* updateWatched(first, again!, 0)
        assert.deepStrictEqual(yield* due(policyId), [])
        // A large customer rests: what is asked for meanwhile is looked at afterwards.
        yield* insertMoved(first, [{ id: policyId, fell: true }])
        const [large] = yield* due(policyId)
        yield* updateWatched(first, large!, 3600)
        yield* insertMoved(first, [{ id: policyId, fell: true }])
        assert.deepStrictEqual(yield* due(policyId), [])
      }))
  })
})
