import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { eventually, session } from "../../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const log = join(temporaryDirectory(), "log")

const archive = async (...args: ReadonlyArray<string>): Promise<Body> => {
  const { errors, output, status } = await runCommand(["archive", ...args, "--json"], {
    DATABASE_URL: service.databaseUrl,
    COUNTERSIGN_MASTER_KEY: masterKey,
    COUNTERSIGN_ADMIN_TOKEN: adminToken,
    COUNTERSIGN_RETAIN_EVENT_DAYS: "0"
  })
  assert.strictEqual(status, 0, errors)
  return JSON.parse(output)
}

/** The latest checkpoint covers everything that has happened. */
const checkpointed = () =>
  eventually("a checkpoint covers the feed", async () => {
    const [{ last, waiting }] = await database.query(
      "SELECT last_sequence::int AS last, (SELECT count(*)::int FROM event_outbox) AS waiting FROM event_chain"
    )
    const { body, status } = await service.call("GET", "/api/v1/events/checkpoint")
    return status === 200 && waiting === 0 && body.data.tree_size >= last
  })

describe("what is kept of events that are dropped", () => {
  it("says what a policy granted, what a feature was called and which period was paid for", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "Studio", code: "studio" })
    const subscription = await service.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
      external_system: "shop",
      external_id: "1",
      current_period_start: new Date(Date.now() - 86_400_000).toISOString(),
      current_period_end: new Date(Date.now() + 86_400_000).toISOString(),
      status: "active"
    })
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: "annual",
      license_type: "subscription"
    })
    const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      subscription_id: subscription.id
    })
    const create = (code: string) =>
      service.data("POST", `/api/v1/products/${product.id}/features`, { name: code, code })
    const [own, granted] = [await create("own"), await create("granted")]
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: own.id, max_consumptions: 9 })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: granted.id,
      max_consumptions: 9,
      period: "subscription"
    })
    await service.license("activate", key, { fingerprint: "a" })
    for (const [feature_code, amount] of [["own", 4], ["granted", 5]] as const) {
      const body = { fingerprint: "a", feature_code, amount, event_id: feature_code }
      assert.strictEqual((await service.license("consume", key, body)).status, 200)
    }
    await service.data("PATCH", `/api/v1/features/${own.id}`, { code: "owned" })

    const explained = async (at?: string) => {
      const ask = async (feature_code: string, amount: number) =>
        (await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
          operation: "consume",
          binding: { fingerprint: "a" },
          feature_code,
          amount,
          ...(at === undefined ? {} : { at })
        })).deciding_rule ?? "allowed"
      const asked = [["own", 1], ["owned", 5], ["owned", 6], ["granted", 4], ["granted", 5]] as const
      return await Promise.all(asked.map(([code, amount]) => ask(code, amount)))
    }
    const expected = ["feature_not_entitled", "allowed", "feature_quota", "allowed", "feature_quota"]
    assert.deepStrictEqual(await explained(), expected)
    const told = (await service.feed()).at(-1)!.sequence
    // Whole tiles of the tree are dropped.
    for (let time = 0; time < 32; time++) {
      await service.data("POST", "/api/v1/products", { name: "More", code: `more-${time}` })
    }
    await checkpointed()
    await archive("write", log)
    const { dropped } = await archive("drop", log)
    assert.isAbove(dropped, told)
    const [{ until }] = await database.query("SELECT dropped_until AS until FROM event_archive")
    assert.deepStrictEqual(await explained(until.toISOString()), expected)
  })
})
