// What is measured of the uses of a feature: their largest, their latest, or how many values they have had, in place of their sum.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { movedNodes } from "../../../fixtures/MovedClock.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import type { Answer } from "../../../fixtures/Service.ts"
import { refused } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { someOf } from "../../../fixtures/Share.ts"
import { makeRandom } from "../../../fixtures/UsageModel.ts"

const day = 86_400_000
const begun = Date.UTC(2035, 0, 10)
const at = (millis: number): string => new Date(millis).toISOString()

const { clock, other, service } = await movedNodes(begun)

const meters = {
  max: { meter: "max" },
  last: { meter: "last" },
  unique: { meter: "unique", meter_dimension: "user" }
} as const
type Kind = keyof typeof meters

const sold = async (kind: Kind, ...plans: Parameters<typeof soldUnder>[1]) => {
  const license = await soldUnder(service, plans, {}, meters[kind])
  return {
    ...license,
    report: async (amount: number, used_at: number, user: string, on = service): Promise<Body> => {
      const use = { license_id: license.license.id, feature_code: "render", event_id: randomUUID(), amount }
      const uses = [{ ...use, used_at: at(used_at), dimensions: { user } }]
      return (await on.data("POST", "/api/v1/usage", { uses })).results[0]
    },
    use: (amount: number, user = "ada", on = service, event_id: string = randomUUID()): Promise<Answer> =>
      license.consume(amount, on, event_id, { dimensions: { user } })
  }
}

const served = ({ body, status, text }: Answer): Body => {
  assert.strictEqual(status, 200, text)
  return body.data.features[0]
}

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

