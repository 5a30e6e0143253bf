import { assert, describe, it } from "@effect/vitest"
import type { AppLicense } from "../../../src/client/app/index.ts"
import { memoryStore } from "../../../src/client/app/index.ts"
import { writeRecord } from "../../../src/client/license/LicenseRecord.ts"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { day, hour, storms } from "../../fixtures/AppVendor.ts"
import type { Weather } from "../../fixtures/AppVendor.ts"
import { chance } from "../../fixtures/Seeded.ts"

describe("an app whose service goes away", () => {
  it.each(storms)(
    "(%s) runs until valid_until, then until the grace ends, and at once again when it is back",
    async (storm) => {
      const { activated, clock, open, vendor } = place()
      await activated()
      vendor.weather = storm
      const license = await open()
      assert.strictEqual(short(license.standing), "active confirmed runs")
      assert.strictEqual(short(await license.check()), "active confirmed runs")
      await clock.pass(2 * day)
      assert.strictEqual(short(await license.check()), "active confirmed runs")
      await clock.pass(1)
      const grace = await license.check()
      assert.strictEqual(short(grace), "grace unreachable runs")
      assert.strictEqual(grace.until?.getTime(), clock.truth() - 1 + 7 * day)
      assert.isString(grace.error?.code)
      await clock.pass(7 * day - 1)
      assert.isTrue((await (await open()).check()).mayRun)
      await clock.pass(1)
      assert.strictEqual(short(await license.check()), "expired grace_over stops")
      assert.strictEqual(short((await open()).standing), "expired grace_over stops")
      vendor.weather = "up"
      assert.strictEqual(short(await license.check()), "active confirmed runs")
    }
  )

  it("knows values of features and custom fields while it may run, and none of a feature that is off or carries none", async () => {
    const { activated, clock, vendor } = place()
    const values = { edition: "pro", max_projects: 0, beta: false, regions: ["eu", "us"] }
    const fields = { order_number: "PO-4711", seats: 0, beta: false }
    vendor.more = {
      custom_fields: { ...fields, other: { a: 1 } },
      features: [
        ...Object.entries(values).map(([code, value]) => ({ code, enabled: true, value })),
        { code: "off", enabled: false, value: 1 },
        { code: "plain", enabled: true },
        { code: "strange", enabled: true, value: { a: 1 } }
      ]
    }
    const license = await activated()
    for (const [code, value] of Object.entries(values)) assert.deepStrictEqual(license.value(code), value)
    for (const code of ["off", "plain", "strange", "never"]) assert.isUndefined(license.value(code))
    for (const [code, value] of Object.entries(fields)) assert.strictEqual(license.customField(code), value)
    for (const code of ["other", "toString"]) assert.isUndefined(license.customField(code))
    vendor.weather = "down"
    await clock.pass(30 * day)
    await license.check()
    assert.isUndefined(license.customField("order_number"))
    assert.isUndefined(license.value("edition"))
  })

  it("uses up an amount that is given as text by the decimal places that the service signed", async () => {
    const { activated, vendor } = place()
    vendor.more = {
      features: [{ code: "hours", enabled: true, decimals: 2, quota: 1000, consumed: 0, remaining: 1000 }]
    }
    const license = await activated()
    vendor.weather = "down"
    await license.consume("hours", "1.5", "one")
    await license.consume("hours", 25, "two")
    assert.strictEqual(await codeOf(license.consume("hours", "0.005")), "AMOUNT_INVALID")
    assert.strictEqual(await codeOf(license.consume("hours", "8.26")), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual((await license.consume("hours", "8.25")).state, "pending")
  })

  it("has no more of a trial than its days", async () => {
    const { activated, clock, vendor } = place()
    vendor.more = { license_type: "trial", expires_at: new Date(clock.truth() + 3 * day).toISOString() }
    const license = await activated()
    vendor.weather = "down"
    await clock.pass(3 * day)
    assert.strictEqual(short(await license.check()), "grace unreachable runs")
    await clock.pass(1)
    assert.strictEqual(short(await license.check()), "expired trial_over stops")
  })

  it("that refuses has stopped, also after a restart without it, until it confirms", async () => {
    const { activated, open, store, vendor } = place()
    const license = await activated()
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.strictEqual(short(await license.check()), "revoked revoked stops")
    vendor.weather = "down"
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
    // The copy before says the same.
    store.text = store.text!.slice(0, -20)
    assert.strictEqual(short((await open()).standing), "revoked revoked stops")
    vendor.weather = "up"
    vendor.refusal = undefined
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
  })

  it.each([
    ["LICENSE_EXPIRED", undefined, "expired license_expired"],
    ["LICENSE_INACTIVE", "suspended", "suspended suspended"],
    ["LICENSE_INACTIVE", "not_started", "suspended not_started"],
    ["DEVICE_BLACKLISTED", undefined, "unlicensed device_blocked"],
    ["VM_NOT_ALLOWED", undefined, "unlicensed machine_not_allowed"],
    ["LICENSE_KEY_INVALID", undefined, "unlicensed key_invalid"]
  ])("and answers %s (%s) leaves it %s", async (code, detail, expected) => {
    const { activated, vendor } = place()
    const license = await activated()
    vendor.refusal = { code, ...(detail === undefined ? {} : { detail }) }
    const standing = await license.check()
    assert.strictEqual(short(standing), `${expected} stops`)
    assert.strictEqual(standing.error?.code, code)
    assert.isNotEmpty(standing.show)
  })

  it.each([
    ["for another question", { nonce: "n-0000000000" }],
    ["of another request", { request_hash: "0".repeat(64) }],
    ["of another license", { credential_hash: "0".repeat(64) }],
    ["of another device", { fingerprint_hash: "0".repeat(64) }],
    ["of what is no refusal", { type: "answer" }],
    ["that says nothing", { code: "NOT_FOUND" }]
  ])("by a signed statement %s goes on", async (_, statement) => {
    const { activated, open, vendor } = place()
    const license = await activated()
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked", statement }
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
  })

  it("is told why by what is signed, and not by what is said beside it", async () => {
    const { activated, vendor } = place()
    const license = await activated()
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "suspended", statement: { detail: "revoked" } }
    assert.strictEqual(short(await license.check()), "revoked revoked stops")
  })

  it("that an older version kept without a proof, or whose proof was changed, stops nothing", async () => {
    const { activated, open, store, vendor } = place()
    const license = await activated()
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.isFalse((await license.check()).mayRun)
    const { proof, ...refusal } = JSON.parse(store.text!.split("\n")[1]!).refusal
    const kept = async (other: object) => {
      const record = { ...JSON.parse(store.text!.split("\n")[1]!), refusal: { ...refusal, ...other } }
      return short((await open({ store: memoryStore(await writeRecord(record)) })).standing)
    }
    const other = structuredClone(proof)
    other.statement.data.code = "LICENSE_EXPIRED"
    assert.strictEqual(await kept({ proof }), "revoked revoked stops")
    assert.strictEqual(await kept({}), "active confirmed runs")
    assert.strictEqual(await kept({ proof: other }), "active confirmed runs")
    assert.strictEqual(
      await kept({ proof: { ...proof, binding: { ...proof.binding, nonce: "n-0000000000" } } }),
      "active confirmed runs"
    )
  })

  it("keeps a seat, a use and a lease that nobody signed away", async () => {
    const { activated, vendor } = place()
    const license = await activated()
    for (const weather of ["stripped", "spoken"] as const) {
      vendor.weather = weather
      assert.isString(await codeOf(license.deactivate()))
      assert.strictEqual((await license.consume("export", 1, weather)).state, "pending")
    }
    vendor.weather = "up"
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.deepStrictEqual([...vendor.uses], [["stripped", 1], ["spoken", 1]])
    assert.strictEqual(vendor.devices.size, 1)
  })

  it("is answered by nobody who makes up a refusal of another form", async () => {
    const { activated, vendor } = place()
    const license = await activated()
    vendor.refusal = { code: "NOT_FOUND", status: 404 }
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })
})

