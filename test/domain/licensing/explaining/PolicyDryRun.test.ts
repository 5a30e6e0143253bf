import { assert, describe, it } from "@effect/vitest"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { changedRules, reachOf } from "../../../../src/domain/licensing/explaining/PolicyDryRun.ts"

const rules: Rules = {
  max_activations: 5,
  floating_timeout_minutes: 10,
  grace_period_days: 0,
  validation_interval_minutes: 1440,
  require_heartbeat: false,
  allow_offline_activation: true,
  offline_grace_days: 30,
  allow_vm: true,
  allow_container: true,
  max_transfers: 3
}

describe("the reach of a change", () => {
  it("names each changed rule with its values, the overrides of it, and use beyond a limit", () => {
    const after: Rules = { ...rules, max_activations: 3, duration: "P1Y", activation_overage: "deny" }
    assert.deepStrictEqual(changedRules(rules, after), ["max_activations", "duration", "activation_overage"])
    const beyond = {
      max_activations: 6,
      max_container_instances: 0,
      max_floating_users: 0,
      max_users: 0,
      max_devices_per_user: 0,
      activation_overage: 7,
      floating_overage: 0
    }
    assert.deepStrictEqual(
      reachOf(rules, after, { licenses: 37, is_complete: true, overridden: { max_activations: 4 }, beyond }),
      {
        licenses: 37,
        is_complete: true,
        changes: [
          { name: "max_activations", before: 5, after: 3, overridden: 4, beyond: 6 },
          { name: "duration", after: "P1Y", overridden: 0 },
          { name: "activation_overage", after: "deny", overridden: 0, beyond: 7 }
        ]
      }
    )
  })
})
