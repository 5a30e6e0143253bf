import type { Warning } from "../../ground/wire/Errors.ts"
import type { License } from "../licenses/License.ts"
import {
  followedKinds,
  reinstatedStanding,
  standingOfSubscription,
  standingPut
} from "../licenses/SubscriptionStanding.ts"
import type { FollowedSubscription, FollowerStanding } from "../licenses/SubscriptionStanding.ts"
import { columnsOf } from "./LicenseChange.ts"
import type { LicenseChange, LicenseColumns } from "./LicenseChange.ts"

/** The warning about a change of terms that a purchase says as well; none of a license that no purchase pays for. */
export const warningAboutPaid = (purchaseId: string | undefined): ReadonlyArray<Warning> =>
  purchaseId === undefined
    ? []
    : [{
      code: "LICENSE_OF_PURCHASE",
      message:
        `The purchase ${purchaseId} pays for the license. The change stays until the purchase says something else about the same thing, ` +
        "such as another price or quantity."
    }]

/** A license that follows a subscription, and how it stands. */
export interface Follower {
  readonly id: string
  readonly standing: FollowerStanding
}

/** A license that its subscription changes. */
export interface Followed {
  readonly id: string
  readonly before: FollowerStanding
  readonly after: FollowerStanding
}

/** How a license stands by its columns. */
export const standingOf = (
  { ends_without_grace, expires_at, state, suspended_by }: Pick<
    LicenseColumns,
    "state" | "suspended_by" | "expires_at" | "ends_without_grace"
  >
): FollowerStanding => ({
  state,
  suspended_by: suspended_by ?? undefined,
  expires_at: expires_at === null ? undefined : Date.parse(expires_at),
  ends_without_grace: ends_without_grace === true
})

const changed = (id: string, before: FollowerStanding, after: FollowerStanding): ReadonlyArray<Followed> =>
  followedKinds(before, after).length === 0 ? [] : [{ id, before, after }]

/**
 * What a change of a subscription changes of the licenses that follow it; those that stay as they are have no event. `previous`
 * is the subscription as it was before; `now` is Unix milliseconds on the database's clock.
 */
export const followedBy = (
  followers: ReadonlyArray<Follower>,
  subscription: FollowedSubscription,
  previous: FollowedSubscription,
  now: number
): ReadonlyArray<Followed> =>
  followers.flatMap(({ id, standing }) =>
    changed(id, standing, standingOfSubscription(standing, subscription, previous, now))
  )

/** What a subscription that a purchase puts changes of the licenses that follow it, as {@link followedBy} does. */
export const followedByPut = (
  followers: ReadonlyArray<Follower>,
  subscription: FollowedSubscription,
  previous: FollowedSubscription,
  now: number
): ReadonlyArray<Followed> =>
  followers.flatMap(({ id, standing }) => changed(id, standing, standingPut(standing, subscription, previous, now)))

/**
 * What the subscription of a license changes of it once `change` is made: one that begins to follow it, or follows another
 * one from then on, is as the subscription says; what its subscription had suspended of one that ends to follow it is
 * reinstated. At most one, for a license that its subscription has no say in is left as it is.
 */
export const followedAfter = (
  license: License,
  change: LicenseChange,
  subscription: FollowedSubscription,
  now: number
): ReadonlyArray<Followed> => {
  const before = columnsOf(license)
  const after = { ...before, ...change }
  const isOther = after.subscription_id !== before.subscription_id
  if (after.follows_subscription === before.follows_subscription && !(after.follows_subscription && isOther)) return []
  const standing = standingOf(after)
  const left = after.follows_subscription
    ? standingOfSubscription(standing, subscription, undefined, now)
    : reinstatedStanding(standing)
  return changed(license.id, standing, left)
}
