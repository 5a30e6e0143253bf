import { Schema } from "effect"
import type { EffectiveFeature } from "../../catalog/terms/EffectiveFeatures.ts"
import { sourceOf } from "../../catalog/terms/EffectiveTerms.ts"
import { grantStanding } from "../../catalog/terms/GrantStanding.ts"
import type { RuleKey, Rules } from "../../catalog/terms/Rules.ts"
import { bigCount, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import type { License } from "../licenses/License.ts"
import { withoutGrace } from "../licenses/LicenseStatus.ts"
import type { RuleName } from "./DecisionInput.ts"

/** The term that a rule went by, and where it comes from. */
export const DecidingTerm = Schema.Struct({
  name: field(
    Schema.String,
    "The rule of the effective policy, or the field of the license, device or feature, that decided."
  ),
  value: field(
    Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])),
    "The value; absent if there is no value."
  ),
  credits: field(
    Schema.optionalKey(bigCount(1)),
    "How much of the quota was added with `add_credits`, whatever the source of the quota."
  ),
  granted_remaining: field(
    Schema.optionalKey(bigCount(0)),
    "How much is left of grants; included in the value."
  ),
  next_grant_expires_at: optional(Timestamp, "The time when the next of the grants ends."),
  pool_remaining: field(
    Schema.optionalKey(bigCount(0)),
    "How much of the pools of its customer and those above the license may still use; included in the value."
  ),
  from: field(
    Schema.Literals(["policy", "override", "license", "subscription", "device", "lease"]),
    "The source of the term."
  )
}).annotate({
  identifier: "DecidingTerm",
  description: "The term that decided, and its source.",
  examples: [{ name: "max_activations", value: 25, from: "override" }]
})
export type DecidingTerm = typeof DecidingTerm.Type

/** What of a license a call may be decided by, and its terms come from. */
export type DecidedLicense = Pick<
  License,
  | "product_id"
  | "starts_at"
  | "expires_at"
  | "maintenance_expires_at"
  | "awaits_activation"
  | "follows_subscription"
  | "suspended_by"
  | "ends_without_grace"
  | "overrides"
>

/** What a finding is about. */
export interface FindingContext {
  readonly license: DecidedLicense
  /** The rules that are in force. */
  readonly rules: Rules
  readonly isContainer: boolean
  readonly deviceStatus: string | undefined
  readonly deviceFloating: boolean
  readonly feature: EffectiveFeature | undefined
}

const ofRules = (name: RuleKey) => ({ license, rules }: FindingContext): DecidingTerm => {
  const value = rules[name]
  return {
    name,
    ...(value === undefined ? {} : { value }),
    from: sourceOf(name, { overrides: license.overrides, withoutGrace: withoutGrace(license) })
  }
}

const ofLicense = (name: string, value: string | undefined): DecidingTerm => ({
  name,
  ...(value === undefined ? {} : { value }),
  from: "license"
})

/** A limit decides by itself, or by what is served beyond it. */
const limit = (name: RuleKey, overage: RuleKey) => (context: FindingContext): DecidingTerm => {
  const beyond = context.rules[overage]
  return ofRules(beyond === undefined || beyond === "deny" ? name : overage)(context)
}

const lease: DecidingTerm = { name: "lease", from: "lease" }

const quota = ({ feature }: FindingContext): DecidingTerm =>
  feature !== undefined && feature.overage !== null && feature.overage !== "deny"
    ? { name: "features.overage", value: feature.overage, from: feature.from.overage }
    : {
      name: "features.max_consumptions",
      ...(feature?.quota == null ? {} : { value: feature.quota }),
      ...(feature === undefined || feature.credits === 0 ? {} : { credits: feature.credits }),
      ...(feature === undefined ? {} : grantStanding(feature)),
      from: feature?.from.quota ?? "license"
    }

/** The term that each rule goes by. */
const terms: { readonly [Rule in RuleName]: (context: FindingContext) => DecidingTerm } = {
  product_mismatch: ({ license }) => ofLicense("product_id", license.product_id),
  license_revoked: () => ofLicense("status", "revoked"),
  license_suspended: ({ license }) => ({
    name: "status",
    value: "suspended",
    from: license.suspended_by ?? "license"
  }),
  license_not_started: ({ license }) => ofLicense("starts_at", license.starts_at),
  license_expired: ({ license }) => ({
    ...ofLicense(license.awaits_activation === true ? "activate_before" : "expires_at", license.expires_at),
    from: license.follows_subscription === true ? "subscription" : "license"
  }),
  term_out_of_range: (context) =>
    ofRules(context.rules.duration === undefined ? "maintenance_duration" : "duration")(context),
  device_blacklisted: () => ({ name: "status", value: "blacklisted", from: "device" }),
  vm_not_allowed: ofRules("allow_vm"),
  container_not_allowed: ofRules("allow_container"),
  user_required: ofRules("max_users"),
  device_of_other_user: () => ({ name: "user_id", from: "device" }),
  user_device_limit: ofRules("max_devices_per_user"),
  device_not_activated: ({ deviceStatus }) => ({
    name: "status",
    ...(deviceStatus === undefined ? {} : { value: deviceStatus }),
    from: "device"
  }),
  self_service_not_allowed: ofRules("self_service"),
  self_service_limit: ofRules("max_self_service_resets"),
  activation_limit: (context) =>
    limit(
      context.isContainer && context.rules.max_container_instances !== undefined
        ? "max_container_instances"
        : "max_activations",
      "activation_overage"
    )(context),
  lease_not_found: () => lease,
  lease_expired: ofRules("floating_timeout_minutes"),
  floating_limit: limit("max_floating_users", "floating_overage"),
  offline_not_allowed: (context) =>
    context.deviceFloating
      ? lease
      : ofRules(context.rules.allow_offline_activation ? "offline_grace_days" : "allow_offline_activation")(context),
  refund_not_allowed: ofRules("refund_window_minutes"),
  feature_not_entitled: ({ feature }) =>
    feature === undefined ? { name: "features", from: "policy" } : {
      name: feature.isOn ? "features.expires_at" : "features.enabled",
      value: feature.isOn ? new Date(feature.expiresAt!).toISOString() : false,
      from: feature.from.enabled
    },
  feature_quota: quota
}

/** The term that the rule of a finding went by. */
export const decidingTerm = (rule: RuleName, context: FindingContext): DecidingTerm => terms[rule](context)
