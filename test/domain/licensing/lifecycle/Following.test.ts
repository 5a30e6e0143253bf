import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { initialStanding } from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"
import type { FollowedSubscription } from "../../../../src/domain/licensing/licenses/SubscriptionStanding.ts"
import { followedAfter, followedBy } from "../../../../src/domain/licensing/lifecycle/Following.ts"
import type { LicenseChange } from "../../../../src/domain/licensing/lifecycle/LicenseChange.ts"

const now = Date.parse("2027-03-01T00:00:00.000Z")
const end = "2027-06-01T00:00:00.000Z"
const subscription = (more: Partial<FollowedSubscription> = {}): FollowedSubscription => ({
  id: "sub_b",
  status: "active",
  current_period_end: end,
  ...more
})

const { expires_at: _expiry, ...endless } =
  (Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>)[0]!
const license = (more: Partial<License> = {}): License => ({ ...endless, subscription_id: "sub_a", ...more })
const follower = { follows_subscription: true, expires_at: "2027-04-01T00:00:00.000Z" } as const

/** How the subscription leaves a license: its end, its state and who suspended it; undefined where it has no say. */
const left = (before: License, change: LicenseChange, of = subscription()) => {
  const [followed] = followedAfter(before, change, of, now)
  return followed && [followed.after.state, followed.after.suspended_by, followed.after.expires_at]
}
const active = ["active", undefined, Date.parse(end)]

describe("what the subscription of a license says after a change", () => {
  it("is heard by one that begins to follow it, from what the change leaves", () => {
    assert.deepStrictEqual(left(license(), { follows_subscription: true }), active)
    assert.deepStrictEqual(left(license(), { follows_subscription: true }, subscription({ status: "paused" })), [
      "suspended",
      "subscription",
      Date.parse(end)
    ])
    // It has that end already.
    assert.isUndefined(left(license(), { follows_subscription: true, expires_at: end }))
  })

  it("is heard by a follower only where it is another subscription", () => {
    assert.deepStrictEqual(left(license(follower), { subscription_id: "sub_b" }), active)
    assert.isUndefined(left(license(follower), { subscription_id: "sub_a", customer_name: "N" }))
    assert.isUndefined(left(license({ expires_at: end }), { subscription_id: "sub_b" }))
  })

  it("ends with following: what it had suspended is reinstated, and what a person had is not", () => {
    const ends = { follows_subscription: null }
    const suspended = { ...follower, status: "suspended" } as const
    assert.deepStrictEqual(left(license({ ...suspended, suspended_by: "subscription" }), ends), [
      "active",
      undefined,
      Date.parse(follower.expires_at)
    ])
    assert.isUndefined(left(license(suspended), ends))
    assert.isUndefined(left(license(follower), { ...ends, subscription_id: "sub_b" }))
  })

  it("changes no revoked license", () => {
    assert.isUndefined(left(license({ ...follower, status: "revoked" }), { subscription_id: "sub_b" }))
  })
})

describe("a change of a subscription", () => {
  it("changes the followers that stand otherwise after it, and no others", () => {
    const stays = { ...initialStanding, expires_at: Date.parse(end) }
    const followed = followedBy(
      [{ id: "lic_1", standing: initialStanding }, { id: "lic_2", standing: stays }],
      subscription(),
      subscription(),
      now
    )
    assert.deepStrictEqual(followed, [{ id: "lic_1", before: initialStanding, after: stays }])
  })

  it("into a status happens once: what a person reinstated of a paused one stays so", () => {
    const paused = subscription({ status: "paused" })
    const standing = { ...initialStanding, expires_at: Date.parse(end) }
    assert.deepStrictEqual(followedBy([{ id: "lic_1", standing }], paused, paused, now), [])
    assert.lengthOf(followedBy([{ id: "lic_1", standing }], paused, subscription(), now), 1)
  })
})
