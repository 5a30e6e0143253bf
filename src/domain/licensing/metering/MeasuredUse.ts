import { servable } from "../../catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { mostValues, nothingRefused, unitsOf } from "../../catalog/terms/Measure.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"

/** What the units of a use are judged by. */
type Measuring = Pick<EffectiveFeature, "consumed" | "id" | "meter" | "meter_dimension" | "periodStart">

/** A use as its caller names it. */
interface NamedUse {
  readonly license_id: string
  readonly amount: number
  readonly dimensions: { readonly [name: string]: string } | undefined
  /** Whether a use of the period is known that is later; a use that is now is the latest. */
  readonly isOutdated?: boolean
}

/** What a use counts, or why it cannot. */
export interface MeasuredUse {
  readonly units: number
  /** The amount that was named; undefined where it is what counts. */
  readonly measured: number | undefined
  /** The value that counts, which the period did not have before. */
  readonly value: string | undefined
  readonly refused: ValidationError | undefined
}

/** The value of a use whose values are counted; undefined without one. */
export const valueOf = (
  { meter_dimension }: Pick<Measuring, "meter_dimension">,
  dimensions: NamedUse["dimensions"]
): string | undefined =>
  meter_dimension !== null && dimensions !== undefined && Object.hasOwn(dimensions, meter_dimension)
    ? dimensions[meter_dimension]
    : undefined

/** A value of a feature in the period that began at an instant, in Unix milliseconds; without one, at all. */
export const valueKey = (
  { feature_id, license_id, value }: {
    readonly license_id: string
    readonly feature_id: string
    readonly value: string
  },
  start: number | undefined
): string => `${license_id}\n${feature_id}\n${start ?? ""}\n${value}`

/** Why a value cannot count that the period did not have before; undefined where it can. */
const valueRefused = (
  { consumed, meter_dimension }: Measuring,
  value: string | undefined
): ValidationError | undefined => {
  const path = `dimensions.${meter_dimension}`
  if (value === undefined) return invalidField(path, "required", "is required: the feature counts its values")
  return consumed >= mostValues
    ? invalidField(path, "too_many", `has had ${mostValues} values in the period, which is the limit`)
    : undefined
}

/** Measures a use of a feature, whose periods have had the values of `known`. */
export const measuredUse = (
  feature: Measuring,
  { amount, dimensions, isOutdated = false, license_id }: NamedUse,
  known: ReadonlySet<string>
): MeasuredUse => {
  const { consumed, id, meter, periodStart } = feature
  const nothing = nothingRefused(meter, amount)
  if (nothing !== undefined) return { units: 0, measured: undefined, value: undefined, refused: nothing }
  if (meter === null) return { units: amount, measured: undefined, value: undefined, refused: undefined }
  const value = valueOf(feature, dimensions)
  const isSeen = value !== undefined && known.has(valueKey({ license_id, feature_id: id, value }, periodStart))
  const isNew = meter === "unique" && !isSeen
  const refused = isNew ? valueRefused(feature, value) : undefined
  return {
    units: refused === undefined ? unitsOf({ consumed, meter }, { amount, isNewest: !isOutdated, isSeen }) : 0,
    measured: amount,
    value: isNew ? value : undefined,
    refused
  }
}

/** How many units a use may take. Without a quota the sum still has to stay a number that every JSON library reads exactly. */
export const unitsLeft = (feature: EffectiveFeature): number =>
  Math.min(servable(feature), Number.MAX_SAFE_INTEGER - feature.total)
