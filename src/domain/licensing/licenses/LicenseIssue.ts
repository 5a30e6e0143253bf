import { Result } from "effect"
import { afterDuration } from "../../catalog/terms/Duration.ts"
import { effectiveRules } from "../../catalog/terms/EffectiveTerms.ts"
import { contradictions, withOverrides } from "../../catalog/terms/Rules.ts"
import type { LicenseOverrides, LicenseOverridesInput, LicenseType, Rules } from "../../catalog/terms/Rules.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { LicenseState } from "./License.ts"
import { followFindings, initialStanding, standingOfSubscription } from "./SubscriptionStanding.ts"
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
  readonly id: string
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

/**
 * The finding about a license that would be left without an end, although its policy says that a subscription ends it:
 * it follows none. `otherwise` is what its caller may say instead of naming a subscription.
 */
export const findingWithoutEnd = (
  left: { readonly rules: Rules; readonly follows: boolean; readonly expires_at: string | undefined },
  otherwise: string
): FieldFinding | undefined =>
  left.rules.follows_subscription !== true || left.follows || left.expires_at !== undefined ? undefined : is(
    "subscription_id",
    "no_subscription",
    `is what licenses of this policy end by: name one, or an order that has one; or ${otherwise}`
  )

/** RFC 3339 of the end of a duration, undefined without one; a failure where it lies beyond the year 9999. */
const endOf = (start: number, duration: string | undefined): Result.Result<string | undefined, "out_of_range"> => {
  if (duration === undefined) return Result.succeed(undefined)
  const end = afterDuration(start, duration)
  return end === undefined ? Result.fail("out_of_range") : Result.succeed(new Date(end).toISOString())
}

/** The durations that end a license, and its maintenance. */
type Durations = { readonly [Member in "duration" | "maintenance_duration"]?: string | undefined }

/** The ends that durations lead to, RFC 3339; undefined where there is none. */
export interface Ends {
  readonly expires_at: string | undefined
  readonly maintenance_expires_at: string | undefined
}

/**
 * The ends of a license whose terms are counted from an instant, or the duration that leads beyond the year 9999. What is
 * stored may be that long, from before durations had a limit. It is a failure, so that nobody takes it for no end.
 */
export const endsOf = (start: number, rules: Durations): Result.Result<Ends, keyof Durations> => {
  const expires = endOf(start, rules.duration)
  if (Result.isFailure(expires)) return Result.fail("duration")
  const maintained = endOf(start, rules.maintenance_duration)
  if (Result.isFailure(maintained)) return Result.fail("maintenance_duration")
  return Result.succeed({ expires_at: expires.success, maintenance_expires_at: maintained.success })
}

/** Why durations that lead beyond the year 9999 are refused, and the cure. */
export const beyond = (
  member: keyof Durations,
  { overrides, policy, rules }: {
    readonly policy: Pick<IssuingPolicy, "id">
    readonly overrides: LicenseOverrides | undefined
    readonly rules: Rules
  }
): string => {
  const whose = overrides?.[member] === undefined ? `the policy ${policy.id}` : "the overrides"
  return `would lie after the year 9999, by the ${member} ${rules[member]} of ${whose}: PATCH it with a shorter one`
}

/** What a license that follows its subscription has of it. */
const followed = (subscription: FollowedSubscription, now: number): Issued => {
  const { ends_without_grace, expires_at, state, suspended_by } = standingOfSubscription(
    initialStanding,
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
      isRequested: input.follows_subscription === true,
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
  // Of a license that awaits its activation they are only judged: nothing is issued that could never start.
  const counted = endsOf(start, {
    duration: follows || expires_at !== undefined ? undefined : rules.duration,
    maintenance_duration: maintenance_expires_at === undefined ? rules.maintenance_duration : undefined
  })
  const byTerms = awaits || Result.isFailure(counted) ? undefined : counted.success
  const end = expires_at ?? (awaits ? activate_before : byTerms?.expires_at)
  const maintained = maintenance_expires_at ?? byTerms?.maintenance_expires_at
  if (Result.isFailure(counted)) {
    found.push(
      is(
        counted.failure === "duration" ? "expires_at" : "maintenance_expires_at",
        "out_of_range",
        `${beyond(counted.failure, { policy, overrides, rules })}, or give it yourself`
      )
    )
  }
  const endless = Result.isFailure(counted) || input.follows_subscription !== undefined ? undefined : findingWithoutEnd(
    { rules, follows, expires_at: end },
    "give an expires_at and set subscription_id later; or say follows_subscription: false for a license without an end"
  )
  if (endless !== undefined) found.push(endless)
  if (found.length > 0) return Result.fail(found)
  return Result.succeed({
    ...(starts_at === undefined ? {} : { starts_at }),
    ...(end === undefined ? {} : { expires_at: end }),
    ...(maintained === undefined ? {} : { maintenance_expires_at: maintained }),
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

/** Starts a license by the durations that are in force; or the one that leads beyond the year 9999, so that it cannot. */
export const startOf = (
  rules: Durations,
  maintenanceExpiresAt: string | undefined,
  now: Date
): Result.Result<Started, keyof Durations> =>
  Result.map(
    endsOf(now.getTime(), maintenanceExpiresAt === undefined ? rules : { duration: rules.duration }),
    ({ expires_at, maintenance_expires_at }) => ({
      starts_at: now.toISOString(),
      expires_at: expires_at ?? null,
      maintenance_expires_at: maintenanceExpiresAt ?? maintenance_expires_at ?? null
    })
  )

/** Whether a license awaits an activation that cannot start it, because its durations lead beyond the year 9999. */
export const cannotStart = (
  license: Durations & {
    readonly awaits_activation?: boolean | undefined
    readonly maintenance_expires_at?: string | undefined
  },
  now: Date
): boolean =>
  license.awaits_activation === true && Result.isFailure(startOf(license, license.maintenance_expires_at, now))
