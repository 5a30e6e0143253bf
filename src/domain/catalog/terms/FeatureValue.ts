import { Schema } from "effect"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { anyBigCount, echoed, echoedLabel } from "../../ground/wire/Fields.ts"

/** The longest text that a value has, and the most of them in a list. */
const longest = 255
const most = 100

export const FeatureValueType = Schema.Literals(["boolean", "integer", "string", "enum", "list"]).annotate({
  identifier: "FeatureValueType",
  description: "The type of a feature's values. A `list` has texts, which are of its options where there are any."
})
export type FeatureValueType = typeof FeatureValueType.Type

export const FeatureValueOptions = Schema.Array(echoedLabel(longest)).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(most),
  Schema.isUnique()
)

const documented = {
  description:
    "A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to " +
    `${longest} printable ASCII characters without <>&"\\ and the backtick, or up to ${most} such texts.`,
  examples: [10]
}

/** A value as a license, a policy or an answer shows it. */
export const FeatureValue = Schema.Union([
  Schema.Boolean,
  anyBigCount,
  Schema.String,
  Schema.Array(Schema.String)
]).annotate({ ...documented, identifier: "FeatureValue" })
export type FeatureValue = typeof FeatureValue.Type

export const FeatureValueInput = Schema.Union([
  Schema.Boolean,
  anyBigCount,
  echoed(1, longest),
  Schema.Array(echoed(1, longest)).check(Schema.isMaxLength(most), Schema.isUnique())
]).annotate(documented)

/** What a feature says of its values. */
export interface ValuedFeature {
  readonly value_type?: FeatureValueType | null
  readonly enum_options?: ReadonlyArray<string> | null
}

/** What contradicts itself in what a feature says of its values. */
export const valueTypeFindings = ({ enum_options, value_type }: ValuedFeature): ReadonlyArray<FieldFinding> => {
  if (value_type === "enum") {
    return enum_options == null
      ? [{ path: "enum_options", code: "required", message: "is required for an enum" }]
      : []
  }
  return enum_options == null || value_type === "list"
    ? []
    : [{ path: "enum_options", code: "enum_only", message: "is for an enum or a list only" }]
}

const isOfType: Readonly<Record<FeatureValueType, (value: FeatureValue) => boolean>> = {
  boolean: (value) => typeof value === "boolean",
  integer: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  enum: (value) => typeof value === "string",
  list: (value) => Array.isArray(value)
}

/** Why a feature cannot have a value. */
export const valueFindings = (
  { enum_options, value_type }: ValuedFeature,
  value: FeatureValue | null | undefined
): ReadonlyArray<FieldFinding> => {
  const wrong = (code: string, message: string): ReadonlyArray<FieldFinding> => [{ path: "value", code, message }]
  if (value === undefined || value === null) return []
  if (value_type == null) return wrong("no_value_type", "needs the feature to have a value_type")
  if (!isOfType[value_type](value)) return wrong("wrong_type", `must be of the feature's value_type, ${value_type}`)
  const chosen = typeof value === "string" ? [value] : Array.isArray(value) ? value : []
  return enum_options == null || chosen.every((text) => enum_options.includes(text))
    ? []
    : wrong("not_an_option", `must be of the options ${enum_options.join(", ")}`)
}

/** The options that no value may have any more after a change, `all` where the type changes; undefined where every value stays. */
export const lostValues = (before: ValuedFeature, after: ValuedFeature): ReadonlyArray<string> | "all" | undefined => {
  if (before.value_type == null) return undefined
  if (before.value_type !== after.value_type) return "all"
  if (after.enum_options == null) return undefined
  // Options that are new to a list which had none may lack any text of its values.
  if (before.enum_options == null) return "all"
  const kept = new Set(after.enum_options)
  const lost = before.enum_options.filter((option) => !kept.has(option))
  return lost.length === 0 ? undefined : lost
}

/** Whether two values are the same. */
export const sameValue = (a: FeatureValue | undefined, b: FeatureValue | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** A value as JSON; null without one. */
export const valueText = (value: FeatureValue | null | undefined): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)