describe("activation", () => {
  it("is not made by itself where a person released the device, until the key is typed anew", async () => {
    const { activated, open, vendor } = place()
    const license = await activated()
    const other = await open({ store: memoryStore(), fingerprint: "machine-2" })
    vendor.release()
    assert.strictEqual(short(await license.check()), "unlicensed device_released stops")
    assert.strictEqual(
      short(await (await open({ licenseKey: vendor.key })).check()),
      "unlicensed device_released stops"
    )
    assert.strictEqual(vendor.devices.size, 0)
    assert.strictEqual(short(await other.activate(vendor.key)), "active confirmed runs")
    await other.deactivate()
    assert.strictEqual(short(await license.activate(vendor.key)), "active confirmed runs")
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })

  it("takes a seat, is told that none is free, and is made again where the device was away for long", async () => {
    const { activated, open, vendor } = place()
    const license = await activated()
    const other = await open({ store: memoryStore(), fingerprint: "machine-2" })
    assert.strictEqual(await codeOf(other.activate(vendor.key)), "ACTIVATION_LIMIT_EXCEEDED")
    assert.strictEqual(short(other.standing), "over-limit no_free_seat stops")
    vendor.devices.clear()
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(vendor.devices.size, 1)
    assert.strictEqual(short(await license.deactivate()), "unlicensed given_back stops")
    assert.strictEqual(vendor.devices.size, 0)
    assert.strictEqual(short(await license.check()), "unlicensed given_back stops")
    assert.strictEqual(short(await other.activate(vendor.key)), "active confirmed runs")
  })

  it("with a wrong key leaves a license that runs as it is, and asks nobody about what can be none", async () => {
    const { activated, vendor } = place()
    const license = await activated()
    assert.strictEqual(await codeOf(license.activate("CS-00000-00000-00000-00000-00000")), "LICENSE_KEY_INVALID")
    assert.strictEqual(short(license.standing), "active confirmed runs")
    const asked = vendor.asked.length
    for (const wrong of ["CS-WRONG", "my key is \u201c\ud83d\udd11\u201d", "", "csk_123"]) {
      assert.strictEqual(await codeOf(license.activate(wrong)), "LICENSE_KEY_MALFORMED")
      assert.strictEqual(await codeOf(license.acquire(wrong)), "LICENSE_KEY_MALFORMED")
    }
    assert.lengthOf(vendor.asked, asked)
    assert.strictEqual(short(license.standing), "active confirmed runs")
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })

  it("keeps the seat, and the license, while nobody can be told that it is given back", async () => {
    const { activated, vendor } = place()
    const license = await activated()
    vendor.weather = "down"
    assert.strictEqual(await codeOf(license.deactivate()), "NETWORK_ERROR")
    assert.isTrue((await license.check()).mayRun)
  })

  it("is made by the first check with a key that the app has", async () => {
    const { open, vendor } = place()
    const license = await open({ licenseKey: vendor.key })
    assert.strictEqual(short(license.standing), "unlicensed no_license stops")
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })
})

