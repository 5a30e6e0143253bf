import { assert, describe, it } from "@effect/vitest"
import type { LicenseOptions } from "../../../src/client/app/index.ts"
import { writeRecord } from "../../../src/client/license/LicenseRecord.ts"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { AppVendor, day } from "../../fixtures/AppVendor.ts"

const listOf = (asked: ReadonlyArray<string>) => asked.filter((path) => path.endsWith("/public-keys")).length

/**
 * An app that is activated, and somebody between it and the service whose certificate the machine trusts: while `isAttacked`, the
 * attacker answers, with a key and a list of its own, in which the vendor's key was revoked.
 */
const between = async (isPinnedRevoked = true) => {
  const { activated, clock, open, store, vendor } = place()
  await activated()
  const attacker = new AppVendor(clock)
  attacker.rotate("sig_attacker", isPinnedRevoked)
  for (const device of vendor.devices) attacker.devices.add(device)
  const way = { isAttacked: true }
  const answering: typeof fetch = (input, init) => (way.isAttacked ? attacker : vendor).fetch(input, init)
  const openThere = (more: Partial<LicenseOptions> = {}) =>
    open({ transport: { maxRetries: 0, fetch: answering }, ...more })
  return { attacker, clock, open: openThere, store, vendor, way }
}

describe("an app whose TLS was broken once, by whoever has a list of keys of their own", () => {
  it.each([
    ["revokes", "LICENSE_INACTIVE", true],
    ["adds to", "LICENSE_INACTIVE", false],
    ["revokes", "DEVICE_BLACKLISTED", true]
  ])("(it %s the vendor's, and says %s) runs again by itself", async (_, code, isPinnedRevoked) => {
    const { attacker, open, vendor, way } = await between(isPinnedRevoked)
    attacker.refusal = { code, detail: "revoked" }
    assert.isFalse((await (await open()).check()).mayRun)
    way.isAttacked = false
    const license = await open()
    assert.isFalse(license.standing.mayRun)
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
    const lists = listOf(vendor.asked)
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(listOf(vendor.asked), lists)
    assert.isAtMost(lists, 1)
  })

  it("runs again also where the service lists its keys and cannot decide", async () => {
    const { attacker, open, vendor, way } = await between()
    attacker.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.isFalse((await (await open()).check()).mayRun)
    way.isAttacked = false
    const license = await open({
      transport: {
        maxRetries: 0,
        fetch: (input, init) => {
          if (String(input).endsWith("/public-keys")) return vendor.fetch(input, init)
          return Promise.resolve(new Response("{}", { status: 503 }))
        }
      }
    })
    assert.strictEqual(short(await license.check()), "active confirmed runs")
  })

  it("is activated again by its key", async () => {
    const { attacker, open, vendor, way } = await between()
    attacker.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    const license = await open()
    assert.strictEqual(await codeOf(license.activate(vendor.key)), "LICENSE_INACTIVE")
    way.isAttacked = false
    assert.strictEqual(short(await license.activate(vendor.key)), "active confirmed runs")
  })

  it("that was freed so stops again by itself", async () => {
    const { open, vendor, way } = await between()
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    way.isAttacked = false
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
    way.isAttacked = true
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
    way.isAttacked = false
    const license = await open()
    for (const check of [1, 2]) {
      assert.strictEqual(short(await license.check()), "revoked revoked stops")
      assert.isAtMost(listOf(vendor.asked), check)
    }
  })

  it("is not reached where it pins its keys, and believes nothing of a list any more", async () => {
    const { attacker, open, store, way } = await between()
    attacker.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    const before = store.text
    const pinned = await open({ keyRotation: "pinned" })
    assert.strictEqual(short(await pinned.check()), "active confirmed runs")
    store.text = before
    assert.isFalse((await (await open()).check()).mayRun)
    way.isAttacked = false
    assert.strictEqual(short((await open({ keyRotation: "pinned" })).standing), "active confirmed runs")
  })
})

