import type { Policy, PolicyCreateRequest, PolicyUpdateRequest } from "../../../client/api/index.ts"
import { count } from "../../ground/design/Numbers.ts"
import { codeOf } from "./CodeOf.ts"
import { isJsonObject } from "./JsonObject.ts"
import { policyFields } from "./policyFields.gen.ts"

/** The name of a member of a policy that can be entered. */
export type FieldName = keyof typeof policyFields

/** A member as the contract has it: what may be entered for it. */
export interface PolicyField {
  readonly kind: "text" | "number" | "boolean" | "enum" | "duration" | "overage" | "list" | "numbers" | "json"
  readonly help: string
  /** Whether it may be absent. */
  readonly isOptional: boolean
  readonly default?: string | undefined
  readonly min?: number
  readonly max?: number
  readonly pattern?: string
  readonly values?: ReadonlyArray<string>
}

/** The field of a member. */
export const fieldOf = (name: FieldName): PolicyField => policyFields[name]

/** The names of all members. */
export const fieldNames = Object.keys(policyFields) as ReadonlyArray<FieldName>

/** The text that stands for no value: an empty text is one that is not entered yet, and 0 is a number. */
export const none = "none"

/** A policy as it is entered: each member as a text. */
export type PolicyDraft = Readonly<Record<FieldName, string>>

const textOf = (name: FieldName, value: unknown): string => {
  const { default: usual, isOptional, kind } = fieldOf(name)
  if (value === undefined || value === null) return usual ?? (kind === "boolean" ? "false" : isOptional ? none : "")
  return kind === "json" ? JSON.stringify(value) : String(value)
}

/** The entries of a list as it is entered. */
export const entriesOf = (text: string): ReadonlyArray<string> => text === none || text === "" ? [] : text.split(",")

/** The numbers of a list as they are entered. */
const numbersOf = (text: string): ReadonlyArray<string> => text.split(",").map((entry) => entry.trim())

const draftFrom = (values: Readonly<Partial<Record<FieldName, unknown>>>): PolicyDraft =>
  Object.fromEntries(fieldNames.map((name) => [name, textOf(name, values[name])])) as PolicyDraft

/** A new policy, with the defaults of the contract. */
export const blankDraft: PolicyDraft = { ...draftFrom({}), license_type: "subscription" }

/** A policy as it can be changed. */
export const draftOf = (policy: Policy): PolicyDraft => draftFrom(policy)

/** A copy of a policy, with a name and a code of its own. */
export const copyOf = (policy: Policy): PolicyDraft => ({
  ...draftOf(policy),
  name: `${policy.name} (copy)`,
  code: codeOf(`${policy.name} copy`)
})

/** The names of the members that differ. */
export const changedIn = (from: PolicyDraft, to: PolicyDraft): ReadonlyArray<FieldName> =>
  fieldNames.filter((name) => from[name] !== to[name])

const isWhole = (text: string, { max, min }: PolicyField): boolean =>
  /^\d{1,15}$/.test(text) && Number(text) >= (min ?? 0) && Number(text) <= (max ?? Number.MAX_SAFE_INTEGER)

/** The message about one member; undefined where the contract takes it. */
export const wrongIn = (name: FieldName, text: string): string | undefined => {
  const field = fieldOf(name)
  if (text === none && field.isOptional) return undefined
  if (field.kind === "number") {
    const { max = Number.MAX_SAFE_INTEGER, min = 0 } = field
    return isWhole(text, field) ? undefined : `Enter a whole number from ${count(min)} to ${count(max)}`
  }
  if (field.kind === "numbers") {
    const { max = Number.MAX_SAFE_INTEGER, min = 0 } = field
    const numbers = numbersOf(text)
    return numbers.length > 0 && numbers.every((number) => isWhole(number, field)) &&
        new Set(numbers).size === numbers.length
      ? undefined
      : `Enter whole numbers from ${count(min)} to ${count(max)}, each once, with commas between them`
  }
  if (field.kind === "json") return isJsonObject(text) ? undefined : "Enter a JSON object"
  if (field.pattern !== undefined && !new RegExp(field.pattern, "u").test(text)) {
    return text === "" ? "Enter a value" : "Enter it as described"
  }
  return undefined
}

/** The messages about members that the contract does not take, by their names. */
export const wrongOf = (draft: PolicyDraft): ReadonlyMap<FieldName, string> =>
  new Map(fieldNames.flatMap((name) => {
    const wrong = wrongIn(name, draft[name])
    return wrong === undefined ? [] : [[name, wrong] as const]
  }))

const valueOf = (name: FieldName, text: string): unknown => {
  const { isOptional, kind } = fieldOf(name)
  if (text === none && isOptional) return null
  if (kind === "number") return Number(text)
  if (kind === "boolean") return text === "true"
  if (kind === "list") return entriesOf(text)
  if (kind === "numbers") return numbersOf(text).map(Number)
  return kind === "json" ? JSON.parse(text) as unknown : text.trim()
}

/** The texts of some members as they are sent. */
export const valuesOf = (texts: Readonly<Partial<Record<FieldName, string>>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fieldNames.flatMap((name) => texts[name] === undefined ? [] : [[name, valueOf(name, texts[name])]])
  )

/** The members of those names as they are sent. */
const bodyOf = (draft: PolicyDraft, names: ReadonlyArray<FieldName>) =>
  Object.fromEntries(names.map((name) => [name, valueOf(name, draft[name])]))

const always: ReadonlyArray<FieldName> = ["name", "code", "license_type"]

/** The request that makes a policy: its members that differ from the defaults. */
export const createBody = (draft: PolicyDraft): PolicyCreateRequest =>
  bodyOf(draft, [
    ...always,
    ...changedIn(blankDraft, draft).filter((name) => !always.includes(name))
  ]) as PolicyCreateRequest

/** The request that changes a policy: its members that differ from what was loaded. */
export const updateBody = (loaded: PolicyDraft, draft: PolicyDraft): PolicyUpdateRequest =>
  bodyOf(draft, changedIn(loaded, draft))
