import { Result } from "effect"
import { effectiveRules } from "../../catalog/terms/EffectiveTerms.ts"
import { contradictions } from "../../catalog/terms/Rules.ts"
import type { LicenseOverrides, Rules } from "../../catalog/terms/Rules.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { License } from "../licenses/License.ts"
import { beyond, endsOf, findingWithoutEnd } from "../licenses/LicenseIssue.ts"
import type { IssuingPolicy } from "../licenses/LicenseIssue.ts"
import { withoutGrace } from "../licenses/LicenseStatus.ts"
import { followFindings } from "../licenses/SubscriptionStanding.ts"
import type { LicenseChange } from "./LicenseChange.ts"
import type { PolicyChange } from "./PolicyChange.ts"

/** What a license has that another policy may change. */
export type MovedLicense = Pick<
  License,
  | "starts_at"
  | "expires_at"
  | "maintenance_expires_at"
  | "awaits_activation"
  | "follows_subscription"
  | "ends_without_grace"
  | "term_anchor"
  | "overrides"
>

/** What a license has under another policy; instants are RFC 3339. What its subscription says of it is not in here. */
export interface Moved {
  readonly expires_at: string | undefined
  readonly maintenance_expires_at: string | undefined
  /** What further terms count from. */
  readonly term_anchor: string | undefined
  readonly awaits_activation: boolean
  readonly follows_subscription: boolean
  readonly ends_without_grace: boolean
  readonly overrides: LicenseOverrides | undefined
  /** The rules that are in force then. */
  readonly rules: Rules
}

type Ends = Pick<
  Moved,
  "expires_at" | "maintenance_expires_at" | "term_anchor" | "awaits_activation" | "ends_without_grace"
>

/** What the ends of a license are counted by. */
interface Counted {
  readonly policy: IssuingPolicy
  readonly overrides: LicenseOverrides | undefined
  readonly rules: Rules
}

const contradiction = (path: "expiry" | "overrides", message: string): FieldFinding => ({
  path,
  code: "contradiction",
  message
})

/** Findings about members of the license, as what the caller would keep of it. */
const asKept = (path: "expiry" | "overrides", cure: string, found: ReadonlyArray<FieldFinding>) =>
  found.map((finding) => contradiction(path, `would keep ${finding.path}, which ${finding.message}; or say ${cure}`))

/**
 * The ends that a license has which is issued now: counted from now, or from a start that lies ahead. One that awaits its
 * activation keeps waiting, if that can start it.
 */
const endsByPolicy = (
  license: MovedLicense,
  counted: Counted,
  now: number
): Result.Result<Ends, ReadonlyArray<FieldFinding>> => {
  const { policy, rules } = counted
  const isPerpetual = policy.license_type === "perpetual"
  const awaits = license.awaits_activation === true && rules.expiry_basis === "first_activation"
  const start = license.starts_at === undefined ? now : Math.max(now, Date.parse(license.starts_at))
  const kept = isPerpetual ? license.maintenance_expires_at : undefined
  return Result.mapBoth(endsOf(start, rules), {
    onFailure: (member) => [{ path: "expiry", code: "out_of_range", message: beyond(member, counted) }],
    onSuccess: (ends) => ({
      expires_at: awaits ? license.expires_at : ends.expires_at,
      maintenance_expires_at: awaits ? kept : ends.maintenance_expires_at,
      term_anchor: awaits || rules.duration === undefined ? license.term_anchor : new Date(start).toISOString(),
      awaits_activation: awaits,
      ends_without_grace: false
    })
  })
}

/** What contradicts another policy in what the license keeps: its own rules, its subscription, its maintenance. */
const findingsAboutKept = (
  license: MovedLicense,
  { overrides, policy, rules }: Counted,
  { byPolicy, follows }: { readonly byPolicy: boolean; readonly follows: boolean }
): ReadonlyArray<FieldFinding> => {
  const against = follows
    ? followFindings({ licenseType: policy.license_type, hasSubscription: true, isRequested: !byPolicy, overrides })
    : []
  const ofOverrides = against.filter(({ path }) => path.startsWith("overrides."))
  const ofRules = overrides === undefined
    ? []
    : contradictions({ ...rules, follows_subscription: false }, policy.license_type)
  return [
    ...asKept("overrides", "drop", [...ofRules, ...ofOverrides]),
    ...asKept("expiry", "policy", against.filter((finding) => !ofOverrides.includes(finding))),
    ...(!byPolicy && license.maintenance_expires_at !== undefined && policy.license_type !== "perpetual"
      ? [contradiction(
        "expiry",
        "would keep maintenance_expires_at, which is for perpetual licenses only: take it away first, or say policy"
      )]
      : [])
  ]
}

/** The ends that a license keeps under another policy. */
const endsKept = (license: MovedLicense, byPolicy: boolean, follows: boolean, policy: IssuingPolicy): Ends => ({
  expires_at: license.expires_at,
  maintenance_expires_at: byPolicy && policy.license_type !== "perpetual" ? undefined : license.maintenance_expires_at,
  term_anchor: license.term_anchor,
  awaits_activation: license.awaits_activation === true && !follows,
  ends_without_grace: license.ends_without_grace === true
})

/**
 * What a license has under another policy, or every finding against that, with the cure. `now` is Unix milliseconds on
 * the database's clock. A license that follows its subscription already goes on with what it has of it.
 */
export const moved = (
  license: MovedLicense,
  policy: IssuingPolicy,
  request: Pick<PolicyChange, "expiry" | "overrides">,
  now: number
): Result.Result<Moved, ReadonlyArray<FieldFinding>> => {
  const overrides = request.overrides === "drop" ? undefined : license.overrides
  const byPolicy = request.expiry === "policy"
  const follows = byPolicy
    ? policy.rules.follows_subscription === true && policy.subscription !== undefined
    : license.follows_subscription === true
  const rules = effectiveRules({ policy: policy.rules, overrides, withoutGrace: undefined })
  const counted = { policy, overrides, rules }
  const found = findingsAboutKept(license, counted, { byPolicy, follows })
  const ends = !byPolicy || follows
    ? Result.succeed(endsKept(license, byPolicy, follows, policy))
    : endsByPolicy(license, counted, now)
  if (Result.isFailure(ends)) return Result.fail([...found, ...ends.failure])
  // Terms of its own may end it without a subscription.
  const endless = !byPolicy ? undefined : findingWithoutEnd(
    { rules, follows, expires_at: ends.success.expires_at },
    "say expiry: keep, so that it ends as it does now"
  )
  const all = endless === undefined ? found : [...found, endless]
  if (all.length > 0) return Result.fail(all)
  const left = { ...ends.success, follows_subscription: follows }
  return Result.succeed({
    ...left,
    overrides,
    rules: effectiveRules({ policy: policy.rules, overrides, withoutGrace: withoutGrace(left) })
  })
}

const flag = (isSet: boolean): true | null => isSet ? true : null

/** The change of a license that goes to another policy. */
export const movedTo = (policy_id: string, left: Moved): LicenseChange => ({
  policy_id,
  expires_at: left.expires_at ?? null,
  ...(left.term_anchor === undefined ? {} : { term_anchor: left.term_anchor }),
  maintenance_expires_at: left.maintenance_expires_at ?? null,
  awaits_activation: flag(left.awaits_activation),
  follows_subscription: flag(left.follows_subscription),
  ends_without_grace: flag(left.ends_without_grace),
  overrides: left.overrides ?? null
})
