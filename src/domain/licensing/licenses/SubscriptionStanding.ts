import type { LicenseOverrides, LicenseType } from "../../catalog/terms/Rules.ts"
import type { Subscription } from "../../customers/Subscription.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { LicenseState } from "./License.ts"

/** What licenses follow of a subscription; instants are RFC 3339. */
export type FollowedSubscription = Pick<Subscription, "id" | "status" | "current_period_end" | "ended_at">

/** What a subscription decides about a license that follows it; the instant is in Unix milliseconds. */
export interface FollowerStanding {
  readonly state: LicenseState
  /** Set while the license is suspended by its subscription, and by no person. */
  readonly suspended_by: "subscription" | undefined
  readonly expires_at: number | undefined
  readonly ends_without_grace: boolean
}

/** A license that no subscription, person or clock has changed yet. */
export const initialStanding: FollowerStanding = {
  state: "active",
  suspended_by: undefined,
  expires_at: undefined,
  ends_without_grace: false
}

/** A license as it is without what its subscription had suspended. What a person suspended stays so. */
export const reinstatedStanding = (before: FollowerStanding): FollowerStanding =>
  before.suspended_by === undefined ? before : { ...before, state: "active", suspended_by: undefined }

const instantOrNone = (text: string | undefined): number => text === undefined ? Infinity : Date.parse(text)

/** When a license ends that follows a subscription, by its period and by when it ended. */
const endOf = ({ current_period_end, ended_at }: FollowedSubscription): number =>
  Math.min(Date.parse(current_period_end), instantOrNone(ended_at))

/** The statuses of a period that was not paid, or whose payment is contested: canceling gives none of it back. */
const unpaidStatuses: ReadonlySet<Subscription["status"]> = new Set([
  "unpaid",
  "disputed",
  "incomplete",
  "incomplete_expired"
])

/**
 * How a license stands whose subscription is paused. Of one that was not paid, the pause keeps that it ends without a grace
 * period: it says so while nothing was paid since, so that canceling the paused subscription gives nothing back.
 */
const standingOfPaused = (
  before: FollowerStanding,
  from: Subscription["status"] | undefined,
  suspended: FollowerStanding,
  now: number
): FollowerStanding => {
  if (from === undefined || from === "paused") return suspended
  const works = before.state === "active" && (before.expires_at ?? Infinity) > now
  return { ...suspended, ends_without_grace: unpaidStatuses.has(from) || (from === "canceled" && !works) }
}

/**
 * How a license stands whose subscription is canceled. What a pause had suspended works until the period's end; what a
 * missing payment had suspended stays so, also when it was paused since, and when the canceled subscription is changed again:
 * that reinstates only where its period was over and goes on.
 */
const standingOfCanceled = (
  before: FollowerStanding,
  subscription: FollowedSubscription,
  previous: FollowedSubscription | undefined,
  now: number
): FollowerStanding => {
  const end = endOf(subscription)
  if (previous !== undefined && unpaidStatuses.has(previous.status)) {
    const keepsEnd = previous.status === "incomplete_expired" && subscription.ended_at === undefined
    return { ...before, expires_at: keepsEnd ? Math.min(before.expires_at ?? end, end) : end, ends_without_grace: true }
  }
  if (previous?.status === "canceled" || (previous?.status === "paused" && before.ends_without_grace)) {
    if (endOf(previous) === end) return { ...before, ends_without_grace: true }
    const goesOn = Date.parse(previous.current_period_end) <= now && now < end
    return { ...(goesOn ? reinstatedStanding(before) : before), expires_at: end, ends_without_grace: true }
  }
  return { ...(now < end ? reinstatedStanding(before) : before), expires_at: end, ends_without_grace: true }
}

/**
 * How a license stands that follows a subscription. `previous` is the subscription as it was before, undefined when the
 * license begins to follow it: what happens at the transition into a status happens once, so that a license which a person
 * reinstated while the subscription is paused stays reinstated. Instants are Unix milliseconds on the database's clock. A
 * revoked license stays as it is.
 */
