import { Schema } from "effect"
import { failing, StateConflict } from "../../ground/wire/Errors.ts"
import type { ValidationError } from "../../ground/wire/Errors.ts"
import { invalidField } from "../../ground/wire/FieldFindings.ts"
import { optional } from "../../ground/wire/Fields.ts"

/** The most decimal places that amounts have: a millionth is the smallest step. */
const most = 6

const places =
  "How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole " +
  "numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50."

/** The decimal places of a feature's amounts; absent where they are whole. */
export const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })).annotate({
  description: `${places} Absent: none.`,
  examples: [2]
})

export const DecimalsInput = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most })).annotate({
  description: `${places} It stays as it is. Default: 0.`,
  examples: [2]
})

/** The decimal places as a member; nothing where there are none. */
export const decimalsMember = (decimals: number | null | undefined): { readonly decimals?: number } =>
  decimals == null || decimals === 0 ? {} : { decimals }

const quantity =
  "The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events " +
  "together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. " +
  "`unique`: how many values `meter_dimension` has had, such as active users."

const kinds = ["max", "last", "unique"] as const

/** What is measured of the uses of a feature where it is not the sum of their amounts. */
export const Meter = Schema.Literals(kinds).annotate({ description: `${quantity} Absent: \`sum\`.`, examples: ["max"] })
export type Meter = typeof Meter.Type

/** The meter of a feature as members of what shows it. */
export const meterFields = {
  meter: Schema.optionalKey(Meter),
  meter_dimension: optional(Schema.String, "The dimension whose values a `unique` meter counts.")
}

export const MeterInput = Schema.Literals(["sum", ...kinds]).annotate({
  identifier: "FeatureMeter",
  description: `${quantity} It stays as it is. Default: \`sum\`.`,
  examples: ["max"]
})

/** The most values that are told apart in a period. */
export const mostValues = 100_000

/** How usage of a feature is measured. */
export interface Metered {
  /** Decimal places of its amounts; null where they are whole. */
  readonly decimals: number | null
  /** Null where it is the sum. */
  readonly meter: Meter | null
  /** The dimension whose values are counted; null but for `unique`. */
  readonly meter_dimension: string | null
}

/** How usage of a feature is measured, by a row of it. */
export const meteredBy = (
  { decimals = null, meter = null, meter_dimension = null }: {
    readonly [Member in keyof Metered]?: Metered[Member] | undefined
  }
): Metered => ({ decimals, meter, meter_dimension })

/** The meter as members; nothing where it is the sum. */
export const meterMembers = (
  { meter, meter_dimension }: { readonly meter?: Meter | "sum" | null; readonly meter_dimension?: string | null }
): { readonly meter?: Meter; readonly meter_dimension?: string } =>
  meter == null || meter === "sum" ? {} : { meter, ...(meter_dimension == null ? {} : { meter_dimension }) }

/** A use as a meter sees it. */
interface MeteredUse {
  readonly amount: number
  /** Whether no use of the period is later. */
  readonly isNewest: boolean
  /** Whether the period has had a use with its value of the dimension. */
  readonly isSeen: boolean
}

/**
 * The units that a use counts: by how much it changes what is measured, so that the units of all uses of a period add up to
 * that, whatever their order is. A latest value that is lower than the one before counts less than nothing.
 */
export const unitsOf = (
  { consumed, meter }: { readonly consumed: number; readonly meter: Meter | null },
  { amount, isNewest, isSeen }: MeteredUse
): number => {
  if (meter === null) return amount
  if (meter === "max") return Math.max(0, amount - consumed)
  if (meter === "last") return isNewest ? amount - consumed : 0
  return isSeen ? 0 : 1
}

/** Why a use of nothing cannot count: it adds nothing to a sum, and is no value that was had; undefined where it measures something. */
export const nothingRefused = (meter: Meter | null, amount: number): ValidationError | undefined =>
  amount > 0 || meter === "max" || meter === "last" ? undefined : invalidField(
    "amount",
    "invalid_value",
    "must be at least 1: 0 is for a feature whose meter is max or last alone"
  )

/** Why units of uses cannot be given back where a meter is no sum; undefined where it is one. */
export const refundRefused = (meter: Meter | null): StateConflict | undefined =>
  meter === null ? undefined : failing(
    StateConflict,
    "Usage of the feature is not added up, so a single usage event cannot be refunded. Reset the usage instead.",
    { detail: "meter" }
  )

/** Why no units may be given beside a quota; undefined where they may. */
export const givingRefused = (meter: Meter | null | undefined): StateConflict | undefined =>
  meter !== "last" ? undefined : failing(
    StateConflict,
    "The feature measures the latest amount, which uses no units up. Change the quota instead.",
    { detail: "meter" }
  )
