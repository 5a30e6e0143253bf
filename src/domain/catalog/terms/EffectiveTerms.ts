import { Schema } from "effect"
import { field } from "../../ground/wire/Fields.ts"
import { describedAsRules, ruleKeys } from "./Rules.ts"
import type { LicenseOverrides, RuleKey, Rules } from "./Rules.ts"

/** Where a term comes from. A license that its canceled subscription ends, or that was never started, has no grace. */
export const TermSource = Schema.Literals(["policy", "override", "license", "subscription"]).annotate({
  identifier: "TermSource",
  description: "The source of the rule."
})
export type TermSource = typeof TermSource.Type

const term = <S extends Schema.Top>(identifier: string, value: S, example: S["Type"]) =>
  Schema.Struct({ value: field(value, "The value."), from: TermSource }).annotate({
    identifier,
    description: "A rule of the effective policy, and its source.",
    examples: [{ value: example, from: "policy" }] as never
  })

const number = Schema.optionalKey(term("NumberTerm", Schema.Finite, 25))
const flag = Schema.optionalKey(term("FlagTerm", Schema.Boolean, true))
const word = Schema.optionalKey(term("TextTerm", Schema.String, "P1Y"))

/** Every rule of a license with where it comes from. */
export const LicenseTerms = Schema.Struct(
  describedAsRules({
    max_activations: number,
    max_floating_users: number,
    max_container_instances: number,
    floating_timeout_minutes: number,
    grace_period_days: number,
    validation_interval_minutes: number,
    require_heartbeat: flag,
    allow_offline_activation: flag,
    offline_grace_days: number,
    allow_vm: flag,
    allow_container: flag,
    max_transfers: number,
    duration: word,
    expiry_basis: word,
    maintenance_duration: word,
    activation_overage: word,
    floating_overage: word,
    lease_unit: word,
    follows_subscription: flag,
    component_match: word,
    self_service: flag,
    max_self_service_resets: number,
    self_service_period: word,
    self_service_transfer: flag,
    offline_file_days: number,
    hold_offline_seats: flag,
    refund_window_minutes: number,
    max_users: number,
    max_devices_per_user: number
  })
).annotate({
  identifier: "LicenseTerms",
  description: "The effective policy of the license: the current rules of its policy, replaced by its overrides.",
  examples: [{ max_activations: { value: 25, from: "override" }, grace_period_days: { value: 7, from: "policy" } }]
})
export type LicenseTerms = typeof LicenseTerms.Type

/** The inputs of the effective terms of a license. */
export interface TermsInput<Policy extends Partial<Rules> = Rules> {
  /** The rules of its policy as it is now, or those of them that are asked about. */
  readonly policy: Policy
  readonly overrides: LicenseOverrides | undefined
  /** What lets it end without grace: its subscription was canceled, or the license itself was not started in time. */
  readonly withoutGrace: "subscription" | "license" | undefined
}

/** The rules that are in force: the policy's, overlaid by the license's own. */
export const effectiveRules = <Policy extends Partial<Rules>>(
  { overrides, policy, withoutGrace }: TermsInput<Policy>
): Policy & LicenseOverrides => ({
  ...policy,
  ...overrides,
  ...(withoutGrace === undefined ? {} : { grace_period_days: 0 })
})

/** Where a rule that is in force comes from. */
export const sourceOf = (
  key: RuleKey,
  { overrides, withoutGrace }: Pick<TermsInput, "overrides" | "withoutGrace">
): TermSource => {
  if (key === "grace_period_days" && withoutGrace !== undefined) return withoutGrace
  return overrides?.[key as keyof LicenseOverrides] === undefined ? "policy" : "override"
}

/** The rules that are in force, each with where it comes from. */
export const effectiveTerms = (input: TermsInput): LicenseTerms => {
  const rules = effectiveRules(input)
  return Object.fromEntries(
    ruleKeys.flatMap((key) =>
      rules[key] === undefined || rules[key] === null
        ? []
        : [[key, { value: rules[key], from: sourceOf(key, input) }]]
    )
  ) as LicenseTerms
}
