import { assert, describe, it } from "@effect/vitest"
import { place, short } from "../../fixtures/AppPlace.ts"

const other = "ABCD-EFGH-1234"

/** Two windows of one app, and a question of the first that is on its way while the second does something. */
const windows = async (operation: string) => {
  const { activated, open, store, vendor } = place()
  vendor.alsoKnown = other
  await activated()
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const slow: typeof fetch = async (input, init) => {
    const answer = await vendor.fetch(input, init)
    if (String(input).endsWith(operation)) {
      arrived.resolve()
      await held.promise
    }
    return answer
  }
  const first = await open({ transport: { maxRetries: 0, fetch: slow } })
  const kept = () => JSON.parse(store.text!.split("\n")[1]!)
  return { first, second: await open(), vendor, held, arrived, kept, open }
}

describe("a question on its way while another window", () => {
  it.each(["granted", "refused"])("activates another key does not undo that (%s)", async (verdict) => {
    const { arrived, first, held, kept, open, second, vendor } = await windows("/validate")
    if (verdict === "refused") vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    const check = first.check()
    await arrived.promise
    vendor.refusal = undefined
    await second.activate(other)
    held.resolve()
    assert.strictEqual(short(await check), "active confirmed runs")
    assert.strictEqual(kept().licenseKey, other)
    assert.isUndefined(kept().refusal)
    assert.strictEqual(short((await open()).standing), "active confirmed runs")
  })

  it("gives the seat back takes none again", async () => {
    const { arrived, first, held, kept, second } = await windows("/validate")
    const check = first.check()
    await arrived.promise
    await second.deactivate()
    held.resolve()
    assert.strictEqual(short(await check), "unlicensed given_back stops")
    assert.isUndefined(kept().licenseKey)
  })

  it("activates another key counts its use once, and keeps nothing else of it", async () => {
    const { arrived, first, held, kept, second, vendor } = await windows("/consume")
    const use = first.consume("export", 2, "use-1")
    await arrived.promise
    await second.activate(other)
    const { answer } = kept()
    held.resolve()
    assert.strictEqual((await use).state, "counted")
    assert.deepStrictEqual([kept().licenseKey, kept().pending, kept().answer], [other, [], answer])
    assert.strictEqual(vendor.uses.get("use-1"), 2)
  })

  it("activates another key takes no envelope over", async () => {
    const { arrived, first, held, kept, second } = await windows("/offline")
    const offline = first.goOffline().then(() => "done", () => "refused")
    await arrived.promise
    await second.activate(other)
    held.resolve()
    assert.strictEqual(await offline, "refused")
    assert.deepStrictEqual([kept().licenseKey, kept().envelope], [other, undefined])
  })
})
