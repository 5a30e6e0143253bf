import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../../../src/api/composition/docs/OpenApi.ts"
import type { Feature, FeatureValue, LicenseFeature, PolicyFeature } from "../../../../src/client/api/index.ts"
import { kindText, sentValue, valueText, wrongValue } from "../../../../src/console/catalog/features/FeatureKinds.ts"
import type { FeatureKind } from "../../../../src/console/catalog/features/FeatureKinds.ts"
import {
  grantOf,
  grantText,
  isComplete,
  licenseGrant,
  noGrant,
  noOwnFeature,
  ownFeatureOf,
  policyGrant
} from "../../../../src/console/catalog/features/GrantDraft.ts"
import { none } from "../../../../src/console/catalog/policies/PolicyDraft.ts"

const { LicenseFeatureAssignRequest, PolicyFeatureAssignRequest } =
  openApiDocument("https://licenses.example.com", "1").components.schemas

const feature: Feature = {
  id: "feat_1",
  product_id: "prod_1",
  code: "projects",
  name: "Projects",
  value_type: "integer",
  metadata: {},
  created_at: "2026-11-21T10:30:00.000Z",
  updated_at: "2026-11-21T10:30:00.000Z"
}

const entered = {
  featureId: feature.id,
  isOn: false,
  value: "10",
  quota: "1000",
  period: "month",
  overage: "10%",
  thresholds: "80, 100",
  rests: "10",
  carried: "200",
  carriedFor: "2",
  ends: "P1Y",
  metadata: "{\"a\":1}"
}

const granted: PolicyFeature = {
  policy_id: "pol_1",
  feature_id: feature.id,
  feature_code: "projects",
  feature_name: "Projects",
  enabled: true,
  value: 10,
  max_consumptions: 1000,
  period: "month",
  metadata: {}
}

describe("a feature as a policy grants it", () => {
  it("has a control for each member of the request, which is sent as it is entered", () => {
    const body = policyGrant(noGrant, entered, feature)
    assert.sameMembers(Object.keys(body), Object.keys(PolicyFeatureAssignRequest.properties))
    assert.deepStrictEqual(body, {
      feature_id: feature.id,
      enabled: false,
      value: 10,
      max_consumptions: 1000,
      period: "month",
      overage: "10%",
      quota_thresholds: [80, 100],
      remaining_thresholds: [10],
      rollover: { cap: 200, periods: 2 },
      expires_after: "P1Y",
      metadata: { a: 1 }
    })
  })

  it("sends what differs alone, and null for what is taken away: no quota is not 0", () => {
    const loaded = grantOf(granted)
    assert.deepStrictEqual(policyGrant(loaded, loaded, feature), { feature_id: feature.id })
    assert.deepStrictEqual(policyGrant(loaded, { ...loaded, quota: "0" }, feature), {
      feature_id: feature.id,
      max_consumptions: 0
    })
    assert.deepStrictEqual(policyGrant(loaded, { ...loaded, quota: "", value: "", period: "" }, feature), {
      feature_id: feature.id,
      max_consumptions: null,
      value: null,
      period: null
    })
  })

  it("is entered with the decimal places of the feature, and sent in its smallest steps", () => {
    const fine: Feature = { ...feature, decimals: 2 }
    const loaded = grantOf({ ...granted, decimals: 2, remaining_thresholds: [50] })
    assert.deepInclude(loaded, { quota: "10.00", rests: "0.50" })
    assert.deepStrictEqual(policyGrant(loaded, { ...loaded, quota: "12.5", rests: "0.25, 2" }, fine), {
      feature_id: feature.id,
      max_consumptions: 1250,
      remaining_thresholds: [25, 200]
    })
    for (const [quota, can] of [["12.5", true], ["0.005", false], ["12,5", false]] as const) {
      assert.strictEqual(isComplete({ ...loaded, quota }, fine), can, quota)
      assert.isFalse(isComplete({ ...loaded, quota: "1.5" }, feature))
    }
  })

  it.each<readonly [Partial<PolicyFeature>, string]>([
    [{}, "10 · 1,000 per month"],
    [{ decimals: 2 }, "10 · 10.00 per month"],
    [{ overage: "10%" }, "10 · 1,000 per month, 10% more"],
    [{ rollover: { cap: 200, periods: 1 } }, "10 · 1,000 per month, up to 200 carried"],
    [{ enabled: false }, "off"]
  ])("%o is in words: %s", (changes, text) => {
    assert.strictEqual(grantText({ ...granted, ...changes }), text)
  })
})

describe("a feature as a license has it", () => {
  const own: LicenseFeature = {
    ...granted,
    license_id: "lic_1",
    credits: 200,
    total_consumptions: 0,
    max_consumptions: 1200
  }

  it("has a control for each member of the request, which is sent as it is entered", () => {
    const body = licenseGrant(noOwnFeature, { ...entered, ends: "2031-01-15" }, feature)
    assert.sameMembers(Object.keys(body), Object.keys(LicenseFeatureAssignRequest.properties))
    assert.isAbove(Date.parse(body.expires_at ?? ""), 0)
  })

  it("leaves the credits that were added to its quota where they are", () => {
    const loaded = ownFeatureOf(own)
    assert.strictEqual(loaded.quota, "1000")
    assert.deepStrictEqual(licenseGrant(loaded, { ...loaded, value: "3" }, feature), {
      feature_id: feature.id,
      value: 3
    })
  })
})

describe("a value", () => {
  it.each<readonly [FeatureKind, string, FeatureValue | null]>([
    ["boolean", "false", false],
    ["integer", " -3 ", -3],
    ["integer", "", null],
    ["string", " text ", "text"],
    ["enum", "pro", "pro"],
    ["list", "a\n\n b ", ["a", "b"]]
  ])("of %s that is entered as %o is sent as %o", (kind, text, value) => {
    assert.deepStrictEqual(sentValue(kind, text), value)
  })

  it.each<readonly [FeatureValue | undefined, string]>([
    [undefined, "–"],
    [true, "yes"],
    [12_000, "12,000"],
    [[], "none"],
    [["a", "b"], "a, b"]
  ])("%o is in words: %s", (value, text) => assert.strictEqual(valueText(value), text))

  it("that is no whole number is said at its field, and the grant is not sent", () => {
    assert.strictEqual(wrongValue("integer", "many"), "Enter a whole number")
    const draft = { ...grantOf(granted), value: "many" }
    assert.isFalse(isComplete(draft, feature))
    assert.isTrue(isComplete({ ...draft, value: "0" }, feature))
    assert.isFalse(isComplete({ ...draft, value: "0", metadata: "[]" }, feature))
    assert.isFalse(isComplete({ ...draft, value: "0", carried: "5", carriedFor: "13" }, feature))
    assert.isFalse(isComplete(noGrant, undefined))
    assert.strictEqual(noGrant.overage, none)
  })

  it("is of a kind in words", () => {
    assert.strictEqual(kindText({ value_type: "enum", enum_options: ["basic", "pro"] }), "One of basic, pro")
    assert.strictEqual(kindText({}), "On or off, or counted")
  })
})
