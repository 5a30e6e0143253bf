import { assert, describe, it } from "@effect/vitest"
import { FloatingSeat } from "../../../src/client/app/FloatingSeat.ts"
import { memoryStore } from "../../../src/client/app/index.ts"
import { watch } from "../../../src/client/app/LicenseCalls.ts"
import { Session } from "../../../src/client/app/Session.ts"
import { codeOf, place, short } from "../../fixtures/AppPlace.ts"
import { hour, virtualClock } from "../../fixtures/AppVendor.ts"

/** A way on which somebody answers in the service's place where a path ends so. */
const answered =
  (fetch: typeof globalThis.fetch, end: string, body: string): typeof globalThis.fetch => (input, init) =>
    String(input).endsWith(end) ? Promise.resolve(new Response(body, { status: 200 })) : fetch(input, init)

describe("a page in the place of", () => {
  it.each([
    "<html>Please log in</html>",
    "{}",
    "[]",
    "null",
    "{\"data\":5}",
    "{\"data\":[null,5],\"revoked\":5}",
    "{\"data\":[{\"kid\":1}],\"data\":[]}"
  ])("the list of keys (%s) teaches nothing, and decides nothing", async (body) => {
    const { activated, open, vendor } = place()
    await activated()
    vendor.rotate("sig_second")
    const license = await open({ transport: { maxRetries: 0, fetch: answered(vendor.fetch, "/public-keys", body) } })
    const standing = await license.check()
    assert.strictEqual(short(standing), "active confirmed runs")
    assert.include(["malformed", "unknown_key"], standing.error?.code)
    assert.include(["malformed", "unknown_key"], await codeOf(license.activate(vendor.key)))
    vendor.refusal = { code: "LICENSE_INACTIVE", detail: "revoked" }
    assert.strictEqual(short(await license.check()), "active confirmed runs")
    assert.strictEqual(short(await (await open()).check()), "revoked revoked stops")
  })

  it("an offline envelope is a malformed answer", async () => {
    const { activated, open, vendor } = place()
    await activated()
    for (const body of ["<html>Please log in</html>", "", "{}", "{\"data\":{},\"data\":{}}"]) {
      const license = await open({ transport: { maxRetries: 0, fetch: answered(vendor.fetch, "/offline", body) } })
      assert.strictEqual(await codeOf(license.goOffline()), "malformed", body)
      assert.strictEqual(short(license.standing), "active confirmed runs")
    }
  })
})

describe("a watch", () => {
  it("whose check fails by itself asks later, and ever more rarely", async () => {
    const clock = virtualClock()
    const problems: Array<unknown> = []
    const session = new Session({
      baseUrl: "https://licenses.example.com",
      productCode: "acme-studio",
      publicKeys: [],
      store: memoryStore(),
      fingerprint: "machine-1",
      clock,
      onProblem: (problem) => problems.push(problem)
    })
    await session.sync()
    let count = 0
    const stop = watch(session, new FloatingSeat(session, "window"), async () => {
      count += 1
      // Of a spin no time comes out.
      if (count > 200) return
      throw new SyntaxError("Unexpected token")
    })
    await clock.pass(hour)
    stop()
    assert.isAtLeast(count, 4)
    assert.isBelow(count, 20)
    assert.lengthOf(problems, count)
  })
})
