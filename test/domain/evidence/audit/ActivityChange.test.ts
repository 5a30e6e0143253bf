import { assert, describe, it } from "@effect/vitest"
import { changesBetween, comparisonOf } from "../../../../src/domain/evidence/audit/ActivityChange.ts"
import { changesIn, scopeLackedFor, withoutPersonal } from "../../../../src/domain/evidence/audit/ActivityDetails.ts"
import type { StoredEvent } from "../../../../src/domain/evidence/audit/DeviceReplay.ts"
import { kinds } from "../../../../src/domain/log/EventKind.ts"
import type { EventKind } from "../../../../src/domain/log/EventKind.ts"

const event = (event_type: EventKind, data: object, more: Partial<StoredEvent> = {}): StoredEvent => ({
  event_type,
  resource_id: "x",
  metadata: "{}",
  data: JSON.stringify(data),
  commitments: null,
  personal: null,
  ...more
})

const whole = {
  id: "lic_1",
  status: "active",
  policy_id: "pol_1",
  active_device_count: 1,
  total_consumptions: 3,
  entitlement_version: 1,
  updated_at: "2026-01-01T00:00:00.000Z"
}

describe("what an activity changed", () => {
  it("is what its kind changes, and nothing that its event only repeats", () => {
    const later = {
      ...whole,
      total_consumptions: 9,
      active_device_count: 2,
      entitlement_version: 2,
      updated_at: "later"
    }
    assert.deepStrictEqual(
      changesBetween(event("license.suspended", { ...later, status: "suspended" }), event("license.created", whole)),
      [{ member: "status", before: "active", after: "suspended" }]
    )
    assert.deepStrictEqual(changesBetween(event("license.activated", later), event("license.created", whole)), [
      { member: "active_device_count", before: 1, after: 2 }
    ])
    assert.deepStrictEqual(changesBetween(event("license.expired", later), event("license.created", whole)), [])
  })

  it("has no side where there was no value, and none for an equal value", () => {
    const before = event("policy.created", { id: "pol_1", name: "Team", metadata: { b: 1, a: 2 } })
    const after = event("policy.updated", { id: "pol_1", duration: "P1Y", metadata: { a: 2, b: 1 } })
    assert.deepStrictEqual(changesBetween(after, before), [
      { member: "duration", after: "P1Y" },
      { member: "name", before: "Team" }
    ])
  })

  it("shows a personal value while it is kept, and never after it was erased", () => {
    const personal = (name: string) => ({
      commitments: { "/data/customer_name": "c" },
      personal: { "/data/customer_name": { salt: "s", value: name } }
    })
    const before = event("license.created", whole, personal("Ada"))
    const after = event("license.transferred", whole, personal("Bo"))
    const change = { member: "customer_name", before: "Ada", after: "Bo" }
    assert.deepStrictEqual(changesBetween(after, before), [change])
    assert.deepStrictEqual(changesBetween(after, withoutPersonal(before)), [{ member: "customer_name", after: "Bo" }])
    assert.deepStrictEqual(changesBetween(withoutPersonal(after), withoutPersonal(before)), [])
  })

  it("is of one feature, and of one custom field", () => {
    const assigned = (max_consumptions: number) =>
      event("license.feature_assigned", { feature_id: "feat_1", max_consumptions })
    assert.deepStrictEqual(changesBetween(assigned(9), assigned(5)), [{
      member: "max_consumptions",
      before: 5,
      after: 9
    }])
    assert.deepStrictEqual(
      changesBetween(event("license.feature_removed", { feature_id: "feat_1", max_consumptions: 9 }), assigned(9)),
      [{ member: "feature_id", before: "feat_1" }, { member: "max_consumptions", before: 9 }]
    )
    const region = (value: object) =>
      event("license.updated", { ...whole, custom_field: { definition_id: "fld_1", code: "region", ...value } })
    assert.deepStrictEqual(changesBetween(region({ cleared: true }), region({ string_value: "eu" })), [
      { member: "custom_fields.region", before: "eu" }
    ])
  })

  it("is not said of what was created, or where what was before is gone", () => {
    const renamed = event("product.updated", { name: "B" })
    const assigned = event("policy.feature_assigned", { feature_id: "feat_1" })
    assert.isUndefined(changesIn({ event: event("product.created", { name: "A" }), before: undefined, isCut: false }))
    assert.isUndefined(changesIn({ event: renamed, before: undefined, isCut: false }))
    assert.isUndefined(changesIn({ event: assigned, before: undefined, isCut: true }))
    assert.deepStrictEqual(changesIn({ event: assigned, before: undefined, isCut: false }), [
      { member: "feature_id", after: "feat_1" }
    ])
  })

  it("is shown of each kind to whoever may read its resource or the feed, and to nobody by report:read alone", () => {
    for (const kind of kinds) {
      const needed = scopeLackedFor(kind, new Set(["report:read"]))
      assert.isDefined(needed, kind)
      assert.isUndefined(scopeLackedFor(kind, new Set([needed!])), kind)
      assert.isUndefined(scopeLackedFor(kind, new Set(["event:read"])), kind)
    }
  })

  it("is found by events of the same resource alone", () => {
    for (const kind of kinds) {
      const [family] = kind.split(".")
      for (const other of comparisonOf(kind)?.kinds ?? []) assert.strictEqual(other.split(".")[0], family, kind)
    }
  })
})