describe("a key that was revoked", () => {
  it("stays so while the service says so, and costs one list for each check", async () => {
    const { activated, open, store, vendor } = place()
    await activated()
    const before = JSON.parse(store.text!.split("\n")[1]!)
    vendor.rotate("sig_second", true)
    const license = await open()
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    const after = JSON.parse(store.text!.split("\n")[1]!)
    // An answer that the key signed is put back.
    const kept = { ...after, answer: before.answer }
    store.text = await writeRecord(kept)
    const restored = await open()
    assert.strictEqual(short(restored.standing), "unlicensed store_unreadable stops")
    vendor.weather = "spoken"
    const listing: typeof fetch = (input, init) => {
      vendor.weather = String(input).endsWith("/public-keys") ? "up" : "spoken"
      return vendor.fetch(input, init)
    }
    const lists = listOf(vendor.asked)
    const asking = await open({ transport: { maxRetries: 0, fetch: listing } })
    assert.isFalse((await asking.check()).mayRun)
    assert.strictEqual(listOf(vendor.asked), lists + 1)
    vendor.weather = "up"
    assert.strictEqual(short(await restored.check()), "active confirmed runs")
  })

  it("is listed once in a check, whoever signs what", async () => {
    const { activated, clock, open, vendor } = place()
    await activated()
    await clock.pass(day)
    vendor.rotate("sig_second", true)
    // Its seat lapsed: it is refused, and then activated.
    vendor.devices.clear()
    const license = await open()
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(listOf(vendor.asked), 1)
  })
})

describe("an app that ships a key which endorses", () => {
  const endorsing = (keys: LicenseOptions["publicKeys"]) => keys.map((key) => ({ ...key, endorses: true }))

  it.each([[true, true], [true, false], [false, true], [false, false]])(
    "is out of reach of who breaks TLS (revokes: %s, signs a list: %s)",
    async (revokes, endorses) => {
      const { attacker, open, store, vendor, way } = await between(revokes)
      vendor.endorses = true
      attacker.endorses = endorses
      const more = { publicKeys: endorsing(vendor.pinned) }
      attacker.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
      assert.strictEqual(short(await (await open(more)).check()), "active confirmed runs")
      way.isAttacked = false
      vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
      assert.strictEqual(short(await (await open(more)).check()), "revoked revoked stops")
      way.isAttacked = true
      attacker.refusal = undefined
      const license = await open(more)
      assert.strictEqual(short(await license.check()), "revoked revoked stops")
      assert.strictEqual(await codeOf(license.activate(vendor.key)), "unknown_key")
      // Nor does it help to write the key of one's own into the store.
      const record = JSON.parse(store.text!.split("\n")[1]!)
      const [theirs] = attacker.listed
      store.text = await writeRecord({ ...record, keys: [theirs], revokedKids: [], revokedAt: {} })
      assert.strictEqual(short(await (await open(more)).check()), "revoked revoked stops")
    }
  )

  it("follows rotations, and the revocation of the key that it ships, also at its next start", async () => {
    const { activated, clock, open, vendor } = place()
    vendor.endorses = true
    await activated()
    const more = { publicKeys: endorsing(vendor.pinned) }
    for (const [kid, isRevoked] of [["sig_second", false], ["sig_third", true], ["sig_fourth", true]] as const) {
      await clock.pass(1)
      vendor.rotate(kid, isRevoked)
      assert.strictEqual(short(await (await open(more)).check()), "active confirmed runs")
      const lists = listOf(vendor.asked)
      const license = await open(more)
      assert.strictEqual(short(license.standing), "active confirmed runs")
      assert.strictEqual(short(await license.check()), "active confirmed runs")
      assert.strictEqual(listOf(vendor.asked), lists)
    }
  })

  it("that shipped it before it was said to does not fall back once it has seen a signed list", async () => {
    const { attacker, open, vendor, way } = await between(false)
    vendor.endorses = true
    way.isAttacked = false
    vendor.rotate("sig_second")
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
    way.isAttacked = true
    attacker.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.strictEqual(short(await (await open()).check()), "active confirmed runs")
  })
})
