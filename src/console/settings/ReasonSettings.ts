import type { ReasonedAction, ServiceSettings } from "../../client/api/index.ts"
import { labelOf } from "../../client/api/Labels.ts"

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

/** The change that the form asks for. */
export const reasonChange = (texts: ReasonTexts) => ({
  required_reasons: reasonedKinds.filter((kind) => texts[kind] === "yes"),
  suggested_reasons: [...new Set(texts.suggested.split("\n").map((line) => line.trim()).filter((line) => line !== ""))]
})
