import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Credential from "../../../../src/domain/keys/security/Credential.ts"
import { keyElsewhere, LicenseKeyInput } from "../../../../src/domain/licensing/licenses/License.ts"
import { ownDeviceOf } from "../../../../src/domain/licensing/licenses/OwnDevice.ts"

const [live, test] = (["live", "test"] as const).map((environment) =>
  Credential.formatLicenseKey(new Uint8Array(15).fill(7), environment)
) as [string, string]

const mistyped = `${live.slice(0, -1)}${live.endsWith("A") ? "B" : "A"}`

const isTaken = (key: string) => Schema.decodeUnknownExit(LicenseKeyInput)(key)._tag === "Success"

describe("a license key that a license is created with", () => {
  it.each<[boolean, string, string]>([
    [true, "one of this service", live],
    [true, "one of its test environment", test],
    [true, "one of another system", "ACME-2019-4711"],
    [true, "the shortest", "x".repeat(8)],
    [false, "a shorter one", "x".repeat(7)],
    [true, "the longest", "x".repeat(1000)],
    [false, "a longer one", "x".repeat(1001)],
    [false, "one with a space", "ACME 2019 4711"],
    [false, "one that looks like one of this service, and is mistyped", mistyped],
    [false, "a management token", Credential.formatManagementToken(new Uint8Array(32).fill(7))],
    [false, "a publishable key", Credential.formatPublishableKey(new Uint8Array(16).fill(7))]
  ])("may be (%s) %s", (is, _, key) => {
    assert.strictEqual(isTaken(key), is)
  })

  it("is none of another environment, where every request with it would go", () => {
    const codes = (key: string | undefined, own: "live" | "test") => keyElsewhere(key, own).map(({ code }) => code)
    assert.deepStrictEqual([codes(live, "live"), codes(test, "test")], [[], []])
    assert.deepStrictEqual([codes(live, "test"), codes(test, "live")], [["other_environment"], ["other_environment"]])
    assert.deepStrictEqual([codes(undefined, "live"), codes("ACME-2019-4711", "test")], [[], []])
  })
})

describe("a device, to who has the key", () => {
  const device = {
    id: "dev_1",
    binding_kind: "hardware",
    status: "active",
    last_seen_at: "2026-03-29T00:00:00.000Z"
  } as const

  it("is named by its name, else by its host, and says whether it is the one that asks, where one does", () => {
    assert.deepStrictEqual<unknown>(ownDeviceOf(device), device)
    assert.deepInclude(ownDeviceOf({ ...device, hostname: "host" }), { name: "host" })
    assert.deepInclude(ownDeviceOf({ ...device, hostname: "host", name: "Studio" }), { name: "Studio" })
    assert.deepStrictEqual([ownDeviceOf(device, "dev_1").is_this, ownDeviceOf(device, "dev_2").is_this], [true, false])
    assert.deepInclude(ownDeviceOf({ ...device, seat_held_until: "2026-04-01T00:00:00.000Z" }), {
      seat_held_until: "2026-04-01T00:00:00.000Z"
    })
  })
})