describe("a feature that measures", () => {
  it("its latest or its largest use takes 0 for a value, of an app and of a backend, and any other feature refuses it", async () => {
    const storage = await sold("last", { max_consumptions: 10 })
    assert.deepInclude(served(await storage.use(9)), { consumed: 9, remaining: 1 })
    const event_id = randomUUID()
    for (const node of [service, other]) {
      assert.deepInclude(served(await storage.use(0, "ada", node, event_id)), { consumed: 0, remaining: 10 })
    }
    refused(await storage.use(9, "ada", service, event_id), 409, "IDEMPOTENCY_CONFLICT")
    assert.deepInclude(served(await storage.use(4)), { consumed: 4 })
    const emptied = { license_id: storage.license.id, feature_code: "render", event_id: randomUUID(), amount: 0 }
    const told = await service.data("POST", "/api/v1/usage", { uses: [emptied] })
    assert.deepInclude(told.results[0], { amount: 0 })
    assert.deepInclude(await storage.shown(), { total_consumptions: 0, remaining: 10 })
    const peak = await sold("max", { max_consumptions: 10 })
    assert.deepInclude(served(await peak.use(0)), { consumed: 0, remaining: 10 })
    assert.deepInclude(served(await peak.use(3)), { consumed: 3 })
    const sum = await soldUnder(service, [{ max_consumptions: 10 }])
    const users = await sold("unique", { max_consumptions: 10 })
    for (const answer of [await sum.consume(0), await users.use(0)]) {
      assert.strictEqual(refused(answer, 422, "VALIDATION_ERROR").fields[0].path, "amount")
    }
    const explained = (id: string) =>
      service.call("POST", `/api/v1/licenses/${id}/explain`, {
        body: { operation: "consume", feature_code: "render", amount: 0 }
      })
    for (const { license } of [storage, peak]) {
      const { body, text } = await explained(license.id)
      assert.isTrue(body.data.is_allowed, text)
    }
    for (const { license } of [sum, users]) {
      assert.strictEqual(refused(await explained(license.id), 422, "VALIDATION_ERROR").fields[0].path, "amount")
    }
    const events = await service.feed(`&event_type=license.usage_recorded&resource_id=${storage.license.id}`)
    assert.deepStrictEqual(events.slice(0, 3).map(({ data }: Body) => [data.amount, data.measured]), [[9, 9], [-9, 0], [
      4,
      4
    ]])
    await consistent()
  })

  it("its largest use serves each that is no larger, and no peak above the quota", async () => {
    const { license, shown, use } = await sold("max", { max_consumptions: 10, period: "month", quota_thresholds: [80] })
    assert.deepInclude(served(await use(4)), { meter: "max", consumed: 4, remaining: 6 })
    assert.deepInclude(served(await use(3)), { consumed: 4, remaining: 6 })
    const event_id = randomUUID()
    assert.deepInclude(served(await use(9, "ada", service, event_id)), { consumed: 9, remaining: 1 })
    assert.deepInclude(served(await use(9, "ada", other, event_id)), { consumed: 9, remaining: 1 })
    refused(await use(8, "ada", service, event_id), 409, "IDEMPOTENCY_CONFLICT")
    refused(await use(11), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(served(await use(10)), { consumed: 10, remaining: 0 })
    assert.deepInclude(await shown(), { total_consumptions: 10, period_consumptions: 10, meter: "max" })
    const events = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    assert.deepStrictEqual(events.map(({ data }: Body) => [data.amount, data.measured]), [[4, 4], [0, 3], [5, 9], [
      1,
      10
    ]])
    assert.lengthOf(await service.feed(`&event_type=license.quota_threshold&resource_id=${license.id}`), 1)
    await clock.set(Date.UTC(2035, 1, 2))
    assert.deepInclude(served(await use(2)), { consumed: 2, remaining: 8 })
    await consistent()
    await clock.set(begun)
  })

  it("its latest use follows it up and down", async () => {
    const { report, shown, use } = await sold("last", { max_consumptions: 10, period: "month" })
    for (const amount of [7, 3, 9, 1, 10]) assert.deepInclude(served(await use(amount)), { consumed: amount })
    refused(await use(11), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(served(await use(2)), { consumed: 2, remaining: 8 })
    assert.deepInclude(await shown(), { total_consumptions: 2, period_consumptions: 2 })
    await clock.set(begun + 9 * day)
    await report(5, begun + 8 * day, "ada")
    assert.deepInclude(await shown(), { period_consumptions: 5 })
    // An earlier one is not the latest.
    await report(8, begun + 7 * day, "ada")
    assert.deepInclude(await shown(), { period_consumptions: 5 })
    await consistent()
    await clock.set(begun)
  })

  it("the values of a dimension counts each once in a period, and needs one", async () => {
    const { consume, license, path, reset, shown, use } = await sold("unique", { max_consumptions: 2, period: "month" })
    assert.deepInclude(served(await use(1, "ada")), { consumed: 1 })
    assert.deepInclude(served(await use(5, "ada", other)), { consumed: 1 })
    assert.deepInclude(served(await use(1, "bob")), { consumed: 2 })
    refused(await use(1, "cy"), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(served(await use(1, "ada")), { consumed: 2, remaining: 0 })
    const { fields } = refused(await consume(1), 422, "VALIDATION_ERROR")
    assert.deepStrictEqual(fields.map(({ code, path }: Body) => [path, code]), [["dimensions.user", "required"]])
    assert.deepInclude(await shown(), { total_consumptions: 2, meter_dimension: "user" })
    const refund = { feature_code: "render", event_id: randomUUID() }
    await consume(1, service, refund.event_id, { dimensions: { user: "bob" } })
    assert.strictEqual(
      refused(await service.call("POST", `${path}/usage/refund`, { body: refund }), 409, "STATE_CONFLICT").detail,
      "meter"
    )
    await reset({ reset_consumed: true })
    assert.deepInclude(served(await use(1, "cy")), { consumed: 1 })
    assert.deepInclude(served(await use(1, "ada")), { consumed: 2 })
    await clock.set(Date.UTC(2035, 1, 2))
    assert.deepInclude(served(await use(1, "ada")), { consumed: 1, remaining: 1 })
    await consistent()
    // Uses of apps are rows of the present, whatever the clock by which they are judged.
    const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
    const summarized = `/api/v1/reports/usage-summary?license_id=${license.id}&from=${from}&to=${to}`
    const summary = await service.data("GET", summarized)
    assert.strictEqual(summary.summary.amount, 5)
    await clock.set(begun)
  })

  it("keeps to the quota exactly, whoever asks at once on two nodes", async () => {
    const [peak, people] = [await sold("max", { max_consumptions: 30 }), await sold("unique", { max_consumptions: 30 })]
    const answers = await Promise.all(Array.from({ length: 100 }, async (_, index) => {
      const node = index % 2 === 0 ? service : other
      return Promise.all([peak.use(index + 1, "ada", node), people.use(1, `person-${index % 50}`, node)])
    }))
    assert.strictEqual(answers.filter(([{ status }]) => status === 200).length, 30)
    assert.deepInclude(await peak.shown(), { total_consumptions: 30 })
    // Each person is admitted each time, or never.
    const admitted = answers.flatMap(([, { status }], index) => status === 200 ? [index % 50] : [])
    assert.strictEqual(new Set(admitted).size, 30)
    assert.deepInclude(await people.shown(), { total_consumptions: 30 })
    await consistent()
  })

  it("is fixed with the feature, and has no packs of what is used up by nothing", async () => {
    const { feature, path, policies, edit } = await sold("last", { max_consumptions: 5, period: "month" })
    const give = { feature_code: "render", amount: 5 }
    assert.strictEqual(
      refused(await service.call("POST", `${path}/grants`, { body: give }), 409, "STATE_CONFLICT").detail,
      "meter"
    )
    const customer = await service.data("POST", "/api/v1/customers", { name: "ACME", code: randomUUID() })
    const pool = { feature_id: feature.id, amount: 5 }
    refused(await service.call("POST", `/api/v1/customers/${customer.id}/pools`, { body: pool }), 409, "STATE_CONFLICT")
    const { status } = await service.call("PATCH", `/api/v1/features/${feature.id}`, { body: { meter: "max" } })
    assert.strictEqual(status, 400)
    let failure: unknown
    await edit(policies[0]!, { rollover: { cap: 5, periods: 1 } }).catch((error: unknown) => (failure = error))
    assert.isDefined(failure)
    const wrong = (body: object) =>
      service.call("POST", `/api/v1/products/${feature.product_id}/features`, {
        body: { name: "X", code: "x", ...body }
      })
    refused(await wrong({ meter: "unique" }), 422, "VALIDATION_ERROR")
    refused(await wrong({ meter: "max", meter_dimension: "user" }), 422, "VALIDATION_ERROR")
    assert.notProperty(
      await service.data("POST", `/api/v1/products/${feature.product_id}/features`, {
        name: "Sum",
        code: "sum",
        meter: "sum"
      }),
      "meter"
    )
  })
})

/** A use as the model has it. */
interface Told {
  readonly at: number
  readonly amount: number
  readonly user: string
}

/** Three days into a month, so that uses of a week are of two. */
const turned = Date.UTC(2035, 1, 3)

const monthOf = (millis: number): string => at(millis).slice(0, 7)

/** What each month comes to, in plain code: a fold over what was counted, whatever its order was. */
const measure = (kind: Kind, told: ReadonlyArray<Told>): number => {
  if (kind === "max") return Math.max(0, ...told.map(({ amount }) => amount))
  if (kind === "unique") return new Set(told.map(({ user }) => user)).size
  return told.toSorted((a, b) => a.at - b.at).at(-1)?.amount ?? 0
}

describe.concurrent("random histories of reported usage, on two nodes under a moved clock", () => {
  it.each(someOf("histories of meters", [1, 2, 3, 4], 1))("come to what plain code says, %d", async (seed) => {
    await clock.set(turned)
    const random = makeRandom(seed)
    for (const kind of ["max", "last", "unique"] as const) {
      const { license, report } = await sold(kind, { max_consumptions: 12, period: "month" })
      const months = new Map<string, Array<Told>>()
      // No two uses are at the same time, and none is later than the clock.
      const times = Array.from(
        { length: 40 },
        (_, index) => turned - 6 * day + index * 3_600_000 * 4 + random.below(9_000_000)
      )
      const queue = times.filter((time) => time <= turned)
      while (queue.length > 0) {
        const [time] = queue.splice(random.below(Math.min(4, queue.length)), 1)
        const use = { at: time!, amount: 1 + random.below(14), user: `u${random.below(16)}` }
        const month = months.get(monthOf(use.at)) ?? []
        const after = measure(kind, [...month, use])
        const rises = after > measure(kind, month)
        const row = await report(use.amount, use.at, use.user, random.pick([service, other]))
        if (rises && after > 12) assert.strictEqual(row["error"]?.code, "FEATURE_QUOTA_EXCEEDED")
        else {
          assert.notProperty(row, "error")
          months.set(monthOf(use.at), [...month, use])
        }
      }
      const { rows } = await service.data(
        "GET",
        `/api/v1/reports/usage-summary?license_id=${license.id}&bucket=1mo&from=2034-12-01T00:00:00Z&to=2035-03-01T00:00:00Z`
      )
      const expected = [...months].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, told]) => measure(kind, told))
      assert.deepStrictEqual(rows.map(({ amount }: Body) => amount).filter((amount: number) => amount > 0), expected)
    }
    await consistent()
  })
})
