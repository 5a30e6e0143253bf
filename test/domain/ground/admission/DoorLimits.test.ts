import { assert, describe, it } from "@effect/vitest"
import { bodyLimitOf, networkOf } from "../../../../src/domain/ground/admission/DoorLimits.ts"

describe("networkOf", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"]
  ])("of %s is %s", (address, network) => {
    assert.strictEqual(networkOf(address), network)
  })
})

describe("bodyLimitOf", () => {
  it("is 16 KiB where apps ask, and 256 KiB elsewhere", () => {
    assert.strictEqual(bodyLimitOf("/api/v1/license/validate"), 16 * 1024)
    assert.strictEqual(bodyLimitOf("/api/v1/licenses"), 256 * 1024)
  })
})
