import { assert, describe, it } from "@effect/vitest"
import type { EffectiveFeature } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { decidingTerm } from "../../../../src/domain/licensing/entitlements/DecidingTerm.ts"
import type { FindingContext } from "../../../../src/domain/licensing/entitlements/DecidingTerm.ts"
import type { RuleName } from "../../../../src/domain/licensing/entitlements/DecisionInput.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"

const license: License = { ...exampleOf(License), expires_at: "2026-11-01T00:00:00.000Z" }

const feature: EffectiveFeature = {
  id: "feat_1",
  code: "render",
  isOn: true,
  enabled: true,
  expiresAt: Date.parse("2026-10-01T00:00:00Z"),
  value: null,
  quota: 10,
  credits: 0,
  granted: undefined,
  decimals: null,
  meter: null,
  meter_dimension: null,
  carried: [],
  rollover: null,
  thresholds: null,
  announced: 0,
  remainingThresholds: null,
  announcedRemaining: Infinity,
  ceiling: 10,
  total: 10,
  isCounted: true,
  consumed: 10,
  period: null,
  overage: null,
  periodStart: undefined,
  periodEnd: undefined,
  from: { enabled: "policy", value: "policy", quota: "license", overage: "policy" }
}

const context: FindingContext = {
  license,
  rules: {
    max_activations: 3,
    max_floating_users: 10,
    floating_timeout_minutes: 10,
    grace_period_days: 7,
    validation_interval_minutes: 1440,
    require_heartbeat: false,
    allow_offline_activation: true,
    offline_grace_days: 0,
    allow_vm: false,
    allow_container: false,
    max_transfers: 3,
    self_service: false,
    max_self_service_resets: 3
  },
  isContainer: false,
  deviceStatus: "deactivated",
  deviceFloating: false,
  feature
}

const of = (change: Partial<FindingContext>, ofLicense: Partial<License> = {}): FindingContext => ({
  ...context,
  ...change,
  license: { ...license, ...ofLicense }
})
const rules = (change: Partial<FindingContext["rules"]>) => ({ rules: { ...context.rules, ...change } })

/** For each refusal the term that decided, and where it comes from. */
const table: ReadonlyArray<readonly [RuleName, FindingContext, string, string | number | boolean | undefined, string]> =
  [
    ["product_mismatch", context, "product_id", license.product_id, "license"],
    ["license_revoked", context, "status", "revoked", "license"],
    ["license_suspended", context, "status", "suspended", "license"],
    ["license_suspended", of({}, { suspended_by: "subscription" }), "status", "suspended", "subscription"],
    [
      "license_not_started",
      of({}, { starts_at: "2027-01-01T00:00:00.000Z" }),
      "starts_at",
      "2027-01-01T00:00:00.000Z",
      "license"
    ],
    ["license_expired", context, "expires_at", "2026-11-01T00:00:00.000Z", "license"],
    [
      "license_expired",
      of({}, { follows_subscription: true }),
      "expires_at",
      "2026-11-01T00:00:00.000Z",
      "subscription"
    ],
    ["license_expired", of({}, { awaits_activation: true }), "activate_before", "2026-11-01T00:00:00.000Z", "license"],
    ["term_out_of_range", of(rules({ duration: "P9999Y" })), "duration", "P9999Y", "policy"],
    [
      "term_out_of_range",
      of(rules({ maintenance_duration: "P9999Y" })),
      "maintenance_duration",
      "P9999Y",
      "policy"
    ],
    ["device_blacklisted", context, "status", "blacklisted", "device"],
    ["vm_not_allowed", context, "allow_vm", false, "policy"],
    ["vm_not_allowed", of({}, { overrides: { allow_vm: false } }), "allow_vm", false, "override"],
    ["container_not_allowed", context, "allow_container", false, "policy"],
    ["device_not_activated", context, "status", "deactivated", "device"],
    ["device_not_activated", of({ deviceStatus: undefined }), "status", undefined, "device"],
    ["self_service_not_allowed", context, "self_service", false, "policy"],
    ["self_service_limit", context, "max_self_service_resets", 3, "policy"],
    ["activation_limit", context, "max_activations", 3, "policy"],
    ["activation_limit", of({}, { overrides: { max_activations: 3 } }), "max_activations", 3, "override"],
    ["activation_limit", of({ isContainer: true }), "max_activations", 3, "policy"],
    [
      "activation_limit",
      of({ isContainer: true, ...rules({ max_container_instances: 5 }) }),
      "max_container_instances",
      5,
      "policy"
    ],
    ["activation_limit", of(rules({ activation_overage: "deny" })), "max_activations", 3, "policy"],
    ["activation_limit", of(rules({ activation_overage: "10%" })), "activation_overage", "10%", "policy"],
    ["lease_not_found", context, "lease", undefined, "lease"],
    ["lease_expired", context, "floating_timeout_minutes", 10, "policy"],
    ["floating_limit", context, "max_floating_users", 10, "policy"],
    [
      "floating_limit",
      of(rules({ floating_overage: "5%" }), { overrides: { floating_overage: "5%" } }),
      "floating_overage",
      "5%",
      "override"
    ],
    ["offline_not_allowed", context, "offline_grace_days", 0, "policy"],
    [
      "offline_not_allowed",
      of(rules({ allow_offline_activation: false })),
      "allow_offline_activation",
      false,
      "policy"
    ],
    ["offline_not_allowed", of({ deviceFloating: true }), "lease", undefined, "lease"],
    ["feature_not_entitled", of({ feature: undefined }), "features", undefined, "policy"],
    ["feature_not_entitled", context, "features.expires_at", "2026-10-01T00:00:00.000Z", "policy"],
    ["feature_not_entitled", of({ feature: { ...feature, isOn: false } }), "features.enabled", false, "policy"],
    ["feature_quota", context, "features.max_consumptions", 10, "license"],
    ["feature_quota", of({ feature: { ...feature, overage: "20%" } }), "features.overage", "20%", "policy"]
  ]

describe("the term that decided", () => {
  it.each(table)("%s", (rule, about, name, value, from) => {
    assert.deepStrictEqual<unknown>(decidingTerm(rule, about), {
      name,
      ...(value === undefined ? {} : { value }),
      from
    })
  })
})
