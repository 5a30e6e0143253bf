import { assert, describe, it } from "@effect/vitest"
import type { LicenseOptions } from "../../../src/client/app/index.ts"
import { memoryStore } from "../../../src/client/app/index.ts"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { day, hour } from "../../fixtures/AppVendor.ts"

/** A license key of the test environment, as it is issued there. */
const testKey = "CST-000G4-0R40M-30E20-9185G-R38EC"

/** A place whose service signs as the test environment does. */
const placeOfTest = () => {
  const found = place()
  found.vendor.more = { environment: "test" }
  return found
}

const forTests: Partial<LicenseOptions> = { allowTest: true }
const refused = "unlicensed other_environment stops"

describe("an app for customers", () => {
  it("sends no key and no publishable key of the test environment, and says which environment they are of", async () => {
    const { open, store, vendor } = place()
    const license = await open()
    for (
      const attempt of [
        () => license.activate(`License key: ${testKey.toLowerCase()}`),
        () => license.acquire(testKey),
        () => license.startTrial("cpk_test_000SYW7RiJxkEgOGusQGwp2g3V2T")
      ]
    ) {
      const error = await attempt().then(() => undefined, (reason: unknown) => reason)
      assert.instanceOf(error, Error)
      assert.strictEqual((error as { readonly code?: unknown }).code, "environment_mismatch")
      assert.match(error.message, /of the test environment/)
      assert.strictEqual(short(license.standing), refused)
      assert.strictEqual(license.standing.error?.code, "environment_mismatch")
    }
    assert.strictEqual(await codeOf(license.devices()), "environment_mismatch")
    assert.strictEqual(short(await (await open({ licenseKey: testKey })).check()), refused)
    assert.deepStrictEqual(vendor.asked, [])
    assert.isUndefined(store.text)
  })

  it("keeps nothing of an answer of the test environment, and takes no seat for good", async () => {
    const { open, store, vendor } = placeOfTest()
    const license = await open()
    assert.strictEqual(await codeOf(license.activate(vendor.key)), "environment_mismatch")
    assert.strictEqual(short(license.standing), refused)
    assert.strictEqual(await codeOf(license.acquire(vendor.key)), "environment_mismatch")
    assert.isUndefined(license.standing.data)
    assert.isUndefined(store.text)
    assert.strictEqual(short((await open()).standing), "unlicensed no_license stops")
  })

  it("goes on by its license, until its limits, whatever the test environment says of it", async () => {
    const { activated, clock, vendor } = place()
    const license = await activated()
    vendor.more = { environment: "test" }
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(license.standing.error?.code, "environment_mismatch")
    assert.strictEqual((await license.consume("export", 1)).state, "pending")
    assert.strictEqual(await codeOf(license.deactivate()), "environment_mismatch")
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked", statement: { environment: "test" } }
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(license.standing.error?.code, "environment_mismatch")
    await clock.pass(2 * day + 1)
    assert.strictEqual(short(await license.check()), "grace unreachable runs")
    await clock.pass(7 * day)
    assert.isFalse((await license.check()).mayRun)
    vendor.refusal = undefined
    vendor.more = {}
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })

  it("does not run by what an app for tests kept, or by its files", async () => {
    const { open, store, vendor } = placeOfTest()
    const tested = await open(forTests)
    assert.strictEqual(short(await tested.activate(vendor.key)), "active confirmed runs")
    const file = vendor.file("machine-1", 9, { environment: "test" })
    await tested.keepOffline(file, vendor.key)
    const license = await open()
    assert.strictEqual(short(license.standing), refused)
    assert.isUndefined(license.standing.data)
    vendor.weather = "down"
    assert.strictEqual(short(await license.check()), refused)
    assert.strictEqual(await codeOf(license.keepOffline(file, vendor.key)), "environment_mismatch")
    assert.strictEqual(short(license.standing), refused)
    vendor.weather = "up"
    vendor.more = {}
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.isString(store.text)
  })
})

describe("an app for tests", () => {
  it("runs on licenses of the test environment, and is stopped by its refusals", async () => {
    const { open, vendor } = placeOfTest()
    const license = await open(forTests)
    assert.strictEqual(short(await license.activate(vendor.key)), "active confirmed runs")
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked", statement: { environment: "test" } }
    assert.strictEqual(short(await license.check()), "revoked revoked stops")
    assert.strictEqual(short((await open(forTests)).standing), "revoked revoked stops")
    assert.strictEqual(short((await open()).standing), refused)
  })

  it("takes the time of the test environment, whose clock is ahead, and does not call its own set back", async () => {
    const { clock, open, vendor } = placeOfTest()
    const license = await open(forTests)
    // The test environment has gone ahead by 100 days, and this machine has not.
    clock.set(-100 * day)
    assert.strictEqual(short(await license.activate(vendor.key)), "active confirmed runs")
    assert.isFalse(license.standing.isClockSetBack)
    assert.isFalse((await open(forTests)).standing.isClockSetBack)
    vendor.weather = "down"
    await clock.pass(2 * day + hour)
    // An app that was not running meanwhile knows it too.
    assert.strictEqual(short(await (await open(forTests)).check()), "grace unreachable runs")
    await clock.pass(7 * day)
    const late = await (await open(forTests)).check()
    assert.strictEqual(short(late), "expired grace_over stops")
    assert.isFalse(late.isClockSetBack)
    // One of the live environment is judged as ever: there a clock so far behind was set back.
    const live = place()
    const customer = await live.open({ ...forTests, store: memoryStore() })
    live.clock.set(-100 * day)
    await customer.activate(live.vendor.key)
    assert.isTrue(customer.standing.isClockSetBack)
  })

  it("takes over a file that was issued later than its own clock says", async () => {
    const { clock, open, vendor } = place()
    const file = vendor.file("machine-1", 1, { environment: "test" })
    clock.set(-100 * day)
    const license = await open(forTests)
    assert.strictEqual(short(await license.keepOffline(file, vendor.key)), "offline offline_envelope runs")
    assert.isFalse(license.standing.isClockSetBack)
  })
})