describe("the clock", () => {
  it("set back stretches nothing: time goes on from the latest signed instant", async () => {
    const { activated, clock, open, vendor } = place()
    const license = await activated()
    vendor.weather = "down"
    await clock.pass(day)
    await license.check()
    clock.set(-30 * day)
    assert.isTrue(license.standing.isClockSetBack)
    await clock.pass(day + 1)
    assert.strictEqual(short(await license.check()), "grace unreachable runs")
    const restarted = await open()
    assert.isTrue(restarted.standing.isClockSetBack)
    assert.strictEqual(short(restarted.standing), "grace unreachable runs")
    await clock.pass(7 * day)
    assert.strictEqual(short(await restarted.check()), "expired grace_over stops")
    assert.strictEqual(short((await open()).standing), "expired grace_over stops")
  })

  it("far ahead locks nobody out once the service was reached", async () => {
    const { activated, clock, open, vendor } = place()
    await activated()
    clock.set(3650 * day)
    const license = await open()
    assert.strictEqual(short(license.standing), "expired grace_over stops")
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    vendor.weather = "down"
    await clock.pass(day)
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
    clock.set(0)
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
    await clock.pass(9 * day)
    assert.isFalse((await (await open()).check()).mayRun)
  })
})

describe("the store", () => {
  it("of another machine is refused, and takes no seat there", async () => {
    const { activated, open, store, vendor } = place()
    vendor.seats = 2
    await activated()
    const copied = await open({ store: memoryStore(store.text), fingerprint: "machine-2" })
    assert.strictEqual(short(copied.standing), "unlicensed other_device stops")
    assert.strictEqual(short(await copied.check()), "unlicensed other_device stops")
    assert.strictEqual(vendor.devices.size, 1)
    vendor.weather = "down"
    assert.strictEqual(short(await copied.check()), "unlicensed other_device stops")
    vendor.weather = "up"
    assert.strictEqual(short(await copied.activate(vendor.key)), "active confirmed runs")
  })

  it("torn at any byte neither crashes the app nor frees it, and the copy before serves", async () => {
    const { activated, open, store, vendor } = place()
    const license = await activated()
    await license.check()
    const whole = store.text!
    for (let length = 0; length < whole.length; length += 7) {
      const torn = whole.slice(0, length)
      const alone = await open({ store: memoryStore(torn) })
      assert.strictEqual(short(alone.standing), "unlicensed store_unreadable stops")
      store.text = torn
      assert.strictEqual(short((await open()).standing), "active confirmed runs")
    }
    const asked = await open({ store: memoryStore(whole.slice(0, 99)), licenseKey: vendor.key })
    assert.strictEqual(short(await asked.check()), "active confirmed runs")
  })

  it("in which somebody wrote another answer is not believed", async () => {
    const { activated, open, store, vendor } = place()
    await activated()
    const { createHash } = process.getBuiltinModule("node:crypto")
    const changed = store.text!.split("\n")[1]!.replaceAll("2026-", "2099-")
    const digest = createHash("sha256").update(changed).digest("hex")
    const forged = await open({ store: memoryStore(`countersign-license/1 ${digest}\n${changed}`) })
    assert.strictEqual(short(forged.standing), "unlicensed store_unreadable stops")
    assert.strictEqual(forged.standing.error?.code, "signature_mismatch")
    assert.strictEqual(short(await forged.check()), "active confirmed runs")
    assert.strictEqual(vendor.devices.size, 1)
  })

  it("that cannot be written locks nobody out while the app runs, and is told of", async () => {
    const { open, problems, vendor } = place()
    const full = { ...memoryStore(), write: async () => Promise.reject(new Error("ENOSPC")) }
    const license = await open({ store: full })
    assert.strictEqual(short(await license.activate(vendor.key)), "active confirmed runs")
    vendor.weather = "down"
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.isNotEmpty(problems)
    await license.consume("export").then(() => assert.fail("a use that was not kept"), (error: unknown) => error)
  })

  it("shared by two windows loses no refusal, no use and no floor", async () => {
    const { activated, clock, open, store, vendor } = place()
    const one = await activated()
    const two = await open()
    await clock.pass(hour)
    vendor.weather = "down"
    await Promise.all([one, two, one, two].map((window, index) => window.consume("export", 1, `use-${index}`)))
    vendor.weather = "up"
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    await one.check()
    const changes: Array<string> = []
    const stop = two.watch((standing) => changes.push(short(standing)))
    vendor.weather = "down"
    await clock.pass(hour)
    stop()
    assert.strictEqual(changes.at(-1), "revoked revoked stops")
    assert.strictEqual(short((await open()).standing), "revoked revoked stops")
    const kept = JSON.parse(store.text!.split("\n")[1]!)
    assert.lengthOf(kept.pending, 4)
    assert.isAtLeast(kept.floor, clock.truth() - hour)
    vendor.weather = "up"
    vendor.refusal = undefined
    await two.check()
    assert.strictEqual(vendor.uses.size, 4)
    assert.lengthOf(JSON.parse(store.text!.split("\n")[1]!).pending, 0)
    assert.strictEqual(short(await one.check()), "active confirmed runs")
  })

  it("keeps a refusal that came while an older question was on its way", async () => {
    const { activated, open, vendor } = place()
    const one = await activated()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const slow = await open({
      transport: {
        maxRetries: 0,
        fetch: async (input, init) => {
          const answer = await vendor.fetch(input, init)
          await held
          return answer
        }
      }
    })
    const checking = slow.check()
    while (vendor.asked.filter((asked) => asked === "validate").length < 1) await new Promise(setImmediate)
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.isFalse((await one.check()).mayRun)
    release()
    assert.strictEqual(short(await checking), "revoked revoked stops")
    assert.strictEqual(short((await open()).standing), "revoked revoked stops")
  })
})

