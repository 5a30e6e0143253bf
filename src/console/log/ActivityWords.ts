import type { Activity } from "../../client/api/index.ts"
import { labelOf, titleOf } from "../../client/api/Labels.ts"

/** Actions as something that somebody did, where the words do not follow from their names. */
const doings: Readonly<Record<string, string>> = {
  "policy.feature_assigned": "added a feature to a policy",
  "policy.feature_removed": "removed a feature from a policy",
  "customer.erased": "erased a customer",
  "billing_connection.secret_rotated": "replaced the secret of a billing connection",
  "billing_connection.reconciled": "reconciled a billing connection",
  "license.created": "issued a license",
  "license.activated": "activated a device",
  "license.deactivated": "deactivated a device",
  "license.validated": "validated a license",
  "license.checked": "checked a feature",
  "license.policy_changed": "changed the policy of a license",
  "license.key_rotated": "replaced the key of a license",
  "license.feature_assigned": "set a feature of a license",
  "license.feature_removed": "removed a feature from a license",
  "license.usage_recorded": "used a feature",
  "license.usage_reset": "corrected the usage of a license",
  "license.quota_reached": "used up a quota",
  "license.quota_threshold": "used a share of a quota",
  "license.grant_given": "gave units to a license",
  "license.grant_revoked": "revoked a grant of a license",
  "customer.pool_given": "gave a customer units to share",
  "customer.pool_revoked": "revoked a pool of a customer",
  "customer.portal_link_created": "made a link into the portal",
  "customer.portal_link_mailed": "mailed a link into the portal",
  "customer.portal_link_failed": "could not mail a link into the portal",
  "license.overage_started": "went over a quota",
  "license.transfer_requested": "asked to transfer a license",
  "license.transfer_canceled": "canceled the transfer of a license",
  "license.user_invited": "invited a user of a license",
  "license.user_joined": "took a seat of a license",
  "license.user_removed": "removed a user of a license",
  "license.user_device_changed": "took a device",
  "device.blacklisted": "blocked a device",
  "device.components_changed": "reported changed components of a device",
  "device.renamed": "renamed a device",
  "lease.checked_out": "took a floating seat",
  "lease.checked_in": "released a floating seat",
  "lease.extended": "kept a floating seat",
  "mail.sent": "sent a mail",
  "mail.failed": "did not send a mail",
  "offline.issued": "fetched an offline envelope",
  "api_key.signed_in": "signed in",
  "role.second_look_changed": "changed where a role needs a second person",
  "api_key.rotated": "replaced the admin token",
  "person.invited": "invited a person",
  "session.opened": "signed in",
  "session.ended": "ended a session",
  "webhook.secret_rotated": "replaced the secret of a webhook endpoint",
  "webhook.skipped": "resumed a webhook endpoint from now",
  "report_export.created": "requested an export",
  "report_export.ready": "finished an export",
  "report_export.downloaded": "downloaded an export"
}

const nouns: Readonly<Record<string, string>> = {
  api_key: "API key",
  webhook: "webhook endpoint",
  report_export: "export",
  lease: "floating seat",
  version: "product version"
}

/** An action as what somebody did: "suspended a license". */
export const doingOf = (action: string): string => {
  const [family = "", verb = ""] = action.split(".")
  const noun = nouns[family] ?? family.replaceAll("_", " ")
  const did = verb === "updated" ? "changed" : verb.replaceAll("_", " ")
  return doings[action] ?? `${did} ${/^[aeiouA]/.test(noun) ? "an" : "a"} ${noun}`
}

