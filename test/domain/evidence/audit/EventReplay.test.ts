import { assert, describe, it } from "@effect/vitest"
import { erased } from "../../../../src/domain/evidence/audit/DeviceReplay.ts"
import type { StoredEvent } from "../../../../src/domain/evidence/audit/DeviceReplay.ts"
import { makeEventReplay } from "../../../../src/domain/evidence/audit/EventReplay.ts"
import type { EventKind } from "../../../../src/domain/log/EventKind.ts"

const event = (
  event_type: EventKind,
  data: object,
  more: Partial<StoredEvent> & { readonly about?: object } = {}
): StoredEvent => ({
  event_type,
  resource_id: "lic_1",
  data: JSON.stringify(data),
  metadata: JSON.stringify(more.about ?? {}),
  commitments: null,
  personal: null,
  ...more
})

const license = { id: "lic_1", status: "active", entitlement_version: 1, active_device_count: 0, total_consumptions: 0 }
const created = event("license.created", license)
const device = { id: "dev_1", license_id: "lic_1", status: "active" }
const lease = { id: "lease_1", license_id: "lic_1", device_id: "dev_1", expires_at: "later" }
const out = event("lease.checked_out", { ...lease, status: "active", device }, { resource_id: "lease_1" })
const activated = event("license.activated", { ...license, device })
const ended = (status: string) =>
  event(status === "expired" ? "lease.expired" : "lease.checked_in", { ...lease, status, ended_at: "now" }, {
    resource_id: "lease_1"
  })

const replayed = (...events: ReadonlyArray<StoredEvent>) => {
  const replay = makeEventReplay()
  for (const one of [created, ...events]) replay.apply(one)
  return replay.rows()
}

const deviceAfter = (...events: ReadonlyArray<StoredEvent>) => {
  const rows = replayed(...events)
  const { floating, status } = rows.get("device")!.get("dev_1")!
  return `${status} ${floating ? "floating" : "seated"} ${rows.get("license")!.get("lic_1")!["active_device_count"]}`
}

describe("devices", () => {
  it("live with their lease when it alone brought them, and keep an activation seat beside it", () => {
    assert.strictEqual(deviceAfter(out), "active floating 0")
    assert.strictEqual(deviceAfter(out, ended("checked_in")), "deactivated floating 0")
    assert.strictEqual(deviceAfter(out, ended("expired")), "expired floating 0")
    assert.strictEqual(deviceAfter(out, activated, ended("released")), "active seated 1")
    assert.strictEqual(deviceAfter(activated, out, ended("expired")), "active seated 1")
    assert.strictEqual(deviceAfter(out, ended("expired"), out), "active floating 0")
  })

  it("are freed by a revocation, whatever they had", () => {
    const revoked = event("license.revoked", { ...license, status: "revoked", entitlement_version: 2 })
    assert.strictEqual(deviceAfter(activated, revoked), "deactivated seated 0")
    assert.strictEqual(deviceAfter(out, ended("revoked"), revoked), "deactivated floating 0")
    const { entitlement_version, state } = replayed(revoked).get("license")!.get("lic_1")!
    assert.deepStrictEqual({ entitlement_version, state }, { entitlement_version: 2, state: "revoked" })
  })
})

describe("licenses", () => {
  it("are changed by what an event is about and not by what it mentions", () => {
    const stray = {
      ...license,
      expires_at: "2030",
      customer_email: "x",
      license_key_last4: "LAST",
      status: "suspended"
    }
    const after = (kind: EventKind, more: object = {}) =>
      replayed(event(kind, { ...stray, ...more }, { about: { previous_key_expires_at: "2029" } }))
        .get("license")!.get("lic_1")!
    const seen = (kind: EventKind, more: object = {}) => {
      const row = after(kind, more)
      return ["expires_at", "customer_email", "license_key_last4"].filter((member) => row[member] !== undefined)
        .concat(row["state"] === "suspended" ? "state" : [])
    }
    assert.deepStrictEqual(seen("license.expiring"), [])
    assert.deepStrictEqual(seen("license.activated", { device }), [])
    assert.deepStrictEqual(seen("license.suspended"), ["state"])
    assert.deepStrictEqual(seen("license.renewed"), ["expires_at"])
    assert.deepStrictEqual(seen("license.transferred"), ["customer_email"])
    assert.deepStrictEqual(seen("license.key_rotated"), ["license_key_last4"])
    assert.deepStrictEqual(seen("license.updated"), ["expires_at", "customer_email"])
    assert.deepStrictEqual(seen("license.updated", { custom_field: { definition_id: "fld_1" } }), [])
  })

  it("have the sum of what was used, counted anew after a reset and after the feature was taken away", () => {
    const feature = (kind: EventKind, about: object = {}) =>
      event(kind, { license_id: "lic_1", feature_id: "feat_1", total_consumptions: 99 }, { about })
    const use = (amount: number) => event("license.usage_recorded", { feature_id: "feat_1", amount })
    const given = feature("license.feature_assigned")
    const total = (...events: ReadonlyArray<StoredEvent>) => {
      const rows = replayed(...events)
      return [
        rows.get("license")!.get("lic_1")!["total_consumptions"],
        rows.get("license_feature")!.get("lic_1/feat_1")?.["total_consumptions"]
      ]
    }
    assert.deepStrictEqual(total(given, use(2), use(3)), [5, 5])
    assert.deepStrictEqual(total(given, use(2), given, use(3)), [5, 5])
    assert.deepStrictEqual(total(given, use(2), feature("license.usage_reset", { reset_consumed: true }), use(3)), [
      5,
      3
    ])
    const corrected = feature("license.usage_reset", { total_consumptions: 7 })
    assert.deepStrictEqual(total(given, use(2), corrected, use(1)), [3, 8])
    assert.deepStrictEqual(total(given, use(2), feature("license.usage_reset", { add_credits: 1 })), [2, 2])
    assert.deepStrictEqual(total(given, use(2), feature("license.feature_removed"), given), [2, 0])
    assert.strictEqual(replayed(given, corrected).get("license")!.get("lic_1")!["entitlement_version"], 3)
  })

  it("end their replaced keys with the rotation that ends them first", () => {
    const rotated = (previous_key_expires_at: string) =>
      event("license.key_rotated", license, { about: { previous_key_expires_at } })
    assert.deepStrictEqual(
      replayed(rotated("2026-01-03"), rotated("2026-01-02"), rotated("2026-01-09")).get("license_key")!.get("lic_1"),
      { keys: 4, replaced_until: ["2026-01-02", "2026-01-02", "2026-01-09"] }
    )
  })
})

describe("personal values", () => {
  it("are put back where they are kept, and marked where they were erased", () => {
    const customer = (personal: StoredEvent["personal"]) =>
      replayed(event("customer.created", { id: "cus_1", code: "c" }, {
        resource_id: "cus_1",
        commitments: { "/data/email": "…", "/ip_address": "…" },
        personal
      })).get("customer")!.get("cus_1")
    assert.deepStrictEqual(customer({ "/data/email": { salt: "…", value: "a@b.example" } }), {
      id: "cus_1",
      code: "c",
      email: "a@b.example"
    })
    assert.deepStrictEqual(customer(null), { id: "cus_1", code: "c", email: erased })
  })
})