describe("a use", () => {
  it("waits for the service within the quota, and is counted once", async () => {
    const { activated, open, vendor } = place()
    const license = await activated()
    vendor.weather = "lost"
    assert.strictEqual((await license.consume("export", 4, "a")).state, "pending")
    assert.strictEqual((await license.consume("export", 6, "b")).state, "pending")
    assert.strictEqual(await codeOf(license.consume("export", 1, "c")), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(await codeOf(license.consume("print")), "FEATURE_NOT_ENTITLED")
    vendor.weather = "up"
    vendor.uses.clear()
    await (await open()).check()
    assert.deepStrictEqual([...vendor.uses], [["a", 4], ["b", 6]])
    assert.strictEqual(license.feature("export")?.code, "export")
    assert.isUndefined(license.feature("print"))
  })

  it("of an app that may not run is refused without the service", async () => {
    const { activated, clock, vendor } = place()
    const license = await activated()
    vendor.weather = "down"
    await clock.pass(10 * day)
    assert.strictEqual(await codeOf(license.consume("export")), "NETWORK_ERROR")
  })
})

describe("keys", () => {
  it("that the vendor rotated are fetched, kept, and believed no longer once revoked", async () => {
    const { activated, open, vendor } = place()
    const license = await activated()
    vendor.rotate("sig_second")
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    vendor.weather = "down"
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
    vendor.weather = "up"
    vendor.rotate("sig_third", true)
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(license.standing.data?.["status"], "active")
  })

  it("are not fetched where the app pins them, or where nothing guards the way", async () => {
    for (const more of [{ keyRotation: "pinned" as const }, { baseUrl: "http://licenses.example.com" }]) {
      const { activated, open, vendor } = place()
      await activated()
      vendor.rotate("sig_second")
      const license = await open(more)
      const standing = await license.check()
      assert.strictEqual(short(standing), "active confirmed runs")
      assert.strictEqual(standing.error?.code, "unknown_key")
      assert.notInclude(vendor.asked, "/api/v1/system/public-keys")
    }
  })
})

describe("while the app runs", () => {
  it("the license is checked when the service said, more often while there is no answer, and tells every change", async () => {
    const { activated, clock, vendor } = place()
    const license = await activated()
    const seen: Array<string> = []
    const stop = license.watch((standing) => seen.push(`${standing.state} ${standing.reason}`))
    await clock.pass(4 * hour)
    assert.lengthOf(vendor.asked, 1)
    await clock.pass(day)
    assert.lengthOf(vendor.asked, 2)
    vendor.weather = "down"
    await clock.pass(3 * day)
    assert.include(seen.at(-1), "grace unreachable")
    assert.isAbove(vendor.asked.length, 50)
    assert.isBelow(vendor.asked.length, 400)
    vendor.weather = "up"
    await clock.pass(hour / 4)
    assert.include(seen.at(-1), "active confirmed")
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "suspended" }
    await clock.pass(2 * day)
    assert.include(seen.at(-1), "suspended suspended")
    vendor.refusal = undefined
    await clock.pass(hour)
    assert.include(seen.at(-1), "active confirmed")
    stop()
    const count = vendor.asked.length
    await clock.pass(3 * day)
    assert.lengthOf(vendor.asked, count)
  })
})

