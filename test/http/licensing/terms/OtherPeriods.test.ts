// A quota whose period changes is not given out again: what was used in the running period counts, whenever it was counted.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { startService } from "../../../fixtures/Service.ts"

const service = await startService()

const periods = ["day", "week", "month", "year", "license_month"] as const
const quota = 1000
const planOf = (period: string) => ({ max_consumptions: quota, period })

describe("a quota whose period changes", () => {
  it("leaves what is left, in any order of plans, uses, refunds and resets: each period that runs has all of the uses", async () => {
    const { upTo } = chance("other periods")
    const int = (least: number, most: number) => least + Math.floor(upTo(most - least + 1))
    const license = await soldUnder(service, [...periods.map(planOf), { max_consumptions: quota }, planOf("month")])
    await service.data("POST", `${license.path}/grants`, { feature_code: "render", amount: 50 })
    const edited = license.policies.at(-1)!
    let current = license.policies[0]!
    let open = new Map<string, number>()
    const steps = {
      use: async () => {
        const [id, amount] = [randomUUID(), int(1, 9)]
        assert.strictEqual((await license.consume(amount, service, id)).status, 200)
        open.set(id, amount)
      },
      change: async () => {
        const others = license.policies.filter((policy) => policy !== current)
        current = others[int(0, others.length - 1)]!
        await license.change(current)
      },
      edit: () => license.edit(edited, { period: periods[int(0, 4)] }),
      refund: async () => {
        const id = [...open.keys()][int(0, Math.max(0, open.size - 1))]
        if (id === undefined) return
        await service.data("POST", `${license.path}/usage/refund`, { feature_code: "render", event_id: id })
        open.delete(id)
      },
      reset: async () => {
        await license.reset({ reset_consumed: true })
        open = new Map()
      }
    }
    const done: Array<string> = []
    for (const step of ["use", "use", "change"] as const) await steps[step]()
    for (let count = 0; count < 30; count++) {
      const name = (["use", "use", "change", "change", "edit", "refund", "reset"] as const)[int(0, 6)]!
      done.push(name)
      await steps[name]()
      const used = [...open.values()].reduce((sum, amount) => sum + amount, 0)
      const { granted_period_consumptions, granted_remaining, remaining, total_consumptions } = await license.shown()
      assert.deepStrictEqual({ remaining, total_consumptions }, {
        remaining: quota + 50 - used,
        total_consumptions: used
      }, `${done.join(", ")}; ${granted_period_consumptions} ${granted_remaining}`)
    }
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })

  it("is used up where it was, and refuses, whether the policy changed or the license its policy", async () => {
    const license = await soldUnder(service, [{ max_consumptions: quota }, planOf("day"), planOf("month")])
    await license.consume(quota - 1)
    await license.edit(license.policies[0]!, { period: "week" })
    assert.strictEqual((await license.consume(2)).status, 403)
    await license.change(license.policies[1]!)
    assert.strictEqual((await license.consume(2)).status, 403)
    assert.strictEqual((await license.consume(1)).status, 200)
    await license.edit(license.policies[1]!, { period: "year" })
    assert.strictEqual((await license.consume(1)).status, 403)
    await license.change(license.policies[2]!)
    assert.strictEqual((await license.consume(1)).status, 403)
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })

  it("has what was used while it had no period, also where it comes back to the one before in the same period", async () => {
    const license = await soldUnder(service, [planOf("month"), { max_consumptions: quota }])
    await license.consume(1)
    await license.change(license.policies[1]!)
    await license.consume(quota - 2)
    await license.change(license.policies[0]!)
    assert.deepInclude(await license.shown(), { period_consumptions: quota - 1, remaining: 1 })
    assert.strictEqual((await license.consume(2)).status, 403)
    assert.strictEqual((await license.consume(1)).status, 200)
    assert.deepInclude(await license.shown(), { period_consumptions: quota, remaining: 0 })
    await license.change(license.policies[1]!)
    await license.reset({ reset_consumed: true })
    await license.change(license.policies[0]!)
    assert.deepInclude(await license.shown(), { period_consumptions: 0, remaining: quota })
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })
})
