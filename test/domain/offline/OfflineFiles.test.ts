import { assert, describe, it } from "@effect/vitest"
import { snapshotOf } from "../../../src/domain/entitlements/Snapshot.ts"
import { longestRequest, machineRequestOf } from "../../../src/domain/offline/MachineRequest.ts"
import { offlineEntitlementOf, offlineSnapshot } from "../../../src/domain/offline/Offline.ts"
import { offlineFileName, warningsAboutFile } from "../../../src/domain/offline/OfflineFile.ts"
import { offlineAad } from "../../../src/domain/offline/OfflineFormat.ts"
import { snapshotRow } from "../../fixtures/SnapshotRows.ts"

const day = 86_400_000

describe("the request of a machine", () => {
  it.each([
    { title: "a fingerprint", entered: "b8e1c6", is: { fingerprint: "b8e1c6" } },
    { title: "a fingerprint among blanks", entered: " b8e1c6\n", is: { fingerprint: "b8e1c6" } },
    {
      title: "JSON",
      entered: JSON.stringify({ fingerprint: "f", hostname: "h", os: "linux", product_code: "p" }),
      is: { fingerprint: "f", hostname: "h", os: "linux", product_code: "p" }
    },
    {
      title: "JSON that says more, for its own vendor",
      entered: `{"fingerprint": "f", "motherboard": "m"}`,
      is: { fingerprint: "f" }
    },
    { title: "nothing", entered: " ", is: undefined },
    { title: "JSON without a fingerprint", entered: `{"hostname": "h"}`, is: undefined },
    { title: "JSON with a blank one", entered: `{"fingerprint": " "}`, is: undefined },
    { title: "JSON that was cut off", entered: `{"fingerprint": "f"`, is: undefined },
    { title: "a fingerprint that is too long", entered: "x".repeat(256), is: undefined },
    { title: "the longest fingerprint", entered: "x".repeat(255), is: { fingerprint: "x".repeat(255) } },
    {
      title: "as much as is read",
      entered: `{"fingerprint": "f", "more": "`.padEnd(longestRequest - 2, "x") + "\"}",
      is: { fingerprint: "f" }
    },
    {
      title: "one character more",
      entered: `{"fingerprint": "f", "more": "`.padEnd(longestRequest - 1, "x") + "\"}",
      is: undefined
    }
  ])("may be $title", ({ entered, is }) => {
    assert.deepStrictEqual(machineRequestOf(entered), is)
  })
})

describe("a file", () => {
  const snapshot = snapshotOf(snapshotRow({}))
  const addressee = { deviceId: "dev_2", fingerprintHash: "ab", nonce: undefined }
  const untilOf = (days: number | undefined, expiry: Date | null) => {
    const own = days === undefined ? {} : { offline_file_days: days }
    const given = { ...snapshot, offline_grace_days: 7, expires_at: expiry, ...own }
    return offlineEntitlementOf(offlineSnapshot(given), addressee, undefined, 3, "ofl_1")
  }
  const at = (days: number): Date => new Date(snapshot.now.getTime() + days * day)

  it.each([
    { title: "its own days", days: 365, expiry: null, is: at(365) },
    { title: "the days of the policy where it has none", days: undefined, expiry: null, is: at(7) },
    { title: "the end of the license, if that is sooner", days: 365, expiry: at(30), is: at(30) },
    { title: "its own days, if those are sooner", days: 14, expiry: at(30), is: at(14) }
  ])("runs for $title", ({ days, expiry, is }) => {
    const entitlement = untilOf(days, expiry)
    assert.strictEqual(entitlement.valid_until, is.toISOString())
    assert.strictEqual(entitlement.next_check_at, is.toISOString())
    assert.deepInclude(entitlement, { offline_counter: 3, offline_file_id: "ofl_1", device_id: "dev_2" })
  })

  it("is decided as if its device had a seat for itself", () => {
    assert.deepInclude(offlineSnapshot({ ...snapshot, device_status: null, device_floating: true }), {
      device_status: "active",
      device_floating: false
    })
  })

  it("has no id where it is an envelope for a device that asked", () => {
    assert.notProperty(offlineEntitlementOf(snapshot, addressee, undefined, 1), "offline_file_id")
  })

  it("binds its key and its device", () => {
    assert.strictEqual(offlineAad("sig_1", "dev_2"), "sig_1dev_2")
  })

  it.each([
    { code: "acme-studio", is: "acme-studio-ofl_1.lic" },
    { code: "Acme Studio 2.0", is: "Acme-Studio-2.0-ofl_1.lic" },
    { code: "../../etc/passwd", is: "..-..-etc-passwd-ofl_1.lic" },
    { code: "a\"\r\nb", is: "a-b-ofl_1.lic" }
  ])("of the product $code is saved as $is", ({ code, is }) => {
    assert.strictEqual(offlineFileName(code, "ofl_1"), is)
  })

  it.each([
    { title: "never had another code", asked: {}, former: undefined, warns: false },
    { title: "had another, and none is named", asked: {}, former: ["old", "older"], warns: true },
    { title: "had another, and one is named", asked: { product_code: "old" }, former: ["old"], warns: false }
  ])("warns where its product $title: $warns", ({ asked, former, warns }) => {
    const request = { fingerprint: "f", license_key: "CS-1", ...asked }
    const codes = former === undefined ? { code: "new" } : { code: "new", former_codes: former }
    const warnings = warningsAboutFile(request, codes)
    assert.strictEqual(warnings.length === 1, warns)
    if (warns) assert.include(warnings[0]!.message, "old or older")
  })
})
