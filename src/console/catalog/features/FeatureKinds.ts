import type { Feature, FeatureMeter, FeatureValue, FeatureValueType } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { count } from "../../ground/design/Numbers.ts"

/** The kind of a feature: the type of its values, or none where licenses have it or not. */
export type FeatureKind = FeatureValueType | ""

const noValue = "On or off, or counted"

const isValueType = (kind: string): kind is FeatureValueType => Object.hasOwn(labels.valueType, kind)

/** The kinds that a feature can have. */
export const featureKinds: ReadonlyArray<readonly [FeatureKind, string]> = [
  ["", noValue],
  ...Object.entries(labels.valueType).flatMap(([kind, name]) => isValueType(kind) ? [[kind, name] as const] : [])
]

/** The kind of a text that was chosen. */
export const kindIn = (chosen: string): FeatureKind => isValueType(chosen) ? chosen : ""

const isMeter = (meter: string): meter is FeatureMeter => Object.hasOwn(labels.meter, meter)

/** The meters that a feature can have. */
export const featureMeters: ReadonlyArray<readonly [FeatureMeter, string]> = Object.entries(labels.meter).flatMap(
  ([meter, name]) => isMeter(meter) ? [[meter, name] as const] : []
)

/** The meter of a text that was chosen. */
export const meterIn = (chosen: string): FeatureMeter => isMeter(chosen) ? chosen : "sum"

/** The meter of a feature in words; undefined where amounts are added up. */
export const meterText = ({ meter, meter_dimension }: Pick<Feature, "meter" | "meter_dimension">): string | undefined =>
  meter === undefined
    ? undefined
    : `${labels.meter[meter]}${meter_dimension === undefined ? "" : ` of ${meter_dimension}`}`

/** Whether the values of a kind are of a list of options. */
export const hasOptions = (kind: FeatureKind): boolean => kind === "enum" || kind === "list"

type Valued = Pick<Feature, "enum_options" | "value_type">

/** The kind of a feature in words, with its options. */
export const kindText = ({ enum_options = [], value_type }: Valued): string =>
  value_type === undefined
    ? noValue
    : `${labels.valueType[value_type]}${
      enum_options.length === 0 ? "" : `${value_type === "enum" ? " " : ": "}${enum_options.join(", ")}`
    }`

/** A value of a feature in words. */
export const valueText = (value: FeatureValue | undefined): string =>
  value === undefined
    ? "–"
    : typeof value === "boolean"
    ? value ? "yes" : "no"
    : typeof value === "number"
    ? count(value)
    : typeof value === "string"
    ? value
    : value.length === 0
    ? "none"
    : value.join(", ")

/** A value as it is entered: the texts of a list are lines. Without a value the text is empty. */
export const enteredValue = (value: FeatureValue | undefined): string =>
  value === undefined ? "" : Array.isArray(value) ? value.join("\n") : String(value)

/** The texts of a list that is entered as lines. */
export const linesIn = (text: string): Array<string> => text.split("\n").map((line) => line.trim()).filter(Boolean)

/** The message about a value as it is entered; undefined where it can be sent. */
export const wrongValue = (kind: FeatureKind, text: string): string | undefined =>
  kind === "integer" && text.trim() !== "" && !/^-?\d{1,15}$/.test(text.trim()) ? "Enter a whole number" : undefined

/** The value of an entered text, as it is sent: null takes it away. */
export const sentValue = (kind: FeatureKind, text: string): FeatureValue | null => {
  if (text.trim() === "") return null
  if (kind === "boolean") return text === "true"
  if (kind === "integer") return Number(text.trim())
  return kind === "list" ? linesIn(text) : text.trim()
}