/** The one who did it, in words: by name where one is known, and never by an ID alone. */
export const actorOf = ({ actor_id, actor_name, actor_roles, actor_type, names }: Activity): {
  readonly name: string
  readonly kind: string | undefined
} => {
  if (actor_type === "person") {
    return {
      name: actor_name ?? "A person who is no longer known",
      kind: actor_roles === undefined ? undefined : actor_roles.map((role) => role.toLowerCase()).join(", ")
    }
  }
  if (actor_type === "api_key") {
    return actor_id === "bootstrap"
      ? { name: "Admin token", kind: undefined }
      : { name: actor_name ?? "An API key that is no longer known", kind: "API key" }
  }
  if (actor_type === "customer") return { name: actor_name ?? names?.customer ?? "The customer", kind: "customer" }
  if (actor_type === "license_holder") return { name: "The holder of the license key", kind: undefined }
  return actor_type === "license" ? { name: "The app", kind: undefined } : { name: "Countersign", kind: undefined }
}

/** The rest of the sentence, behind who it was: "suspended a license", "was refused: License suspended". */
export const sentenceOf = ({ action, actor_type, result_class }: Activity): string =>
  result_class === "refused"
    ? `was refused: ${titleOf("action", action)}`
    : result_class === "failed"
    ? `${labelOf("result", "failed")}: ${titleOf("action", action)}`
    : actor_type === "system"
    ? `noted: ${titleOf("action", action)}`
    : doingOf(action)

/** The subject of an activity, by names: the customer, the policy, the product, and whatever else it has. */
export const aboutOf = ({ names = {} }: Activity): ReadonlyArray<string> => {
  const { customer, device, policy, product, resource } = names
  return [...new Set([resource, customer, policy, product, device].filter((name) => name !== undefined))]
}

/** The page of what an activity is about; undefined where the console has none. */
export const hrefOf = (
  { license_id, customer_id, product_id, resource_id, resource_type }: Activity
): string | undefined =>
  resource_type === "policy" && product_id !== undefined
    ? `/console/products/${product_id}/policies/${resource_id}`
    : resource_type === "purchase"
    ? `/console/purchases/${resource_id}`
    : license_id !== undefined
    ? `/console/licenses/${license_id}`
    : customer_id !== undefined
    ? `/console/customers/${customer_id}`
    : product_id !== undefined
    ? `/console/products/${product_id}`
    : undefined

/** Whether a value is an instant, as the service writes it. */
export const isInstant = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)

/** The name of what the value of a field is the ID of; undefined where the activity does not say it. */
export const nameOf = (
  { customer_id, device_id, names = {}, product_id }: Activity,
  member: string,
  value: unknown
): string | undefined =>
  member === "customer_id" && value === customer_id
    ? names.customer
    : member === "product_id" && value === product_id
    ? names.product
    : member === "device_id" && value === device_id
    ? names.device
    : undefined

/** The name of a field in words: `max_activations` is "Max activations", and `customer_id` "Customer". */
export const fieldOf = (member: string): string => {
  if (member === "id") return "ID"
  const words = member.replace(/_id$/, "").replaceAll("_", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

type LabelKind = Parameters<typeof labelOf>[0]

/** The fields whose values are codes with labels, by the actions that have them. */
const labelled: ReadonlyArray<readonly [RegExp, Readonly<Record<string, LabelKind>>]> = [
  [/^(?:mail\.|customer\.portal_link_)/, { kind: "mailKind", reason: "mailFailure" }],
  [/^mail_suppression\./, { covers: "mailCoverage", reason: "mailSuppressionReason" }],
  [/^mail_template\./, { kind: "mailKind", language: "mailLanguage" }]
]

/** A value of a field as text: a code in words where people have words for it. */
export const valueOf = ({ action }: Pick<Activity, "action">, member: string, value: unknown): string => {
  if (value === undefined) return "–"
  if (typeof value !== "string") return JSON.stringify(value)
  const kind = labelled.find(([actions]) => actions.test(action))?.[1][member]
  return kind === undefined ? value : titleOf(kind, value)
}

/** The tone of an entry. */
export const toneOf = ({ action, result_class }: Activity): string =>
  result_class !== "success"
    ? "bad"
    : /revoked|suspended|expired|blacklisted|refused/.test(action)
    ? "warn"
    : /created|activated|renewed|reinstated/.test(action)
    ? "good"
    : ""
