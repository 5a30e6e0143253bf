import type { License, LicenseOverridesRequest, LicenseTerms } from "../../../client/api/index.ts"
import { fieldNames, fieldOf, none, valuesOf, wrongIn } from "../../catalog/policies/PolicyDraft.ts"
import type { FieldName } from "../../catalog/policies/PolicyDraft.ts"

/** The members of a policy that a license cannot have for itself. */
const ofPolicy: ReadonlySet<FieldName> = new Set<FieldName>([
  "name",
  "code",
  "license_type",
  "metadata",
  "expiry_basis",
  "follows_subscription",
  "mails",
  "expiring_days"
])

/** The names of the terms that a license can have for itself. */
export const overridable: ReadonlyArray<FieldName> = fieldNames.filter((name) => !ofPolicy.has(name))

/** The text that stands for the term of the policy. */
export const asPolicy = "as the policy"

/** The terms of a license by their names: each as a text, or as that of its policy. */
export type OverridesDraft = Readonly<Record<string, string>>

/** The terms of a license as they can be changed. */
export const overridesDraft = (overrides: License["overrides"]): OverridesDraft => {
  const own: Readonly<Record<string, unknown>> = { ...overrides }
  return Object.fromEntries(overridable.map((name) => [name, own[name] === undefined ? asPolicy : String(own[name])]))
}

/** The names of the terms that the license has for itself. */
export const ownTerms = (draft: OverridesDraft): ReadonlyArray<FieldName> =>
  overridable.filter((name) => draft[name] !== asPolicy)

/** The text that a term begins with: the one that is in force, or the least that its field takes. */
export const firstText = (name: FieldName, terms: LicenseTerms): string => {
  const now = Object.entries(terms).find(([key]) => key === name)?.[1]
  if (now !== undefined) return String(now.value)
  const { default: usual, kind, min = 0, values = [] } = fieldOf(name)
  if (usual !== undefined && usual !== none) return usual
  if (kind === "number") return String(Math.max(1, min))
  if (kind === "duration") return "P1Y"
  return kind === "boolean" ? "false" : kind === "overage" ? "deny" : values[0] ?? ""
}

/** Whether each own term has a value: none is that of the policy. */
export const isValid = (draft: OverridesDraft): boolean =>
  ownTerms(draft).every((name) => wrongIn(name, draft[name] ?? "") === undefined)

/** The request that changes the terms: null takes one away. */
export const overridesRequest = (changed: Partial<OverridesDraft>): LicenseOverridesRequest => ({
  ...valuesOf(Object.fromEntries(Object.entries(changed).filter(([, text]) => text !== asPolicy))),
  ...Object.fromEntries(Object.entries(changed).filter(([, text]) => text === asPolicy).map(([name]) => [name, null]))
})
