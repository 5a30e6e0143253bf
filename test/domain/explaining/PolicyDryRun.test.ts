import { assert, describe, it } from "@effect/vitest"
import { changedLimits, changedRules, reachOf } from "../../../src/domain/explaining/PolicyDryRun.ts"
import type { Rules } from "../../../src/domain/terms/Rules.ts"

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

const none = { max_activations: undefined, max_container_instances: undefined, max_floating_users: undefined }

describe("the limits that a change of a policy changes", () => {
  it.each<readonly [string, Partial<Rules>, Partial<Rules>, object]>([
    ["nothing changes", {}, {}, none],
    ["another rule", {}, { allow_vm: false }, none],
    ["fewer devices", {}, { max_activations: 3 }, { ...none, max_activations: 3 }],
    ["no device", {}, { max_activations: 0 }, { ...none, max_activations: 0 }],
    ["containers get a limit", {}, { max_container_instances: 0 }, { ...none, max_container_instances: 0 }],
    ["containers lose it", { max_container_instances: 9 }, {}, { ...none, max_container_instances: 5 }],
    ["floating seats get a limit", {}, { max_floating_users: 2 }, { ...none, max_floating_users: 2 }],
    ["no floating seats any more", { max_floating_users: 2 }, {}, { ...none, max_floating_users: 0 }]
  ])("%s", (_what, before, after, expected) => {
    assert.deepStrictEqual(changedLimits({ ...rules, ...before }, { ...rules, ...after }), expected as never)
  })
})

describe("the reach of a change", () => {
  it("names each changed rule with its values, the overrides of it, and use beyond a limit", () => {
    const after: Rules = { ...rules, max_activations: 3, duration: "P1Y" }
    assert.deepStrictEqual(changedRules(rules, after), ["max_activations", "duration"])
    const beyond = { max_activations: 6, max_container_instances: 0, max_floating_users: 0 }
    assert.deepStrictEqual(
      reachOf(rules, after, { licenses: 37, is_complete: true, overridden: { max_activations: 4 }, beyond }),
      {
        licenses: 37,
        is_complete: true,
        changes: [
          { name: "max_activations", before: 5, after: 3, overridden: 4, beyond: 6 },
          { name: "duration", after: "P1Y", overridden: 0 }
        ]
      }
    )
  })
})