export const standingOfSubscription = (
  before: FollowerStanding,
  subscription: FollowedSubscription,
  previous: FollowedSubscription | undefined,
  now: number
): FollowerStanding => {
  if (before.state === "revoked") return before
  const from = previous?.status
  const end = endOf(subscription)
  switch (subscription.status) {
    case "trialing":
    case "active":
      return { ...reinstatedStanding(before), expires_at: end, ends_without_grace: false }
    case "past_due": {
      const since = from === "past_due" ? before.expires_at ?? now : now
      return { ...reinstatedStanding(before), expires_at: Math.min(since, end), ends_without_grace: false }
    }
    case "paused":
    case "unpaid":
    case "disputed":
    case "incomplete": {
      const kept = from === undefined ? { ...before, expires_at: end, ends_without_grace: false } : before
      const suspended: FollowerStanding = from === subscription.status || before.state !== "active"
        ? kept
        : { ...kept, state: "suspended", suspended_by: "subscription" }
      return subscription.status === "paused" ? standingOfPaused(before, from, suspended, now) : suspended
    }
    case "incomplete_expired": {
      // No period of it was paid, so it ends where nobody says when.
      const since = from === "incomplete_expired" ? before.expires_at ?? now : now
      return {
        ...before,
        expires_at: Math.min(subscription.ended_at === undefined ? since : end, end),
        ends_without_grace: true
      }
    }
    case "canceled":
      return standingOfCanceled(before, subscription, previous, now)
  }
}

/** The statuses that suspend a license. */
const suspending: ReadonlySet<string> = new Set<Subscription["status"]>(["paused", "unpaid", "disputed", "incomplete"])

/** Whether the status of a subscription suspends the licenses that follow it; that of none does not. */
export const isSuspending = (status: string | null): boolean => status !== null && suspending.has(status)

/**
 * How a license stands whose subscription is put by a purchase, which knows all of its history: by what it is now, whatever it was said
 * to be before, so that events in any order leave the same license. What a person decided stays: one that they suspended is suspended,
 * and one that they reinstated while the status stays the same is not suspended again.
 */
export const standingPut = (
  before: FollowerStanding,
  subscription: FollowedSubscription,
  previous: FollowedSubscription,
  now: number
): FollowerStanding => {
  if (before.state === "revoked") return before
  const { status } = subscription
  const end = endOf(subscription)
  const isLifted = before.state === "active" && previous.status === status
  if (isSuspending(status)) {
    const stands = { ...before, expires_at: end, ends_without_grace: false }
    return isLifted || before.state !== "active"
      ? stands
      : { ...stands, state: "suspended", suspended_by: "subscription" }
  }
  return { ...standingOfSubscription(reinstatedStanding(before), subscription, undefined, now), expires_at: end }
}

/** The events of a license that its subscription changed, in order; none where nothing changed. */
export const followedKinds = (before: FollowerStanding, after: FollowerStanding) => [
  ...(before.expires_at !== after.expires_at
    ? ["license.renewed" as const]
    : before.ends_without_grace === after.ends_without_grace
    ? []
    : ["license.updated" as const]),
  ...(before.state === after.state
    ? []
    : [after.state === "suspended" ? "license.suspended" as const : "license.reinstated" as const])
]

/** A license that is to follow its subscription, and what is said of it beside that. */
export interface FollowInput {
  readonly licenseType: LicenseType
  readonly hasSubscription: boolean
  /** Whether the caller asked for it, as opposed to the policy. */
  readonly isRequested: boolean
  readonly expires_at?: string | null | undefined
  readonly activate_before?: string | undefined
  readonly overrides: LicenseOverrides | undefined
}

/** What contradicts that a license follows its subscription, with the cure. */
export const followFindings = (input: FollowInput): ReadonlyArray<FieldFinding> => {
  const found: Array<FieldFinding> = []
  const against = (isWrong: boolean, path: string, message: string) => {
    if (isWrong) found.push({ path, code: "contradiction", message })
  }
  const { isRequested } = input
  against(
    !input.hasSubscription,
    "follows_subscription",
    "needs a subscription: issue the license with a subscription_id, or with an order_id whose order has one"
  )
  against(
    input.licenseType !== "subscription",
    "follows_subscription",
    "is for license_type subscription only: use a policy of that type"
  )
  against(
    input.expires_at !== undefined,
    isRequested ? "follows_subscription" : "expires_at",
    isRequested
      ? "excludes expires_at: the license ends with the subscription's period, so leave expires_at out"
      : "is set by the subscription, which licenses of this policy follow: leave it out, or say follows_subscription: false"
  )
  against(
    input.activate_before !== undefined,
    isRequested ? "follows_subscription" : "activate_before",
    isRequested
      ? "excludes activate_before: the license starts with the subscription, so leave activate_before out"
      : "does not start a license that follows its subscription: leave it out, or say follows_subscription: false"
  )
  against(
    input.overrides?.duration !== undefined,
    "overrides.duration",
    "is excluded: the license follows its subscription, whose period ends it; leave it out, or say " +
      "follows_subscription: false"
  )
  return found
}
