import type { ReasonedAction, ServiceSettings } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"

/** The actions for which a reason can be required, in the order of a license's life. */
const byKind: { readonly [Action in ReasonedAction]: true } = {
  "license.suspended": true,
  "license.reinstated": true,
  "license.renewed": true,
  "license.policy_changed": true,
  "license.transferred": true,
  "license.key_rotated": true,
  "license.usage_reset": true,
  "license.revoked": true,
  "device.reset": true,
  "device.blacklisted": true,
  "lease.checked_in": true,
  "customer.erased": true,
  "api_key.revoked": true,
  "person.removed": true
}

/** The texts of the form: `yes` for an action that requires a reason, and the suggestions, one a line. */
export type ReasonTexts = Readonly<Record<ReasonedAction | "suggested", string>>

const isKind = (name: string): name is ReasonedAction => Object.hasOwn(byKind, name)

/** The actions for which a reason can be required. */
export const reasonedKinds: ReadonlyArray<ReasonedAction> = Object.keys(byKind).filter(isKind)

/** A field of the form, in words. */
export const reasonLabel = (name: string): string => isKind(name) ? labelOf("action", name) : "Suggested reasons"

/** The settings as the form has them. */
export const reasonTexts = (
  { required_reasons, suggested_reasons }: Pick<ServiceSettings, "required_reasons" | "suggested_reasons">
): ReasonTexts =>
  Object.fromEntries([
    ...reasonedKinds.map((kind) => [kind, required_reasons.includes(kind) ? "yes" : ""]),
    ["suggested", suggested_reasons.join("\n")]
  ])

const suggestionsIn = (text: string): Array<string> => [
  ...new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""))
]

/** How many reasons are suggested at most, and the most characters of each. */
const mostSuggestions = 12
const longestSuggestion = 60

/** The most characters of all suggestions, each on a line. */
export const longestSuggestions = mostSuggestions * (longestSuggestion + 1)

/** The reason why a text is no list of suggestions; undefined where it is one. The service judges the same. */
export const suggestionsProblem = (text: string): string | undefined => {
  const lines = suggestionsIn(text)
  if (lines.length > mostSuggestions) return `Enter at most ${mostSuggestions} reasons.`
  return lines.some((line) => line.length > longestSuggestion)
    ? `Enter at most ${longestSuggestion} characters a line.`
    : undefined
}

/** The change that the form asks for: what it leaves alone is no change in the log either. */
export const reasonChange = (changed: Partial<ReasonTexts>, texts: ReasonTexts) => ({
  ...(reasonedKinds.some((kind) => changed[kind] !== undefined)
    ? { required_reasons: reasonedKinds.filter((kind) => texts[kind] === "yes") }
    : {}),
  ...(changed.suggested === undefined ? {} : { suggested_reasons: suggestionsIn(changed.suggested) })
})
