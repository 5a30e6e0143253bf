import { assert, describe, it } from "@effect/vitest"
import { effectiveFeatures } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import type { PolicyFeatureTerms } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import type { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { policyDifferences } from "../../../../src/domain/licensing/lifecycle/PolicyChange.ts"
import type { UnderPolicy } from "../../../../src/domain/licensing/lifecycle/PolicyChange.ts"

const now = Date.parse("2026-06-15T00:00:00Z")
const granted = (code: string, more: Partial<PolicyFeatureTerms> = {}): PolicyFeatureTerms => ({
  id: `feat_${code}`,
  code,
  enabled: true,
  value: null,
  quota: null,
  period: null,
  overage: null,
  expires_after: null,
  ...more
})
const under = (
  license: Partial<License>,
  rules: Partial<Rules> = {},
  grants: ReadonlyArray<PolicyFeatureTerms> = []
): UnderPolicy => ({
  license: { status: "active", ...license } as License,
  rules: rules as Rules,
  features: effectiveFeatures(grants, [], { now, licenseStart: now - 10 * 86_400_000, subscription: undefined })
})
const told = (before: UnderPolicy, after: UnderPolicy) =>
  policyDifferences(before, after).map((difference) => {
    if (difference.kind === "feature") {
      const terms = ({ enabled, max_consumptions = "-", overage = "-", period = "-" }: Record<string, unknown> = {}) =>
        enabled === undefined ? "none" : `${enabled === true ? "on" : "off"} ${max_consumptions} ${period} ${overage}`
      return `${difference.feature_code} ${difference.change}: ${terms(difference.before)} > ${terms(difference.after)}`
    }
    assert.isTrue(difference.kind === "term" || difference.kind === "license")
    const { after, before, kind, name } = difference as {
      before?: unknown
      after?: unknown
      kind: string
      name: string
    }
    return `${kind} ${name}: ${String(before)} > ${String(after)}`
  })

describe("what differs between two policies of a license", () => {
  it("is nothing where all is the same", () => {
    const same = under({ expires_at: "2027-01-01T00:00:00.000Z" }, { max_activations: 3 }, [granted("render")])
    assert.deepStrictEqual(policyDifferences(same, same), [])
  })

  it("is each rule, and each member that people ask for", () => {
    assert.deepStrictEqual(
      told(
        under({ policy_id: "a", entitlement_version: 1, expires_at: "x", ends_without_grace: true }, {
          max_activations: 3,
          allow_vm: true,
          duration: "P1Y"
        }),
        under({ policy_id: "b", entitlement_version: 2, status: "expired", follows_subscription: true }, {
          max_activations: 25,
          allow_vm: false,
          max_floating_users: 0
        })
      ),
      [
        "term max_activations: 3 > 25",
        "term allow_vm: true > false",
        "term max_floating_users: undefined > 0",
        "term duration: P1Y > undefined",
        "license status: active > expired",
        "license expires_at: x > undefined",
        "license follows_subscription: undefined > true",
        "license ends_without_grace: true > undefined"
      ]
    )
  })

  it.each(
    [
      ["gained", [], [granted("a", { quota: 0 })], ["a gained: none > on 0 - -"]],
      ["lost", [granted("a", { quota: 5, period: "day" })], [], ["a lost: on 5 day - > none"]],
      ["switched off", [granted("a")], [granted("a", { enabled: false })], ["a lost: on - - - > off - - -"]],
      ["switched on", [granted("a", { enabled: false })], [granted("a")], ["a gained: off - - - > on - - -"]],
      ["another quota", [granted("a", { quota: 5 })], [granted("a", { quota: 6 })], ["a changed: on 5 - - > on 6 - -"]],
      ["another period", [granted("a", { quota: 5 })], [granted("a", { quota: 5, period: "month" })], [
        "a changed: on 5 - - > on 5 month -"
      ]],
      ["another overage", [granted("a", { quota: 5 })], [granted("a", { quota: 5, overage: "10%" })], [
        "a changed: on 5 - - > on 5 - 10%"
      ]],
      ["of no use before and after", [granted("a", { enabled: false })], [], []],
      ["over already", [granted("a")], [granted("a", { expires_after: "P9D" })], ["a lost: on - - - > off - - -"]],
      ["not over yet", [granted("a")], [granted("a", { expires_after: "P11D" })], []],
      ["in the order of their codes", [granted("c"), granted("b")], [granted("d"), granted("a")], [
        "a gained: none > on - - -",
        "b lost: on - - - > none",
        "c lost: on - - - > none",
        "d gained: none > on - - -"
      ]]
    ] as const
  )("features: %s", (_name, before, after, expected) => {
    assert.deepStrictEqual(told(under({}, {}, before), under({}, {}, after)), [...expected])
  })
})
