import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { LicenseFeature } from "../../../../src/domain/catalog/Feature.ts"
import { PolicyFeature } from "../../../../src/domain/catalog/PolicyFeature.ts"
import { codesIn, deviceIn, grantsIn, licenseIn, ownIn } from "../../../../src/domain/evidence/audit/LastEvents.ts"
import type { LastEvent } from "../../../../src/domain/evidence/audit/LastEvents.ts"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { Device } from "../../../../src/domain/licensing/licenses/Device.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"

const event = (event_type: string, place: bigint, data: object): LastEvent => ({
  event_type,
  place,
  data: data as LastEvent["data"]
})

const license = exampleOf(License)
const device = exampleOf(Device)
const feature = exampleOf(LicenseFeature)

const ungranted = { id: "feat_1", code: "f", grants: [] }

describe("a resource in its last event", () => {
  it("is what the event says of it, and nothing of what else it shows", () => {
    assert.deepStrictEqual(licenseIn(event("license.activated", 1n, { ...license, device, custom_field: {} })), license)
    assert.deepStrictEqual(
      codesIn(event("product.updated", 1n, { code: "new", former_codes: ["old"], name: "Acme" })),
      { code: "new", former_codes: ["old"] }
    )
  })

  it("is a defect where a member has another type than ever", () => {
    assert.throws(() => licenseIn(event("license.created", 1n, { ...license, expires_at: 5 })), /expires_at/)
  })

  it("may be beyond a bound of today: the log cannot be corrected", () => {
    const early = { ...license, metadata: { note: "x".repeat(100_000) }, entitlement_version: -1 }
    assert.isFalse(Schema.is(License)(early))
    assert.strictEqual(licenseIn(event("license.created", 1n, early)).entitlement_version, -1)
  })

  it("needs no member of an earlier release's that nothing is decided by", () => {
    const { metadata: _metadata, feature_name: _name, ...early } = exampleOf(PolicyFeature)
    assert.lengthOf(grantsIn(event("policy.feature_assigned", 1n, early)), 1)
    const { metadata: _, feature_name: __, license_id: ___, ...own } = feature
    assert.lengthOf(ownIn(event("license.feature_assigned", 1n, own), undefined, ungranted), 1)
  })
})

describe("what a policy grants of a feature", () => {
  it("is nothing before it is assigned, and after it is removed", () => {
    assert.deepStrictEqual(grantsIn(undefined), [])
    assert.deepStrictEqual(grantsIn(event("policy.feature_removed", 2n, exampleOf(PolicyFeature))), [])
  })
})

describe("what a license has of a feature", () => {
  const assigned = event("license.feature_assigned", 5n, {
    ...feature,
    max_consumptions: 30,
    credits: 10,
    credits_start: "2026-11-01T00:00:00.000Z",
    total_consumptions: 4,
    expires_at: "2027-01-01T00:00:00.000Z",
    enabled: false
  })
  const used = (place: bigint) =>
    event("license.usage_recorded", place, {
      ...feature,
      total_consumptions: 9,
      period_start: "2026-11-01T00:00:00.000Z",
      period_consumptions: 7
    })
  const removed = event("license.feature_removed", 6n, feature)
  const own = { assigned: true, enabled: false, quota: 20, credits: 10, expires_at: Date.UTC(2027, 0) }

  it.each<readonly [string, LastEvent | undefined, LastEvent | undefined, object | undefined]>([
    ["nothing without an event", undefined, undefined, undefined],
    ["its assignment, without the credits in the quota", assigned, undefined, { ...own, consumed: 4 }],
    ["its assignment, with the count of a later use", assigned, used(7n), { ...own, consumed: 9, period_consumed: 7 }],
    ["its assignment, with its own count after an earlier use", assigned, used(3n), { ...own, consumed: 4 }],
    ["nothing once it is removed", removed, used(3n), undefined],
    [
      "a count alone where the policy grants it, used after it was removed",
      removed,
      used(7n),
      { assigned: false, enabled: true, quota: null, consumed: 9, period_start: Date.UTC(2026, 10) }
    ],
    ["a count alone where it was never assigned", undefined, used(1n), { assigned: false, quota: null, consumed: 9 }],
    [
      "not assigned, where a correction shows what the policy grants",
      event("license.usage_reset", 8n, { ...feature, from: "policy", total_consumptions: 0 }),
      used(7n),
      { assigned: false, consumed: 0 }
    ]
  ])("is %s", (_, assignment, use, expected) => {
    const found = ownIn(assignment, use, ungranted)
    assert.lengthOf(found, expected === undefined ? 0 : 1)
    if (expected !== undefined) assert.deepInclude(found[0], expected)
  })
})

describe("a device in its last events", () => {
  const named = { board: "9f86d081884c7d65" }
  const changed = (place: bigint) =>
    event("device.components_changed", place, { device: { ...device, binding_key: "new" }, components: named })
  const reset = (place: bigint) => event("device.reset", place, { ...device, status: "reset" })

  it.each<readonly [string, ReadonlyArray<LastEvent>, object | undefined]>([
    ["none without an event", [], undefined],
    ["as an event of its own shows it", [reset(1n)], { device: { ...device, status: "reset" }, components: {} }],
    [
      "as an event of its seat shows it",
      [event("license.activated", 1n, { ...license, device })],
      { device, components: {} }
    ],
    [
      "without a seat where only its components are told",
      [changed(1n)],
      { device: { ...device, binding_key: "new", status: "deactivated" }, components: named }
    ],
    [
      "with the fingerprint of a later change, and its own status",
      [reset(1n), changed(2n)],
      { device: { ...device, binding_key: "new", status: "reset" }, components: named }
    ],
    [
      "with the fingerprint that its own later event shows",
      [changed(1n), reset(2n)],
      { device: { ...device, status: "reset" }, components: named }
    ]
  ])("is %s", (_, last, expected) => assert.deepStrictEqual(deviceIn(last), expected))
})
