import { assert, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { serve, temporaryDirectory } from "../../fixtures/Program.ts"
import type { Serving } from "../../fixtures/Program.ts"
import { caller, lastReleased, released, releasedService } from "../../fixtures/Released.ts"
import { database } from "../../fixtures/Session.ts"

it(
  "keeps grants exact beside a node of the version before, which serves the quota alone and refuses the rest",
  async () => {
    const databaseUrl = await database()
    const environment = { ...released.environment, DATABASE_URL: databaseUrl }
    const old = await serve([releasedService(lastReleased, temporaryDirectory())], environment)
    const recent = await serve(["src/runtime/main.ts"], environment)
    const { data } = caller(recent.url)
    const product = await data("POST", "products", { name: "Studio", code: randomUUID() })
    const policy = await data("POST", `products/${product.id}/policies`, {
      name: "P",
      code: "p",
      license_type: "perpetual",
      refund_window_minutes: 60
    })
    const feature = await data("POST", `products/${product.id}/features`, { code: "render", name: "Render" })
    const { license, license_key: key } = await data("POST", "licenses", {
      product_id: product.id,
      policy_id: policy.id
    })
    const path = `licenses/${license.id}`
    await data("POST", `${path}/features`, { feature_id: feature.id, max_consumptions: 5 })
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    await data("POST", `${path}/grants`, { feature_code: "render", amount: 4, expires_at })
    const fingerprint = "machine"
    await caller(old.url).license("activate", key, { fingerprint })
    const left = async () => (await data("GET", `${path}/features`))[0].remaining
    const consume = async ({ url }: Serving, amount: number, event_id: string) => {
      const use = { fingerprint, feature_code: "render", event_id, amount }
      const { body, status } = await caller(url).call("POST", "license/consume", use, `License ${key}`)
      return status === 200 ? "counted" : body.error.code
    }

    assert.strictEqual(await consume(recent, 3, "of the grant"), "counted")
    assert.strictEqual(await consume(old, 2, "of the quota"), "counted")
    // The version before takes the units of the grant for units of the quota: it serves less, and never more.
    assert.strictEqual(await consume(old, 1, "refused"), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(await left(), 4)
    assert.strictEqual(await consume(recent, 2, "of the quota"), "counted")
    assert.strictEqual(await consume(old, 3, "of the grant"), "counted")
    assert.strictEqual(await left(), 4, "each use counts once, whichever version counted it")
    await data("POST", `${path}/usage/refund`, { feature_code: "render", event_id: "of the grant" })
    const own = { fingerprint, feature_code: "render", event_id: "of the quota" }
    await caller(recent.url).license("usage/refund", key, own)
    assert.strictEqual(await left(), 9)
    const many = await Promise.all(
      Array.from({ length: 30 }, (_, index) => consume(index % 2 === 0 ? old : recent, 1, `use-${index}`))
    )
    while (await consume(recent, 1, randomUUID()) === "counted") many.push("counted")
    assert.lengthOf(many.filter((answer) => answer === "counted"), 9)
    assert.strictEqual(await left(), 0)
    assert.strictEqual(await old.stop(), 0, old.printed())
    assert.strictEqual(await recent.stop(), 0, recent.printed())
    await expectHealthy(databaseUrl, [])
  },
  120_000
)