describe("whatever the network does", () => {
  const random = chance("the license in an app")
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random.upTo(values.length))]!

  it("an honest customer is not refused within the grace, and a revoked license does not run once the service was reached", async () => {
    for (let history = 0; history < 25; history++) {
      const { activated, clock, open, vendor } = place()
      const steps: Array<string> = []
      let license: AppLicense = await activated()
      /** When the service was last heard. */
      let heard = clock.truth()
      let isRevoked = false
      let knowsOfIt = false
      for (let step = 0; step < 40; step++) {
        const weather: Weather = pick(["up", ...storms])
        const act = pick(["check", "check", "restart", "consume", "time", ...(isRevoked ? [] : ["revoke"])])
        vendor.weather = weather
        steps.push(`${weather} ${act}`)
        if (act === "time") await clock.pass(random.upTo(3 * day))
        if (act === "revoke" && random.upTo(4) < 1) {
          isRevoked = true
          vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
        }
        if (act === "restart") license = await open()
        const wasAsked = act === "check" || act === "restart" || act === "consume"
        if (act === "consume") await license.consume("export", 1).catch(() => undefined)
        else if (wasAsked) await license.check()
        if (weather === "up" && wasAsked) {
          heard = clock.truth()
          knowsOfIt = isRevoked
        }
        const { mayRun } = wasAsked ? license.standing : (await open()).standing
        const story = `${steps.join(", ")} of history ${history}`
        if (knowsOfIt) assert.isFalse(mayRun, story)
        if (!isRevoked && clock.truth() - heard <= 9 * day) assert.isTrue(mayRun, story)
        if (clock.truth() - heard > 9 * day) assert.isFalse(mayRun, story)
      }
    }
  })
})
