import { assert, beforeAll, describe, it } from "@effect/vitest"
import { examine } from "../../fixtures/Doctor.ts"
import { movedClock } from "../../fixtures/MovedClock.ts"
import type { MovedClock } from "../../fixtures/MovedClock.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let clock: MovedClock
let service: Service

beforeAll(async () => {
  clock = await movedClock()
  service = await startService({ databaseUrl: clock.databaseUrl })
})

const sold = async (...plans: Parameters<typeof soldUnder>[1]) => {
  const license = await soldUnder(service, plans)
  return {
    ...license,
    add: (add_credits: number): Promise<Body> => license.reset({ add_credits }),
    explain: (more: object): Promise<Body> =>
      service.data("POST", `${license.path}/explain`, { operation: "consume", feature_code: "render", ...more })
  }
}

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

describe("credits beside a quota", () => {
  it("leave the quota to the policy, so that later plans reach the license", async () => {
    const { add, change, consume, policies, shown } = await sold({ max_consumptions: 10 }, { max_consumptions: 100 })
    const added = await add(5)
    assert.deepInclude(added, { max_consumptions: 15, credits: 5, quota_from: "policy", remaining: 15, from: "policy" })
    assert.strictEqual((await consume(12)).status, 200)
    await change(policies[1]!)
    assert.deepInclude(await shown(), { max_consumptions: 105, credits: 5, remaining: 93 })
    assert.strictEqual((await consume(94)).status, 403)
    assert.strictEqual((await consume(93)).status, 200)
    await consistent()
  })

  it("end with the period that they were added in", async () => {
    await clock.set("2035-01-10T00:00:00Z")
    const { add, consume, explain, shown } = await sold({ max_consumptions: 10, period: "month" })
    assert.strictEqual((await consume(10)).status, 200)
    assert.deepInclude(await add(5), { max_consumptions: 15, credits: 5, remaining: 5 })
    assert.deepInclude(await add(2), { max_consumptions: 17, credits: 7, remaining: 7 })
    assert.strictEqual((await consume(8)).status, 403)
    assert.deepInclude((await explain({ amount: 8 })).findings[0].term, {
      name: "features.max_consumptions",
      value: 17,
      credits: 7,
      from: "policy"
    })
    await clock.set("2035-02-01T00:00:00Z")
    const next = await shown()
    assert.deepInclude(next, { max_consumptions: 10, remaining: 10 })
    assert.notProperty(next, "credits")
    assert.strictEqual((await consume(11)).status, 403)
    // What is added then is all that is added.
    assert.deepInclude(await add(1), { max_consumptions: 11, credits: 1 })
    assert.strictEqual((await consume(11)).status, 200)
    await consistent()
  })

  it("are kept by a change of policy for the period that runs then, and do not come back after their end", async () => {
    await clock.set("2035-03-10T00:00:00Z")
    const { add, change, policies, shown } = await sold(
      { max_consumptions: 10 },
      { max_consumptions: 20, period: "month" },
      { max_consumptions: 30, period: "year" }
    )
    await add(5)
    await change(policies[1]!)
    assert.deepInclude(await shown(), { max_consumptions: 25, credits: 5 })
    await consistent()
    await clock.set("2035-04-01T00:00:00Z")
    assert.deepInclude(await shown(), { max_consumptions: 20 })
    await change(policies[2]!)
    assert.deepInclude(await shown(), { max_consumptions: 30 })
    await add(4)
    await change(policies[0]!)
    assert.deepInclude(await shown(), { max_consumptions: 14, credits: 4 })
    const events = await service.feed("&event_type=license.usage_reset")
    assert.deepInclude(events.at(-1)!.metadata, { carried_credits: 4 })
    await consistent()
  })

  it("give way to a new quota, and stay with a correction of the use and a change of the assignment", async () => {
    const { add, feature, license, reset, shown } = await sold({ max_consumptions: 10 })
    await add(5)
    assert.deepInclude(await reset({ reset_consumed: true }), { max_consumptions: 15, credits: 5 })
    const assign = (body: object) =>
      service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id, ...body })
    assert.deepInclude(await assign({ overage: "deny" }), { max_consumptions: 15, credits: 5, quota_from: "policy" })
    assert.deepInclude(await assign({ period: "year" }), { max_consumptions: 15, credits: 5 })
    const own = await assign({ max_consumptions: 7 })
    assert.deepInclude(own, { max_consumptions: 7 })
    assert.notProperty(own, "credits")
    assert.deepInclude(await reset({ max_consumptions: 8, add_credits: 1 }), { max_consumptions: 9, credits: 1 })
    assert.deepInclude(await reset({ max_consumptions: 3 }), { max_consumptions: 3 })
    assert.notProperty(await shown(), "credits")
    await consistent()
  })

  it("are told of the past by the log", async () => {
    const { add, explain } = await sold({ max_consumptions: 10 })
    const [{ before }] = [{ before: new Date().toISOString() }]
    await add(5)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const after = new Date().toISOString()
    assert.isFalse((await explain({ amount: 12, at: before })).is_allowed)
    assert.isTrue((await explain({ amount: 15, at: after })).is_allowed)
    assert.isFalse((await explain({ amount: 16, at: after })).is_allowed)
  })
})
