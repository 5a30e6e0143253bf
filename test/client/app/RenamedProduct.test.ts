import { assert, beforeAll, describe, it } from "@effect/vitest"
import { join } from "node:path"
import type { LicenseOptions, LicenseView, PublicKey } from "../../../src/client/app/index.ts"
import { fileStore, openLicense } from "../../../src/client/app/index.ts"
import { day, virtualClock } from "../../fixtures/AppVendor.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const directory = temporaryDirectory()
let publicKeys: ReadonlyArray<PublicKey>

beforeAll(async () => {
  publicKeys = await service.data("GET", "/api/v1/system/public-keys")
})

const policy = { max_activations: 2, max_floating_users: 2, allow_offline_activation: true, offline_grace_days: 30 }

let machines = 0

/** An app that was built with the code of its product, on a machine with a clock, and a second one that floats. */
const installed = async () => {
  const issued = await service.issue({ policy })
  const { license, product } = issued
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Export",
    code: "export"
  })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, max_consumptions: 9 })
  const clock = virtualClock(Date.now())
  const opened = (more: Partial<LicenseOptions> = {}) => {
    const name = `machine-${++machines}`
    return openLicense({
      baseUrl: service.url,
      productCode: product.code,
      publicKeys,
      store: fileStore(join(directory, name)),
      fingerprint: name,
      clock,
      transport: { maxRetries: 0 },
      ...more
    })
  }
  return { ...issued, clock, opened }
}

const short = ({ mayRun, reason, state }: LicenseView) => `${state} ${reason} ${mayRun ? "runs" : "stops"}`

const patch = (product: Body, body: object): Promise<Body> =>
  service.data("PATCH", `/api/v1/products/${product.id}`, body)

describe("an app whose product was renamed", () => {
  it("runs, consumes, goes offline and keeps its floating seat, until its code is retired", async () => {
    const { clock, key, opened, product } = await installed()
    const [app, window] = [await opened(), await opened()]
    await app.activate(key)
    await window.acquire(key)
    await app.consume("export", 1)
    await patch(product, { code: crypto.randomUUID() })
    assert.strictEqual(short(await app.check()), "active confirmed runs")
    await app.consume("export", 2)
    assert.strictEqual(app.feature("export")?.consumed, 3)
    assert.strictEqual(short(await window.check()), "active confirmed runs")
    await app.goOffline()
    // It is installed on another machine, too.
    const another = await opened()
    assert.strictEqual(short(await another.activate(key)), "active confirmed runs")
    await window.release()
    await patch(product, { former_codes: [] })
    await clock.pass(day)
    assert.strictEqual(short(await another.check()), "unlicensed other_product stops")
  })

  it("is the same device when its next release asks by the new code, with the fingerprint of the first", async () => {
    const { key, license, opened, product } = await installed()
    const place = { store: fileStore(join(directory, "updated")), fingerprint: "updated" }
    await (await opened(place)).activate(key)
    const { code } = await patch(product, { code: crypto.randomUUID() })
    const updated = await opened({ ...place, productCode: code })
    // It does not believe what it kept under the code of before, and asks with the key that it kept.
    assert.isFalse(updated.standing.mayRun)
    assert.strictEqual(short(await updated.check()), "active confirmed runs")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).active_device_count, 1)
  })
})
