import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { effectiveRules, effectiveTerms, LicenseTerms } from "../../../../src/domain/catalog/terms/EffectiveTerms.ts"
import { contradictions, ruleFields, ruleKeys, withOverrides } from "../../../../src/domain/catalog/terms/Rules.ts"
import type { LicenseOverrides, RuleKey, Rules } from "../../../../src/domain/catalog/terms/Rules.ts"

/** A policy that says something of every rule. */
const policy: Rules = {
  max_activations: 3,
  max_floating_users: 10,
  max_container_instances: 5,
  floating_timeout_minutes: 10,
  grace_period_days: 7,
  validation_interval_minutes: 1440,
  require_heartbeat: false,
  allow_offline_activation: true,
  offline_grace_days: 30,
  allow_vm: true,
  allow_container: true,
  max_transfers: 3,
  duration: "P1Y",
  expiry_basis: "first_activation",
  maintenance_duration: "P1Y",
  activation_overage: "deny",
  floating_overage: "10%",
  lease_unit: "device",
  follows_subscription: true,
  component_match: "most",
  self_service: false,
  max_self_service_resets: 3,
  self_service_period: "month",
  self_service_transfer: true,
  offline_file_days: 365,
  hold_offline_seats: true,
  refund_window_minutes: 60,
  max_users: 10,
  max_devices_per_user: 2
}

/** What a license says instead, and what is in force then. How a license starts and whom it follows is not of these. */
const table: ReadonlyArray<readonly [RuleKey, unknown, unknown, "policy" | "override"]> = [
  ["max_activations", 25, 25, "override"],
  ["max_activations", 0, 0, "override"],
  ["max_activations", undefined, 3, "policy"],
  ["max_floating_users", 0, 0, "override"],
  ["max_container_instances", 50, 50, "override"],
  ["floating_timeout_minutes", 1, 1, "override"],
  ["grace_period_days", 0, 0, "override"],
  ["grace_period_days", undefined, 7, "policy"],
  ["validation_interval_minutes", 60, 60, "override"],
  ["require_heartbeat", true, true, "override"],
  ["allow_offline_activation", false, false, "override"],
  ["offline_grace_days", 0, 0, "override"],
  ["allow_vm", false, false, "override"],
  ["allow_vm", undefined, true, "policy"],
  ["allow_container", false, false, "override"],
  ["max_transfers", 0, 0, "override"],
  ["duration", "P1M", "P1M", "override"],
  ["expiry_basis", undefined, "first_activation", "policy"],
  ["maintenance_duration", "P2Y", "P2Y", "override"],
  ["activation_overage", "allow", "allow", "override"],
  ["floating_overage", "deny", "deny", "override"],
  ["lease_unit", "process", "process", "override"],
  ["follows_subscription", undefined, true, "policy"],
  ["component_match", "1", "1", "override"],
  ["self_service", true, true, "override"],
  ["max_self_service_resets", 0, 0, "override"],
  ["self_service_period", "year", "year", "override"],
  ["self_service_transfer", false, false, "override"],
  ["offline_file_days", 7, 7, "override"],
  ["hold_offline_seats", false, false, "override"],
  ["refund_window_minutes", 5, 5, "override"],
  ["max_users", 5, 5, "override"],
  ["max_devices_per_user", undefined, 2, "policy"]
]

describe("the contract", () => {
  it("describes each effective rule as the rule of the policy", () => {
    const meaningOf = (schema: Schema.Top) => Schema.resolveAnnotationsKey(schema)?.["description"]
    const meanings = ruleKeys.map((key) => meaningOf(ruleFields[key]))
    assert.strictEqual(new Set(meanings).size, ruleKeys.length)
    assert.deepStrictEqual(ruleKeys.map((key) => meaningOf(LicenseTerms.fields[key])), meanings)
  })
})

describe("the rules that are in force", () => {
  it("are told of each rule there is", () => {
    assert.sameMembers([...new Set(table.map(([rule]) => rule))], [...ruleKeys])
    assert.sameMembers(Object.keys(policy), [...ruleKeys])
  })

  it.each(table)("%s: %s makes %s, from the %s", (rule, override, value, from) => {
    const overrides = override === undefined ? undefined : { [rule]: override } as LicenseOverrides
    const input = { policy, overrides, withoutGrace: undefined }
    assert.strictEqual(effectiveRules(input)[rule], value as never)
    assert.deepStrictEqual<unknown>(effectiveTerms(input)[rule], { value, from })
    // No other rule is touched.
    const { [rule]: _changed, ...others } = effectiveRules(input)
    const { [rule]: _rule, ...before } = policy
    assert.deepStrictEqual<unknown>(others, before)
  })

  it.each(
    [
      ["subscription", undefined],
      ["license", undefined],
      ["subscription", { grace_period_days: 30 }],
      ["license", { grace_period_days: 30 }]
    ] as const
  )("without grace because of the %s it is 0, whatever %j says", (withoutGrace, overrides) => {
    const input = { policy, overrides, withoutGrace }
    assert.strictEqual(effectiveRules(input).grace_period_days, 0)
    assert.deepStrictEqual(effectiveTerms(input).grace_period_days, { value: 0, from: withoutGrace })
  })

  it("leave out what nobody says", () => {
    const { duration: _duration, max_floating_users: _users, ...rest } = policy
    const found = effectiveTerms({ policy: rest, overrides: undefined, withoutGrace: undefined })
    assert.doesNotHaveAnyKeys(found, ["duration", "max_floating_users"])
  })
})

describe("a change of overrides", () => {
  it.each([
    [undefined, { max_activations: 5 }, { max_activations: 5 }],
    [{ max_activations: 5 }, { allow_vm: false }, { max_activations: 5, allow_vm: false }],
    [{ max_activations: 5 }, { max_activations: 6 }, { max_activations: 6 }],
    [{ max_activations: 5, allow_vm: false }, { max_activations: null }, { allow_vm: false }],
    [{ max_activations: 5 }, { max_activations: null }, undefined],
    [{ max_activations: 5 }, { allow_vm: null }, { max_activations: 5 }],
    [{ max_activations: 5 }, null, undefined],
    [undefined, null, undefined],
    [undefined, {}, undefined]
  ])("%j and %j is %j", (before, change, after) => {
    assert.deepStrictEqual(withOverrides(before, change), after)
  })
})

describe("contradictions", () => {
  it("are none in a policy that says something of every rule but what excludes each other", () => {
    const { duration: _duration, ...perpetual } = { ...policy, follows_subscription: false }
    assert.deepStrictEqual(contradictions({ ...perpetual, self_service: true }, "perpetual"), [])
    const { maintenance_duration: _maintenance, ...limited } = { ...policy, follows_subscription: false }
    assert.deepStrictEqual(contradictions({ ...limited, self_service: true }, "time_limited"), [])
  })
})
