import { Result } from "effect"
import type { ValidationError } from "../ground/wire/Errors.ts"
import { invalidField } from "../ground/wire/FieldFindings.ts"

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
