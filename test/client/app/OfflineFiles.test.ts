import { assert, describe, it } from "@effect/vitest"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { day, hour } from "../../fixtures/AppVendor.ts"

/** A machine without a network, to which its vendor mails a file. */
const alone = () => {
  const made = place()
  made.vendor.weather = "down"
  return made
}

describe("an app with an offline file", () => {
  it("runs by it without a network, at its next start too, and stops at its end by name", async () => {
    const { clock, open, vendor } = alone()
    const license = await open()
    const file = vendor.file("machine-1", 1)
    assert.strictEqual(await codeOf(license.keepOffline(file)), "NO_LICENSE")
    // As a mail program hands it on.
    const mailed = new TextEncoder().encode(`\ufeff> ${file.match(/.{1,76}/g)!.join("\r\n> ")}\r\n`)
    const standing = await license.keepOffline(mailed, ` ${vendor.key.toLowerCase()} `)
    assert.strictEqual(short(standing), "offline offline_envelope runs")
    assert.strictEqual(standing.until?.getTime(), clock.truth() + 30 * day)
    assert.strictEqual(short(await license.check()), "offline offline_envelope runs")
    await clock.pass(30 * day)
    assert.strictEqual(short(await (await open()).check()), "offline offline_envelope runs")
    await clock.pass(1)
    const later = await open()
    assert.strictEqual(short(later.standing), "expired offline_over stops")
    assert.strictEqual(short(await later.check()), "expired offline_over stops")
    assert.strictEqual(short(await later.keepOffline(vendor.file("machine-1", 2))), "offline offline_envelope runs")
  })

  it("refuses another by its name, and keeps what it has", async () => {
    const { clock, open, vendor } = alone()
    const expired = vendor.file("machine-1", 3)
    await clock.pass(31 * day)
    const license = await open()
    const refused = async (file: string, key = vendor.key) => codeOf(license.keepOffline(file, key))
    assert.strictEqual(await refused(expired), "expired")
    assert.strictEqual(short(license.standing), "unlicensed no_license stops")
    await license.keepOffline(vendor.file("machine-1", 5), vendor.key)
    assert.strictEqual(await refused(vendor.file("machine-2", 6)), "device_mismatch")
    assert.strictEqual(await refused(vendor.file("machine-1", 6, { product_code: "acme-photo" })), "product_mismatch")
    assert.strictEqual(await refused(vendor.file("machine-1", 4)), "rolled_back")
    assert.strictEqual(await refused(vendor.file("machine-1", 6), "ABCD-EFGH-1234"), "cannot_decrypt")
    assert.strictEqual(await refused(vendor.file("machine-1", 6), "CS-typo"), "LICENSE_KEY_MALFORMED")
    assert.strictEqual(await refused("<html>"), "malformed")
    vendor.rotate("sig_second")
    assert.strictEqual(await refused(vendor.file("machine-1", 6)), "unknown_key")
    assert.strictEqual(short(license.standing), "offline offline_envelope runs")
    assert.strictEqual(short((await open()).standing), "offline offline_envelope runs")
  })

  it("gains no time by a clock that is set back, and runs on one that was never set", async () => {
    const { clock, open, vendor } = alone()
    clock.set(-365 * day)
    const license = await open()
    assert.strictEqual(
      short(await license.keepOffline(vendor.file("machine-1", 1), vendor.key)),
      "offline offline_envelope runs"
    )
    assert.isTrue(license.standing.isClockSetBack)
    await clock.pass(30 * day + 1)
    assert.strictEqual(short(await license.check()), "expired offline_over stops")
    assert.strictEqual(short((await open()).standing), "expired offline_over stops")
  })

  it("goes by what the service signed last: a refusal stops it, a later file lifts that, an earlier one does not", async () => {
    const { clock, open, vendor } = alone()
    const early = vendor.file("machine-1", 1)
    const license = await open()
    await license.keepOffline(early, vendor.key)
    await clock.pass(hour)
    vendor.weather = "up"
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "suspended" }
    assert.strictEqual(short(await license.check()), "suspended suspended stops")
    vendor.weather = "down"
    assert.strictEqual(short((await open()).standing), "suspended suspended stops")
    assert.strictEqual(await codeOf(license.keepOffline(early)), "LICENSE_INACTIVE")
    assert.strictEqual(short(license.standing), "suspended suspended stops")
    await clock.pass(hour)
    assert.strictEqual(short(await license.keepOffline(vendor.file("machine-1", 2))), "offline offline_envelope runs")
    assert.strictEqual(short((await open()).standing), "offline offline_envelope runs")
    vendor.weather = "up"
    assert.strictEqual(short(await license.check()), "suspended suspended stops")
  })

  it("is active while the service confirms it, and goes on by the file when that is away", async () => {
    const { activated, clock, vendor } = place()
    const license = await activated()
    assert.strictEqual(short(await license.keepOffline(vendor.file("machine-1", 1))), "active confirmed runs")
    vendor.weather = "down"
    await clock.pass(20 * day)
    assert.strictEqual(short(await license.check()), "offline offline_envelope runs")
  })
})
