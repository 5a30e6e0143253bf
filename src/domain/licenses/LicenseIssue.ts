import { Result } from "effect"
import { afterDuration } from "../terms/Duration.ts"
import { effectiveRules } from "../terms/EffectiveTerms.ts"
import { contradictions, withOverrides } from "../terms/Rules.ts"
import type { LicenseOverrides, LicenseOverridesInput, LicenseType, Rules } from "../terms/Rules.ts"
import type { FieldFinding } from "../wire/Errors.ts"
import type { LicenseState } from "./License.ts"
import { followFindings, standingOfSubscription, unfollowed } from "./SubscriptionStanding.ts"
import type { FollowedSubscription } from "./SubscriptionStanding.ts"

/** The members of a new license that its terms decide about; instants are RFC 3339. */
export interface IssueInput {
  readonly starts_at?: string
  readonly expires_at?: string
  readonly maintenance_expires_at?: string
  readonly activate_before?: string
  readonly follows_subscription?: boolean
  readonly overrides?: LicenseOverridesInput
}

/** The policy that a license is issued under, and the subscription that it has. */
export interface IssuingPolicy {
  readonly license_type: LicenseType
  readonly rules: Rules
  readonly subscription?: FollowedSubscription | undefined
}

/** What a license is issued with; instants are RFC 3339. */
export interface Issued {
  readonly starts_at?: string
  readonly expires_at?: string
  readonly maintenance_expires_at?: string
  readonly awaits_activation?: true
  readonly overrides?: LicenseOverrides
  readonly follows_subscription?: true
  /** Set where it is not active, because its subscription is paused. */
  readonly state?: LicenseState
  readonly suspended_by?: "subscription"
  readonly ends_without_grace?: true
}

const is = (path: string, code: string, message: string): FieldFinding => ({ path, code, message })

/** The finding about a maintenance that a license cannot have. */
const perpetualOnly = is("maintenance_expires_at", "perpetual_only", "is for perpetual licenses only")

const beyond = is("expires_at", "out_of_range", "would lie after the year 9999: the policy's duration is too long")

/** RFC 3339 of the end of a duration; undefined without a duration, null beyond the year 9999. */
export const endOf = (start: number, duration: string | undefined): string | null | undefined => {
  if (duration === undefined) return undefined
  const end = afterDuration(start, duration)
  return end === undefined ? null : new Date(end).toISOString()
}

/** What a license that follows its subscription has of it. */
const followed = (subscription: FollowedSubscription, now: number): Issued => {
  const { ends_without_grace, expires_at, state, suspended_by } = standingOfSubscription(
    unfollowed,
    subscription,
    undefined,
    now
  )
  return {
    follows_subscription: true,
    ...(expires_at === undefined ? {} : { expires_at: new Date(expires_at).toISOString() }),
    ...(suspended_by === undefined ? {} : { state, suspended_by }),
    ...(ends_without_grace ? { ends_without_grace } : {})
  }
}

const findingsAbout = (
  input: IssueInput,
  { license_type, subscription }: IssuingPolicy,
  rules: Rules,
  follows: boolean
): Array<FieldFinding> => {
  const { activate_before, expires_at, maintenance_expires_at, starts_at } = input
  const found: Array<FieldFinding> = []
  if (starts_at !== undefined && expires_at !== undefined && Date.parse(expires_at) <= Date.parse(starts_at)) {
    found.push(is("expires_at", "before_start", "must be after starts_at"))
  }
  if (maintenance_expires_at !== undefined && license_type !== "perpetual") found.push(perpetualOnly)
  if (activate_before !== undefined && !follows) {
    if (rules.expiry_basis !== "first_activation") {
      found.push(is("activate_before", "contradiction", "needs a policy whose expiry_basis is first_activation"))
    } else if (expires_at !== undefined || starts_at !== undefined) {
      found.push(is("activate_before", "contradiction", "excludes starts_at and expires_at, which the activation sets"))
    }
  }
  if (follows) {
    found.push(...followFindings({
      licenseType: license_type,
      hasSubscription: subscription !== undefined,
      isAsked: input.follows_subscription === true,
      expires_at,
      activate_before,
      overrides: withOverrides(undefined, input.overrides ?? null)
    }))
  }
  if (input.overrides !== undefined) {
    // Whether this license follows its subscription is a question of its own.
    found.push(...contradictions({ ...rules, follows_subscription: false }, license_type, "overrides."))
  }
  return found
}

/**
 * What a license is issued with under a policy, or every finding against it. What the caller says wins; what is left
 * out comes from the subscription that it follows, or from the durations of the terms, counted from `starts_at` or from
 * `now` (Unix milliseconds), or waits for the first activation.
 */
export const issueOf = (
  input: IssueInput,
  policy: IssuingPolicy,
  now: number
): Result.Result<Issued, ReadonlyArray<FieldFinding>> => {
  const overrides = withOverrides(undefined, input.overrides ?? null)
  const rules = effectiveRules({ policy: policy.rules, overrides, withoutGrace: undefined })
  const { activate_before, expires_at, maintenance_expires_at, starts_at } = input
  const { subscription } = policy
  // The policy speaks of licenses that have a subscription; who asks for it must name one.
  const follows = input.follows_subscription ?? (rules.follows_subscription === true && subscription !== undefined)
  const found = findingsAbout(input, policy, rules, follows)
  const awaits = !follows && rules.expiry_basis === "first_activation" && starts_at === undefined &&
    expires_at === undefined &&
    (rules.duration !== undefined || rules.maintenance_duration !== undefined)
  const start = starts_at === undefined ? now : Date.parse(starts_at)
  const end = expires_at ?? (awaits ? activate_before : follows ? undefined : endOf(start, rules.duration))
  const maintained = maintenance_expires_at ?? (awaits ? undefined : endOf(start, rules.maintenance_duration))
  if (end === null || maintained === null) found.push(beyond)
  if (found.length > 0) return Result.fail(found)
  return Result.succeed({
    ...(starts_at === undefined ? {} : { starts_at }),
    ...(end === undefined ? {} : { expires_at: end! }),
    ...(maintained === undefined ? {} : { maintenance_expires_at: maintained! }),
    ...(awaits ? { awaits_activation: true } : {}),
    ...(overrides === undefined ? {} : { overrides }),
    ...(follows ? followed(subscription!, now) : {})
  })
}

/** What a license that waited for it has from its first activation on; instants are RFC 3339. */
export interface Started {
  readonly starts_at: string
  /** Null when it never ends. */
  readonly expires_at: string | null
  /** Null when nothing is said of it. */
  readonly maintenance_expires_at: string | null
}

/** Starts a license by the durations that are in force. One beyond the year 9999 never ends. */
export const startOf = (
  rules: { readonly [Rule in "duration" | "maintenance_duration"]: string | undefined },
  maintenanceExpiresAt: string | null,
  now: Date
): Started => ({
  starts_at: now.toISOString(),
  expires_at: endOf(now.getTime(), rules.duration) ?? null,
  maintenance_expires_at: maintenanceExpiresAt ?? endOf(now.getTime(), rules.maintenance_duration) ?? null
})
