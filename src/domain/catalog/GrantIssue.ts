import { Result } from "effect"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { defaultPriority } from "../terms/GrantBalance.ts"
import type { ValidationError } from "../wire/Errors.ts"
import { failing, StateConflict } from "../wire/Errors.ts"
import { invalidField } from "../wire/FieldFindings.ts"
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

const millis = (instant: string | undefined): number | undefined =>
  instant === undefined ? undefined : Date.parse(instant)

/** What giving units to a license writes, or why it cannot have them so. */
export const grantIssued = (
  { feature, now, open }: GrantStanding,
  input: GrantCreate
): Result.Result<GrantIssued, StateConflict | ValidationError> => {
  const { amount, priority = defaultPriority, reference, source = "purchase" } = input
  const { periodEnd, quota } = feature
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
  const starts_at = millis(input.starts_at) ?? now
  const expires_at = millis(input.expires_at) ?? (amount < 0 ? periodEnd : undefined)
  if (amount < 0 && expires_at === undefined) {
    return Result.fail(
      invalidField(
        "expires_at",
        "required",
        "is required for a negative amount where the quota has no period: it lessens the quota and other grants until it ends"
      )
    )
  }
  if (expires_at !== undefined && (expires_at <= now || expires_at <= starts_at)) {
    return Result.fail(invalidField("expires_at", "too_early", "must be later than now and than starts_at"))
  }
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
  { amount, expires_at, feature_code, feature_id, priority, source = "purchase", starts_at }: GrantCreate
): boolean =>
  grant.amount === amount && grant.source === source &&
  (feature_id === undefined ? grant.feature_code === feature_code : grant.feature_id === feature_id) &&
  (starts_at === undefined || grant.starts_at === starts_at) &&
  (expires_at === undefined || grant.expires_at === expires_at) &&
  (priority === undefined || grant.priority === priority)
