import { assert, describe, it } from "@effect/vitest"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { offlineEntitlementOf, offlineSnapshot } from "../../../../src/domain/licensing/offline/OfflineFile.ts"
import { offlineAad, offlineSizes } from "../../../../src/domain/licensing/offline/OfflineFormat.ts"
import { snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const day = 86_400_000
const addressee = { deviceId: "dev_2", fingerprintHash: "ab", nonce: undefined }
const snapshot = { ...snapshotOf(snapshotRow({})), offline_grace_days: 30 }

describe("the snapshot that an offline file is made from", () => {
  it.each([
    ["the days of files", 7, 7],
    ["no days at all", 0, 0],
    ["the grace days, where files have none of their own", undefined, 30]
  ])("lasts %s", (_, offline_file_days, days) => {
    const file = offlineSnapshot({ ...snapshot, offline_file_days })
    assert.deepInclude(file, { device_status: "active", device_floating: false, offline_grace_days: days })
  })
})

describe("an offline entitlement", () => {
  it.each([1, 30, 365])("lasts %d grace days to the millisecond, and asks for nothing before", (offline_grace_days) => {
    const sealed = offlineEntitlementOf({ ...snapshot, offline_grace_days }, addressee, undefined, 4)
    const until = new Date(snapshot.now.getTime() + offline_grace_days * day).toISOString()
    assert.deepInclude(sealed, { valid_until: until, next_check_at: until, offline_counter: 4, device_id: "dev_2" })
  })

  it("names its file where it is one", () => {
    assert.strictEqual(offlineEntitlementOf(snapshot, addressee, "1.0", 1, "ofl_1").offline_file_id, "ofl_1")
    assert.notProperty(offlineEntitlementOf(snapshot, addressee, "1.0", 1), "offline_file_id")
  })

  it("is sealed with 32 bytes of salt and 12 of nonce, and for its key and its device", () => {
    assert.deepStrictEqual(offlineSizes, { salt: 32, nonce: 12 })
    assert.strictEqual(offlineAad("sig_1", "dev_1"), "sig_1dev_1")
  })
})
