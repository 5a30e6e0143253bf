import { assert, describe, it } from "@effect/vitest"
import {
  entitlementOf,
  grantsOf,
  subjectOf,
  validUntil
} from "../../../../src/domain/licensing/entitlements/Entitlement.ts"
import { leaseAnswerOf } from "../../../../src/domain/licensing/entitlements/Lease.ts"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { offlineEntitlementOf } from "../../../../src/domain/licensing/offline/OfflineFile.ts"
import { snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const now = Date.parse("2026-03-29T00:30:00Z")
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const snapshot = snapshotOf(snapshotRow({
  features: [
    {
      id: "feat_1",
      code: "export",
      enabled: true,
      expires_at: null,
      quota: 10,
      consumed: 12,
      product: null,
      more: null
    },
    {
      id: "feat_2",
      code: "print",
      enabled: false,
      expires_at: null,
      quota: null,
      consumed: 5,
      product: null,
      more: null
    }
  ]
}))

const addressee = { deviceId: "dev_2", fingerprintHash: "ab", nonce: undefined }

const after = (millis: number): Date => new Date(now + millis)

describe("validUntil", () => {
  it.each([
    { title: "two intervals", given: {}, is: after(2 * hour) },
    { title: "the end of the license", given: { expires_at: after(hour) }, is: after(hour) },
    { title: "the end of its grace", given: { expires_at: after(-day + hour), grace_period_days: 1 }, is: after(hour) },
    { title: "a minute, once it has ended", given: { expires_at: after(-day) }, is: after(minute) }
  ])("$title", ({ given, is }) => {
    assert.deepStrictEqual(validUntil({ ...snapshot, ...given }), is)
  })
})

describe("subjectOf", () => {
  it("speaks about the addressee, also when the snapshot knows another device", () => {
    const data = subjectOf(snapshot, { ...addressee, nonce: "n-12345678" })
    assert.deepInclude(data, {
      device_id: "dev_2",
      fingerprint_hash: "ab",
      nonce: "n-12345678",
      status: "active",
      entitlement_version: 3,
      issued_at: after(0).toISOString()
    })
    assert.notProperty(data, "expires_at")
    assert.notProperty(subjectOf(snapshot, addressee), "nonce")
  })
})

describe("grantsOf", () => {
  it("shows use only of features with a quota, and never less than nothing as left", () => {
    assert.deepStrictEqual(grantsOf(snapshot, undefined), {
      features: [
        { code: "export", consumed: 12, enabled: true, quota: 10, remaining: 0 },
        { code: "print", enabled: false }
      ]
    })
  })

  it("judges a version only where the caller names one", () => {
    assert.deepStrictEqual(grantsOf(snapshot, "4.2.0").version_eligibility, {
      app_version: "4.2.0",
      is_entitled: true,
      enforced: false
    })
  })
})

describe("entitlementOf", () => {
  it.each([
    { title: "after the interval", chance: 0, given: {}, is: after(hour) },
    { title: "up to a tenth earlier", chance: 1, given: {}, is: after(54 * minute) },
    {
      title: "not after the answer has ended",
      chance: 0,
      given: { expires_at: after(5 * minute) },
      is: after(5 * minute)
    }
  ])("asks for the next check $title", ({ chance, given, is }) => {
    const { next_check_at } = entitlementOf({ ...snapshot, ...given }, addressee, undefined, chance)
    assert.strictEqual(next_check_at, is.toISOString())
  })
})

describe("offlineEntitlementOf", () => {
  it("lasts for the offline grace days, and asks for nothing before", () => {
    const until = after(30 * day).toISOString()
    assert.deepInclude(offlineEntitlementOf(snapshot, addressee, undefined, 4), {
      valid_until: until,
      next_check_at: until,
      offline_counter: 4
    })
  })
})

describe("leaseAnswerOf", () => {
  const lease = { token: "csl_1", expiresAt: after(15 * minute) }

  it("lasts as long as the lease", () => {
    const { lease_expires_at, valid_until } = leaseAnswerOf(snapshot, addressee, undefined, lease)
    assert.strictEqual(lease_expires_at, lease.expiresAt.toISOString())
    assert.strictEqual(valid_until, lease_expires_at)
  })

  it("grants nothing without a token", () => {
    const granted = leaseAnswerOf(snapshot, addressee, undefined, lease)
    assert.strictEqual(granted.lease_token, "csl_1")
    assert.lengthOf(granted.features ?? [], 2)
    assert.doesNotHaveAnyKeys(leaseAnswerOf(snapshot, addressee, undefined, { ...lease, token: undefined }), [
      "lease_token",
      "features",
      "version_eligibility"
    ])
  })
})
