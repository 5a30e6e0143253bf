import { Schema } from "effect"

/** How many dimensions a use may have. */
const most = 8

const namePattern = /^[a-z0-9_-]{1,32}$/
const valuePattern = /^\P{Cc}+$/u

const Value = Schema.String.check(
  // For any text half the minimum would be documented; here no character counts twice.
  Schema.isBetweenLength(1, 128, { toJsonSchema: () => ({ minLength: 1, maxLength: 128 }) }),
  Schema.isPattern(valuePattern, {
    expected: "a text without control characters",
    toJsonSchema: () => ({ pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]+$" })
  })
)

const about = {
  description:
    "Properties of the usage event by which usage is grouped, such as the model or the region: at most 8, by names of up to 32 " +
    "lower-case letters, digits, `_` and `-`, with values of up to 128 characters. They stay with the event, so keep personal data " +
    "out of them.",
  examples: [{ model: "large" }]
}

/** The name of a dimension. */
export const DimensionName = Schema.String.check(
  Schema.isPattern(namePattern, {
    expected: "1 to 32 lower-case letters, digits, '_' and '-'",
    toJsonSchema: () => ({ pattern: namePattern.source })
  })
)

/** The dimensions of a use, by their names. */
export const Dimensions = Schema.Record(Schema.String, Value).annotate(about).check(Schema.makeFilter(
  (dimensions: { readonly [name: string]: string }) => {
    const names = Object.keys(dimensions)
    if (names.length > most) return `must have at most ${most} fields`
    return names.every((name) => namePattern.test(name))
      ? undefined
      : "must have names of 1 to 32 lower-case letters, digits, '_' and '-'"
  },
  { toJsonSchema: () => ({ maxProperties: most, propertyNames: { pattern: namePattern.source } }) }
)).annotate({ identifier: "UsageDimensions" })
export type Dimensions = typeof Dimensions.Type

/** The dimensions of a use as they are kept: none where it names none. */
export const namedDimensions = (dimensions: Dimensions | undefined): Dimensions | undefined =>
  dimensions === undefined || Object.keys(dimensions).length === 0 ? undefined : dimensions

/** The dimensions of a use in a response. */
export const ShownDimensions = Schema.Record(Schema.String, Schema.String).annotate({
  description: "The dimensions of the usage event; absent where it has none.",
  examples: [{ model: "large" }]
})

const groupPattern = /^dimension\.[a-z0-9_-]{1,32}$/

/** A dimension as what use is grouped by. */
export const DimensionGroup = Schema.String.check(
  Schema.isPattern(groupPattern, {
    expected: "'dimension.' and the name of a dimension",
    toJsonSchema: () => ({ pattern: groupPattern.source })
  })
).annotate({
  description: "`dimension.` and the name of a dimension, such as `dimension.model`.",
  examples: ["dimension.model"]
})

/** The dimension by which use is grouped; undefined where it is grouped by something else. */
export const dimensionOf = (group: string | undefined): string | undefined =>
  group !== undefined && groupPattern.test(group) ? group.slice("dimension.".length) : undefined
