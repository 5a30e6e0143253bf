import { labelOf } from "../../../client/api/Labels.ts"
import { durationText, numberText, overageText } from "../../catalog/policies/PolicyWords.ts"

/** A value of a term. */
export type TermValue = number | boolean | string

/** The words for on and off of terms that do not allow something. */
const words: Readonly<Record<string, readonly [on: string, off: string]>> = {
  require_heartbeat: ["Required", "Not required"],
  follows_subscription: ["On", "Off"],
  self_service: ["On", "Off"]
}

/** A value of a term in words; a dash where it has none. */
export const termText = (name: string, value: TermValue | undefined): string => {
  if (value === undefined) return "–"
  if (typeof value === "boolean") return words[name]?.[value ? 0 : 1] ?? (value ? "Allowed" : "Not allowed")
  if (typeof value === "string") {
    if (name === "expiry_basis") return labelOf("expiryBasis", value)
    if (name.endsWith("duration")) return durationText(value)
    return name.endsWith("_overage") ? overageText(value) : value
  }
  return numberText(name, value)
}
