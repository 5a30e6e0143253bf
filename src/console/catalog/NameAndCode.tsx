import type { Feature, FeatureCreateRequest, FeatureUpdateRequest } from "../../client/api/index.ts"
import { TextField, wholeOf } from "../ground/design/Field.tsx"
import type { Draft } from "../ground/session/Draft.tsx"
import { hasOptions, kindIn, linesIn, meterIn } from "./features/FeatureKinds.ts"
import { codeOf } from "./policies/CodeOf.ts"
import { isJsonObject, metadataIn } from "./policies/JsonObject.ts"

/** A name with its code, which follows the name until it is edited. */
export interface Named {
  readonly name: string
  readonly code: string
  readonly isEdited: boolean
}

/** A name that is not entered yet. */
export const noName: Named = { name: "", code: "", isEdited: false }

/** Whether a name and a code are entered. */
export const isNamed = ({ code, name }: Named): boolean => name.trim() !== "" && code.trim() !== ""

/** The members that are sent of a name with its code. */
export const namedBody = ({ code, name }: Named) => ({ name: name.trim(), code: code.trim() })

/** The fields of a name and its code. */
export const NameAndCode = (
  { example, of: { code, isEdited, name }, says, set }: {
    readonly of: Named
    readonly set: Draft<Named>["set"]
    readonly example: string
    readonly says: string
  }
) => (
  <>
    <TextField
      label="Name"
      path="name"
      value={name}
      onChange={(name) => set({ name, ...(isEdited ? {} : { code: codeOf(name) }) })}
      placeholder={example}
      maxLength={255}
      autocomplete="off"
      required
      isFirst
    />
    <TextField
      label="Code"
      path="code"
      value={code}
      onChange={(code) => set({ code, isEdited: code !== "" })}
      maxLength={128}
      autocomplete="off"
      hint={says}
    />
  </>
)

/** The kind of a feature and what belongs to it, as texts. */
export interface FeatureTexts {
  /** The type of its values; empty where licenses have it or not. */
  readonly kind: string
  /** The options, one in each line. */
  readonly options: string
  readonly metadata: string
}

/** The most decimal places of a feature's amounts. */
export const places = { min: 0, max: 6 }

/** A new feature as texts. */
interface NewTexts extends Named, FeatureTexts {
  /** The decimal places of its amounts, which stay. */
  readonly decimals: string
  /** The meter of its usage, which stays; and the dimension whose values are counted. */
  readonly meter: string
  readonly dimension: string
}

/** A feature as it is entered at first. */
export const newFeature: NewTexts = {
  ...noName,
  kind: "",
  options: "",
  decimals: "",
  meter: "sum",
  dimension: "",
  metadata: "{}"
}

/** A feature as it can be changed. */
export type FeatureEdit = Readonly<Record<"name" | "code" | "kind" | "options" | "metadata" | "archived", string>>

/** A feature as it can be changed. */
export const editOf = (
  { archived_at, code, enum_options = [], metadata, name, value_type }: Feature
): FeatureEdit => ({
  name,
  code,
  kind: value_type ?? "",
  options: enum_options.join("\n"),
  metadata: JSON.stringify(metadata),
  archived: String(archived_at !== undefined)
})

/** Whether a feature can be sent: one of a list has options, and its metadata are an object. */
export const isFeature = (draft: Pick<Named, "code" | "name"> & FeatureTexts): boolean =>
  isNamed({ ...draft, isEdited: true }) && isJsonObject(draft.metadata) &&
  (draft.kind !== "enum" || linesIn(draft.options).length > 0)

const typeIn = (kind: string) => {
  const value_type = kindIn(kind)
  return value_type === "" ? {} : { value_type }
}

/** Whether what is measured of a new feature can be sent: distinct values are of a dimension. */
export const isMeasured = ({ dimension, meter }: Pick<NewTexts, "dimension" | "meter">): boolean =>
  meter !== "unique" || /^[a-z0-9_-]{1,32}$/.test(dimension.trim())

const meterOf = ({ dimension, meter }: NewTexts) => {
  const measured = meterIn(meter)
  return measured === "sum" ? {} : {
    meter: measured,
    ...(measured === "unique" ? { meter_dimension: dimension.trim() } : {})
  }
}

/** The request that creates a feature. */
export const createFeature = (draft: NewTexts): FeatureCreateRequest => {
  const decimals = wholeOf(draft.decimals, places) ?? 0
  const options = linesIn(draft.options)
  return {
    ...namedBody(draft),
    ...typeIn(draft.kind),
    ...(hasOptions(kindIn(draft.kind)) && options.length > 0 ? { enum_options: options } : {}),
    ...(decimals === 0 ? {} : { decimals }),
    ...meterOf(draft),
    ...(draft.metadata.trim() === "{}" ? {} : metadataIn(draft.metadata))
  }
}

/** The request that changes a feature: what differs. */
export const updateFeature = (changed: Partial<FeatureEdit>): FeatureUpdateRequest => ({
  ...(changed.name === undefined ? {} : { name: changed.name.trim() }),
  ...(changed.code === undefined ? {} : { code: changed.code.trim() }),
  ...(changed.kind === undefined ? {} : typeIn(changed.kind)),
  ...(changed.options === undefined ? {} : { enum_options: linesIn(changed.options) }),
  ...(changed.metadata === undefined ? {} : metadataIn(changed.metadata)),
  ...(changed.archived === undefined ? {} : { is_archived: changed.archived === "true" })
})
