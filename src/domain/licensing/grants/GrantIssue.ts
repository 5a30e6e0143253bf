import { Result } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { defaultPriority } from "../../catalog/terms/GrantBalance.ts"
import { givingRefused } from "../../catalog/terms/Measure.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"
import { maximumOpenGrants } from "./Grant.ts"
import type { Grant, GrantCreate, GrantSource } from "./Grant.ts"

/** A grant as it is to be written; instants are Unix milliseconds. */
export interface GrantIssued {
  readonly amount: number
  readonly starts_at: number
  readonly expires_at: number | undefined
  readonly priority: number
  readonly source: GrantSource
  readonly reference: string | undefined
}

/** What a grant is judged by. */
export interface GrantStanding {
  readonly feature: EffectiveFeature
  /** How many grants of the feature are open. */
  readonly open: number
  /** Unix milliseconds, on the database's clock. */
  readonly now: number
}

/** From when to when units can be used; Unix milliseconds. */
interface Term {
  readonly starts_at: number
  readonly expires_at: number | undefined
}

/** The same as a request, or what it has given, says it. */
interface TermTexts {
  readonly starts_at?: string
  readonly expires_at?: string
  readonly priority?: number
}

const millis = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

/** The term that a request asks for: it begins now unless it says otherwise. */
export const termOf = ({ expires_at, starts_at }: TermTexts, now: number): Term => ({
  starts_at: millis(starts_at) ?? now,
  expires_at: millis(expires_at)
})

/** Why units cannot end then; undefined where they can. */
export const endRefused = ({ expires_at, starts_at }: Term, now: number): ValidationError | undefined =>
  expires_at !== undefined && (expires_at <= now || expires_at <= starts_at)
    ? invalidField("expires_at", "too_early", "must be later than now and than starts_at")
    : undefined

/** Whether units were given as a request asks for them: what it leaves out may be anything. */
export const repeatsTerm = (given: TermTexts, { expires_at, priority, starts_at }: TermTexts): boolean =>
  (starts_at === undefined || given.starts_at === starts_at) &&
  (expires_at === undefined || given.expires_at === expires_at) &&
  (priority === undefined || given.priority === priority)

/** What giving units to a license writes, or why it cannot have them so. */
export const grantIssued = (
  { feature, now, open }: GrantStanding,
  input: GrantCreate
): Result.Result<GrantIssued, StateConflict | ValidationError> => {
  const { amount, priority = defaultPriority, reference, source = "purchase" } = input
  const { meter, periodEnd, quota } = feature
  const refused = givingRefused(meter)
  if (refused !== undefined) return Result.fail(refused)
  if (quota === null) {
    return Result.fail(
      invalidField(
        "amount",
        "no_quota",
        "needs a quota to add to, and the feature has none: set max_consumptions, 0 if it is to be sold in grants alone"
      )
    )
  }
  if (quota + amount > Number.MAX_SAFE_INTEGER) {
    return Result.fail(invalidField("amount", "too_large", "is too much: the quota would be larger than 2^53 - 1"))
  }
  const { starts_at, ...term } = termOf(input, now)
  const expires_at = term.expires_at ?? (amount < 0 ? periodEnd : undefined)
  if (amount < 0 && expires_at === undefined) {
    return Result.fail(
      invalidField(
        "expires_at",
        "required",
        "is required for a negative amount where the quota has no period: it lessens the quota and other grants until it ends"
      )
    )
  }
  const wrongEnd = endRefused({ starts_at, expires_at }, now)
  if (wrongEnd !== undefined) return Result.fail(wrongEnd)
  if (open >= maximumOpenGrants) {
    return Result.fail(failing(
      StateConflict,
      `The license has ${maximumOpenGrants} grants of the feature that are not used up. Give fewer, larger ones, or revoke some.`,
      { detail: "open_grants" }
    ))
  }
  return Result.succeed({ amount, starts_at, expires_at, priority, source, reference })
}

/** Whether a request repeats the one that a grant was given by. */
export const repeats = (
  grant: Grant,
  { amount, feature_code, feature_id, source = "purchase", ...term }: GrantCreate
): boolean =>
  grant.amount === amount && grant.source === source &&
  (feature_id === undefined ? grant.feature_code === feature_code : grant.feature_id === feature_id) &&
  repeatsTerm(grant, term)
