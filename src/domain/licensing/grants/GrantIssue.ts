import { Result } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { defaultPriority } from "../../catalog/terms/GrantBalance.ts"
import { givingRefused } from "../../catalog/terms/Measure.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"
import { maximumOpen } from "./Grant.ts"
import type { Grant, GrantCreate, GrantSource, Pool, PoolCreate } from "./Grant.ts"

/** Units as they are to be written, of a license or of a customer; instants are Unix milliseconds. */
export interface UnitsIssued {
  readonly amount: number
  readonly max_per_license: number | undefined
  readonly starts_at: number
  readonly expires_at: number | undefined
  readonly priority: number
  /** Undefined of a pool. */
  readonly source: GrantSource | undefined
  readonly reference: string | undefined
}

/** What units are judged by, whoever gets them. */
interface UnitsBasis {
  /** How many of the same are open. */
  readonly open: number
  /** Unix milliseconds, on the database's clock. */
  readonly now: number
}

/** What a grant is judged by. */
export interface GrantBasis extends UnitsBasis {
  readonly feature: EffectiveFeature
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
const termOf = ({ expires_at, starts_at }: TermTexts, now: number): Term => ({
  starts_at: millis(starts_at) ?? now,
  expires_at: millis(expires_at)
})

/** Why units cannot end then; undefined where they can. */
export const endRefused = ({ expires_at, starts_at }: Term, now: number): ValidationError | undefined =>
  expires_at !== undefined && (expires_at <= now || expires_at <= starts_at)
    ? invalidField("expires_at", "too_early", "must be later than now and than starts_at")
    : undefined

/** Whether units were given as a request asks for them: what it leaves out may be anything. */
const repeatsTerm = (given: TermTexts, { expires_at, priority, starts_at }: TermTexts): boolean =>
  (starts_at === undefined || given.starts_at === starts_at) &&
  (expires_at === undefined || given.expires_at === expires_at) &&
  (priority === undefined || given.priority === priority)

const openTexts = {
  grants:
    `The license has ${maximumOpen} grants of the feature that are not used up. Give fewer, larger ones, or revoke some.`,
  pools: `The customer has ${maximumOpen} pools that are not used up. Give fewer, larger ones, or revoke some.`
} as const

/** What giving units writes, or why they cannot be given so. */
const issued = (
  units: Omit<UnitsIssued, "priority">,
  kind: keyof typeof openTexts,
  { now, open }: UnitsBasis,
  { priority = defaultPriority }: TermTexts
): Result.Result<UnitsIssued, StateConflict | ValidationError> => {
  const wrongEnd = endRefused(units, now)
  if (wrongEnd !== undefined) return Result.fail(wrongEnd)
  if (open >= maximumOpen) return Result.fail(failing(StateConflict, openTexts[kind], { detail: `open_${kind}` }))
  return Result.succeed({ ...units, priority })
}

/** What giving units to a customer writes, or why it cannot have them so. `open` says how many of its pools are open. */
export const poolIssued = (
  standing: UnitsBasis,
  input: PoolCreate
): Result.Result<UnitsIssued, StateConflict | ValidationError> => {
  const { amount, max_per_license, reference } = input
  return issued(
    { amount, max_per_license, ...termOf(input, standing.now), source: undefined, reference },
    "pools",
    standing,
    input
  )
}

/** What giving units to a license writes, or why it cannot have them so. */
export const grantIssued = (
  { feature, ...standing }: GrantBasis,
  input: GrantCreate
): Result.Result<UnitsIssued, StateConflict | ValidationError> => {
  const { amount, reference, source = "purchase" } = input
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
  const { starts_at, ...term } = termOf(input, standing.now)
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
  return issued(
    { amount, max_per_license: undefined, starts_at, expires_at, source, reference },
    "grants",
    standing,
    input
  )
}

/** Whether a request repeats the one that a grant was given by. */
export const repeats = (
  grant: Grant,
  { amount, feature_code, feature_id, source = "purchase", ...term }: GrantCreate
): boolean =>
  grant.amount === amount && grant.source === source &&
  (feature_id === undefined ? grant.feature_code === feature_code : grant.feature_id === feature_id) &&
  repeatsTerm(grant, term)

/** Whether a request repeats the one that a pool was given by. */
export const repeatsPool = (pool: Pool, input: PoolCreate): boolean =>
  pool.amount === input.amount && pool.feature_id === input.feature_id &&
  pool.max_per_license === input.max_per_license && repeatsTerm(pool, input)
