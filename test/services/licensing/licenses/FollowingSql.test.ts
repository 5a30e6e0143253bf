import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { initialStanding } from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"
import type { FollowerStanding } from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"
import {
  lockFollowers,
  updateFollowed,
  updateGraceRegained
} from "../../../../src/services/licensing/licenses/FollowingSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const end = "2030-01-01T00:00:00.000Z"

let made = 0

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const { first } = workers
  const rows = makeRows(first)
  const { id: policy_id, product_id } = yield* rows.policy({ grace_period_days: 3 })
  const subscription_id = `sub_${++made}`
  yield* rows.insert("subscriptions", {
    id: subscription_id,
    product_id,
    external_system: "stripe",
    external_id: subscription_id,
    status: "active",
    current_period_start: first`now()`,
    current_period_end: first`now() + interval '1 year'`,
    cancel_at_period_end: false,
    metadata: first`'{}'`
  })
  const follower = (members = {}) =>
    rows.license({ policy_id, product_id, subscription_id, follows_subscription: true, ...members })
  const rowOf = (id: string) =>
    Effect.map(
      first`
        SELECT state, suspended_by, expires_at, ends_without_grace, announced, entitlement_version::int AS version
        FROM licenses WHERE id = ${id}`,
      ([row]) => row!
    )
  const follow = (id: string, after: Partial<FollowerStanding>) =>
    updateFollowed(first, [{ id, before: initialStanding, after: { ...initialStanding, ...after } }])
  const ids = (found: ReadonlyArray<object>) => found.map((row) => (row as { readonly id: string }).id)
  return { ...workers, follow, follower, ids, rowOf, subscription_id }
})

describe("the statements about licenses that follow a subscription", () => {
  layer(Workers.layer)((it) => {
    it.effect("a revoked license follows nothing, also when it is revoked while the subscription waits for it", () =>
      Effect.gen(function*() {
        const { first, follower, ids, second, subscription_id, waiting } = yield* world
        const [kept, revoked] = [yield* follower(), yield* follower()]
        yield* follower({ follows_subscription: null })
        const revoke = first`UPDATE licenses SET state = 'revoked' WHERE id = ${revoked}`
        const [, locked] = yield* waiting(revoke, lockFollowers(second, subscription_id))
        assert.deepStrictEqual(ids(locked), [kept])
      }))

    it.effect("followers are locked in the order of their ids", () =>
      Effect.gen(function*() {
        const { first, follower, ids, subscription_id } = yield* world
        const all = [yield* follower(), yield* follower(), yield* follower()]
        yield* first`UPDATE licenses SET updated_at = now() WHERE id = ${all[0]!}`
        assert.deepStrictEqual(ids(yield* lockFollowers(first, subscription_id)), all.toSorted())
      }))

    it.effect("a followed license announces its new end, and one with the same end what it announced already", () =>
      Effect.gen(function*() {
        const { follow, follower, rowOf } = yield* world
        const members = { expires_at: new Date(end), announced: "expired" }
        const [other, same, endless] = [yield* follower(members), yield* follower(members), yield* follower(members)]
        yield* follow(other, { expires_at: Date.parse(end) + 1000, state: "suspended", suspended_by: "subscription" })
        yield* follow(same, { expires_at: Date.parse(end), ends_without_grace: true })
        yield* follow(endless, {})
        assert.deepStrictEqual([yield* rowOf(other), yield* rowOf(same), yield* rowOf(endless)], [
          {
            state: "suspended",
            suspended_by: "subscription",
            expires_at: new Date(Date.parse(end) + 1000),
            ends_without_grace: null,
            announced: "nothing",
            version: 2
          },
          {
            state: "active",
            suspended_by: null,
            expires_at: new Date(end),
            ends_without_grace: true,
            announced: "expired",
            version: 2
          },
          {
            state: "active",
            suspended_by: null,
            expires_at: null,
            ends_without_grace: null,
            announced: "nothing",
            version: 2
          }
        ])
      }))

    it.effect("a license that has grace again is not over, unless its grace is over too", () =>
      Effect.gen(function*() {
        const { first, follower, ids } = yield* world
        const ago = (days: number) => ({ expires_at: first`now() - ${days} * interval '1 day'`, announced: "expired" })
        const [within, beyond] = [yield* follower(ago(2)), yield* follower(ago(4))]
        const warned = yield* follower({ ...ago(2), announced: "expiring" })
        assert.deepStrictEqual(ids(yield* updateGraceRegained(first, [within, beyond, warned])), [within])
      }))
  })
})
