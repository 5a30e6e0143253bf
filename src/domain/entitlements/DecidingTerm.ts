import { Schema } from "effect"
import type { License } from "../licenses/License.ts"
import { withoutGrace } from "../licenses/LicenseStatus.ts"
import type { EffectiveFeature } from "../terms/EffectiveFeatures.ts"
import { sourceOf } from "../terms/EffectiveTerms.ts"
import type { RuleKey, Rules } from "../terms/Rules.ts"
import { bigCount } from "../wire/Fields.ts"
import type { RuleName } from "./Decision.ts"

/** The term that a rule went by, and where it comes from. */
export const DecidingTerm = Schema.Struct({
  name: Schema.String.annotate({
    description: "The rule of the terms, or the member of the license, device or feature, that decided."
  }),
  value: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])).annotate({
    description: "What it says; absent where nothing is said."
  }),
  credits: Schema.optionalKey(bigCount(1)).annotate({
    description: "How much of a quota was added with `add_credits`, whoever it comes from."
  }),
  from: Schema.Literals(["policy", "override", "license", "subscription", "device", "lease"]).annotate({
    description: "Where it comes from."
  })
}).annotate({
  identifier: "DecidingTerm",
  description: "The term that decided, and where it comes from.",
  examples: [{ name: "max_activations", value: 25, from: "override" }]
})
export type DecidingTerm = typeof DecidingTerm.Type

/** What a finding is about. */
export interface FindingContext {
  readonly license: License
  /** The rules that are in force. */
  readonly rules: Rules
  readonly isContainer: boolean
  readonly deviceStatus: string | undefined
  readonly deviceFloating: boolean
  readonly feature: EffectiveFeature | undefined
}

/** The term that the rule of a finding went by. */
export const decidingTerm = (rule: RuleName, context: FindingContext): DecidingTerm => {
  const { deviceFloating, deviceStatus, feature, isContainer, license, rules } = context
  const ofRules = (name: RuleKey): DecidingTerm => {
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
  const limit = (name: RuleKey, overage: RuleKey) =>
    ofRules(rules[overage] === undefined || rules[overage] === "deny" ? name : overage)
  switch (rule) {
    case "product_mismatch":
      return ofLicense("product_id", license.product_id)
    case "license_revoked":
      return ofLicense("status", "revoked")
    case "license_suspended":
      return { name: "status", value: "suspended", from: license.suspended_by ?? "license" }
    case "license_not_started":
      return ofLicense("starts_at", license.starts_at)
    case "license_expired":
      return {
        ...ofLicense(license.awaits_activation === true ? "activate_before" : "expires_at", license.expires_at),
        from: license.follows_subscription === true ? "subscription" : "license"
      }
    case "term_out_of_range":
      return ofRules(rules.duration === undefined ? "maintenance_duration" : "duration")
    case "device_blacklisted":
      return { name: "status", value: "blacklisted", from: "device" }
    case "vm_not_allowed":
      return ofRules("allow_vm")
    case "container_not_allowed":
      return ofRules("allow_container")
    case "device_not_activated":
      return { name: "status", ...(deviceStatus === undefined ? {} : { value: deviceStatus }), from: "device" }
    case "self_service_not_allowed":
      return ofRules("self_service")
    case "self_service_limit":
      return ofRules("max_self_service_resets")
    case "activation_limit":
      return limit(
        isContainer && rules.max_container_instances !== undefined ? "max_container_instances" : "max_activations",
        "activation_overage"
      )
    case "lease_not_found":
      return { name: "lease", from: "lease" }
    case "lease_expired":
      return ofRules("floating_timeout_minutes")
    case "floating_limit":
      return limit("max_floating_users", "floating_overage")
    case "offline_not_allowed":
      if (deviceFloating) return { name: "lease", from: "lease" }
      return ofRules(rules.allow_offline_activation ? "offline_grace_days" : "allow_offline_activation")
    case "feature_not_entitled":
      if (feature === undefined) return { name: "features", from: "policy" }
      return {
        name: feature.isOn ? "features.expires_at" : "features.enabled",
        value: feature.isOn ? new Date(feature.expiresAt!).toISOString() : false,
        from: feature.from.enabled
      }
    case "feature_quota":
      if (feature !== undefined && feature.overage !== null && feature.overage !== "deny") {
        return { name: "features.overage", value: feature.overage, from: feature.from.overage }
      }
      return {
        name: "features.max_consumptions",
        ...(feature?.quota == null ? {} : { value: feature.quota }),
        ...(feature === undefined || feature.credits === 0 ? {} : { credits: feature.credits }),
        from: feature?.from.quota ?? "license"
      }
  }
}
