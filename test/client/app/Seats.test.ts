import { assert, describe, it } from "@effect/vitest"
import type { LicenseOptions } from "../../../src/client/app/index.ts"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { hour } from "../../fixtures/AppVendor.ts"

/** What happens while a question is on its way, after the service has decided. */
const meanwhile = (
  fetch: typeof globalThis.fetch,
  operation: string,
  action: () => Promise<unknown>
): Partial<LicenseOptions> => ({
  transport: {
    maxRetries: 0,
    fetch: async (input, init) => {
      const answer = await fetch(input, init)
      if (String(input).endsWith(operation)) await action()
      return answer
    }
  }
})

describe("a floating seat that a process gives back", () => {
  it("leaves the seat that another took meanwhile", async () => {
    const { open, vendor } = place()
    const two = await open({ processId: "two" })
    const one = await open({
      processId: "one",
      ...meanwhile(vendor.fetch, "/checkin", () => two.acquire(vendor.key))
    })
    await one.acquire(vendor.key)
    assert.strictEqual(short(await one.release()), "unlicensed given_back stops")
    assert.strictEqual(short(await two.check()), "active confirmed runs")
    assert.strictEqual(short((await open({ processId: "two" })).standing), "active confirmed runs")
    assert.strictEqual(short(await two.release()), "unlicensed given_back stops")
    assert.strictEqual(short((await open({ processId: "two" })).standing), "unlicensed given_back stops")
  })

  it("is given back also where it had run out, and another's answer frees nobody", async () => {
    const { clock, open, vendor } = place()
    const one = await open({ processId: "one" })
    const two = await open({ processId: "two" })
    await one.acquire(vendor.key)
    await clock.pass(hour)
    await two.acquire()
    assert.strictEqual(short(await one.release()), "unlicensed given_back stops")
    assert.strictEqual(short(await one.check()), "unlicensed given_back stops")
    assert.strictEqual(short(await two.check()), "active confirmed runs")
    assert.strictEqual(short(await one.acquire()), "active confirmed runs")
  })
})

describe("a floating seat that is refused", () => {
  it("stops no license that the process has after it", async () => {
    const { open, vendor } = place()
    const one = await open({ processId: "one" })
    const two = await open({ processId: "two" })
    await one.acquire(vendor.key)
    vendor.refusal = { code: "FLOATING_LIMIT_EXCEEDED" }
    assert.strictEqual(await codeOf(two.acquire()), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(short(two.standing), "over-limit no_floating_seat stops")
    vendor.refusal = undefined
    assert.strictEqual(short(await two.activate(vendor.key)), "active confirmed runs")
    assert.strictEqual(short(await two.check()), "active confirmed runs")
  })

  it("or given back stops no license that another window has after it", async () => {
    const { open, vendor } = place()
    const [one, two, three] = [
      await open({ processId: "one" }),
      await open({ processId: "two" }),
      await open({ processId: "three" })
    ]
    await one.acquire(vendor.key)
    await three.acquire()
    vendor.refusal = { code: "FLOATING_LIMIT_EXCEEDED" }
    assert.strictEqual(await codeOf(two.acquire()), "FLOATING_LIMIT_EXCEEDED")
    vendor.refusal = undefined
    assert.strictEqual(short(await three.release()), "unlicensed given_back stops")
    await one.activate(vendor.key)
    assert.strictEqual(short(await two.check()), "active confirmed runs")
    assert.strictEqual(short(await three.check()), "active confirmed runs")
  })

  it.each([undefined, "one"])("of another key leaves the license that runs (process %s)", async (processId) => {
    const { activated, open, vendor } = place()
    await activated()
    const license = await open(processId === undefined ? {} : { processId })
    const other = "CS-00000-00000-00000-00000-00000"
    vendor.refusal = { code: "FLOATING_LIMIT_EXCEEDED" }
    vendor.alsoKnown = other
    assert.strictEqual(await codeOf(license.acquire(other)), "FLOATING_LIMIT_EXCEEDED")
    assert.strictEqual(short(license.standing), "active confirmed runs")
    vendor.refusal = undefined
    for (const weather of ["down", "spoken", "forged"] as const) {
      vendor.weather = weather
      assert.notStrictEqual(await codeOf(license.acquire(other)), "done")
      assert.strictEqual(short(license.standing), "active confirmed runs")
      assert.strictEqual(short((await open()).standing), "active confirmed runs")
    }
    vendor.weather = "up"
    assert.strictEqual(short(await license.acquire(other)), "active confirmed runs")
  })
})
