import { Result } from "effect"
import { failing, NotFound, StateConflict } from "../ground/wire/Errors.ts"
import type { ValidationError } from "../ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../ground/wire/FieldFindings.ts"
import type { LicenseFeature, LicenseFeatureAssign, LicenseFeatureUsageReset } from "./Feature.ts"
import { grantFindings } from "./PolicyFeature.ts"
import { valueFindings } from "./terms/FeatureValue.ts"
import type { ValuedFeature } from "./terms/FeatureValue.ts"

/** A feature that is to be assigned to a license. */
export interface FeatureToAssign {
  /** The products of the license. */
  readonly products: ReadonlyArray<string>
  /** The feature; undefined where there is none. */
  readonly feature: (ValuedFeature & { readonly product_id: string; readonly isArchived: boolean }) | undefined
  /** The feature as the license has it already. */
  readonly before: LicenseFeature | undefined
}

/** An assignment, and the credits that it keeps, if there are any: a new quota takes their place. */
export interface FeatureAssigned {
  readonly input: LicenseFeatureAssign
  readonly credits: number | undefined
}

/** What an assignment of a feature writes, or why the license cannot have it so. */
export const featureAssigned = (
  { before, feature, products }: FeatureToAssign,
  input: LicenseFeatureAssign
): Result.Result<FeatureAssigned, NotFound | StateConflict | ValidationError> => {
  if (feature === undefined) return Result.fail(failing(NotFound, "No feature has the id in feature_id."))
  if (!products.includes(feature.product_id)) {
    return Result.fail(invalidField("feature_id", "other_product", "belongs to another product"))
  }
  if (feature.isArchived && before === undefined) {
    return Result.fail(failing(StateConflict, "The feature is archived and can be given to no further license.", {
      detail: "archived"
    }))
  }
  const found = [
    ...grantFindings({
      ...(before?.max_consumptions === undefined ? {} : { max_consumptions: before.max_consumptions }),
      ...input
    }),
    ...valueFindings(feature, input.value)
  ]
  return found.length > 0
    ? Result.fail(invalidRequest(found))
    : Result.succeed({ input, credits: input.max_consumptions === undefined ? before?.credits : undefined })
}

/** A corrected quota and use of a feature; null where there is none. */
export interface UsageCorrected {
  /** A quota that the license has of its own from now on; undefined where the correction names none. */
  readonly quota: number | undefined
  readonly credits: number | null
  readonly credits_start: string | null
  readonly total: number
  readonly period_start: string | null
  readonly period_consumptions: number | null
}

/** The quota of a feature as an answer shows it, without credits, grants and pools; undefined where there is none. */
const baseQuota = (
  { credits = 0, granted_consumptions = 0, granted_remaining = 0, max_consumptions, pool_remaining = 0, ...feature }:
    LicenseFeature
): number | undefined =>
  max_consumptions === undefined
    ? undefined
    : max_consumptions - credits - granted_remaining - pool_remaining -
      (feature.granted_period_consumptions ?? granted_consumptions)

/** What is added to the quota after a correction; a new quota takes the place of earlier credits. */
const creditsAfter = (
  feature: LicenseFeature,
  input: LicenseFeatureUsageReset
): Result.Result<number, ValidationError> => {
  const wrong = (code: string, message: string) => Result.fail(invalidField("add_credits", code, message))
  const { credits = 0 } = feature
  const base = input.max_consumptions ?? baseQuota(feature)
  if (base === undefined && input.add_credits !== undefined) {
    return wrong("no_quota", "needs a quota to add to, and the feature has none")
  }
  const left = (input.max_consumptions === undefined ? credits : 0) + (input.add_credits ?? 0)
  return (base ?? 0) + left > Number.MAX_SAFE_INTEGER
    ? wrong("too_large", "is too much: the quota would be larger than 2^53 - 1")
    : Result.succeed(left)
}

/**
 * What a correction leaves of the quota and the use of a feature. What is corrected is what counts against the quota: of a
 * feature with a period, the period's count.
 */
export const usageCorrected = (
  before: LicenseFeature,
  input: LicenseFeatureUsageReset
): Result.Result<UsageCorrected, ValidationError> =>
  Result.map(creditsAfter(before, input), (credits) => {
    const { period_consumptions: inPeriod, period_start = null, total_consumptions: total } = before
    const counted = inPeriod ?? total
    const used = input.reset_consumed === true ? 0 : input.total_consumptions ?? counted
    return {
      quota: input.max_consumptions,
      credits: credits === 0 ? null : credits,
      credits_start: credits === 0 ? null : period_start,
      total: Math.max(0, total + used - counted),
      period_start,
      period_consumptions: inPeriod === undefined ? null : used
    }
  })

/** A feature as a request names it: by either. */
export interface FeatureName {
  readonly feature_id?: string | undefined
  readonly feature_code?: string | undefined
}

/**
 * The one of these that a request names; undefined where there is none. Codes are unique in a product, and a license of several
 * products may have two features of one code: then only the id tells which is meant.
 */
export const onlyNamed = <A>(named: ReadonlyArray<A>): Result.Result<A | undefined, ValidationError> =>
  named.length > 1
    ? Result.fail(
      invalidField("feature_code", "ambiguous", "names features of several products of the license: send feature_id")
    )
    : Result.succeed(named[0])

/** Whether a request names this feature. */
export const isNamed = (name: FeatureName, { feature_code, feature_id }: Required<FeatureName>): boolean =>
  name.feature_id === undefined ? name.feature_code === feature_code : name.feature_id === feature_id
