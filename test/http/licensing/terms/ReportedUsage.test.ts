// Uses that a backend reports, without a device: counted as those of apps are, beside them, in the period in which they were.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { movedNodes } from "../../../fixtures/MovedClock.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import type { Answer, Service } from "../../../fixtures/Service.ts"
import { refused } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const day = 86_400_000
const begun = Date.UTC(2035, 0, 10)
const at = (millis: number): string => new Date(millis).toISOString()

const { clock, other, service } = await movedNodes(begun)

const post = (body: object, { node = service, token }: { readonly node?: Service; readonly token?: string } = {}) =>
  node.call("POST", "/api/v1/usage", { body, ...(token === undefined ? {} : { token }) })

const reported = async (uses: ReadonlyArray<unknown>, more: object = {}): Promise<Body> => {
  const { body, status, text } = await post({ uses, ...more })
  assert.strictEqual(status, 200, text)
  return body.data
}

/** What became of one use: its period or its error. */
const outcome = ({ results }: Body, index = 0): unknown =>
  results[index].error?.fields?.[0]?.code ?? results[index].error?.code ?? results[index].period_start ?? "counted"

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

const sold = async (...plans: Parameters<typeof soldUnder>[1]) => {
  const license = await soldUnder(service, plans)
  const use = (more: object = {}) => ({
    license_id: license.license.id,
    feature_code: "render",
    event_id: randomUUID(),
    ...more
  })
  return { ...license, use }
}

const events = (license: Body, type: string): Promise<ReadonlyArray<Body>> =>
  service.feed(`&event_type=license.${type}&resource_id=${license.id}`)

describe("usage that a backend reports", () => {
  it("counts each row by itself, and a repeated one nothing, whatever else is wrong", async () => {
    const { key, license, shown, use } = await sold({ max_consumptions: 10, overage: "deny" })
    const first = use({ amount: 4, used_at: at(begun - 1000) })
    const rows = [
      first,
      use({ amount: 7 }),
      use({ license_id: "lic_none" }),
      use({ feature_code: "none" }),
      { ...use(), license_id: undefined, license_key: key },
      { ...use(), license_id: undefined, license_key: "CS-NONE" },
      { ...use(), license_key: key },
      { ...use(), event_id: "" },
      first,
      { ...first, amount: 5 },
      use({ used_at: at(begun + day) }),
      7
    ]
    const answer = await reported(rows)
    assert.deepStrictEqual(rows.map((_, index) => outcome(answer, index)), [
      "counted",
      "FEATURE_QUOTA_EXCEEDED",
      "NOT_FOUND",
      "FEATURE_NOT_ENTITLED",
      "counted",
      "LICENSE_KEY_INVALID",
      "invalid_value",
      "invalid_value",
      "counted",
      "IDEMPOTENCY_CONFLICT",
      "in_future",
      "invalid_type"
    ])
    assert.deepInclude(answer, { counted: 2, repeated: 1, refused: 9 })
    assert.deepInclude(await shown(), { total_consumptions: 5, remaining: 5 })
    const again = await reported([first])
    const { index: _index, repeated, ...same } = again.results[0]
    assert.isTrue(repeated)
    assert.deepInclude(answer.results[0], same)
    const [told] = await events(license, "usage_recorded")
    assert.strictEqual(told.actor_type, "api_key")
    assert.notProperty(told.data, "device_id")
    assert.deepInclude(told.data, { amount: 4, remaining: 6, event_id: first.event_id })
    await consistent()
  })

  it("counts in the period of the use, up to seven days late, by the quota of that period", async () => {
    await clock.set(Date.UTC(2035, 0, 30))
    const { license, path, shown, use } = await sold({
      max_consumptions: 10,
      period: "month",
      quota_thresholds: [80]
    })
    await reported([use({ amount: 7, used_at: at(Date.UTC(2035, 0, 30)) })])
    const grant = await service.data("POST", `${path}/grants`, {
      feature_code: "render",
      amount: 2,
      expires_at: at(Date.UTC(2035, 1, 1))
    })
    await clock.set(Date.UTC(2035, 1, 3))
    await reported([use({ used_at: at(Date.UTC(2035, 1, 3)) })])
    const answer = await reported([
      use({ amount: 6, used_at: at(Date.UTC(2035, 1, 3) - day) }),
      use({ amount: 4, used_at: at(Date.UTC(2035, 0, 31)) }),
      use({ amount: 2, used_at: at(Date.UTC(2035, 0, 31)) }),
      use({ amount: 1, used_at: at(Date.UTC(2035, 0, 26)) })
    ])
    assert.deepStrictEqual([0, 1, 2, 3].map((index) => outcome(answer, index)), [
      "2035-02-01T00:00:00.000Z",
      "2035-01-01T00:00:00.000Z",
      "FEATURE_QUOTA_EXCEEDED",
      "too_late"
    ])
    assert.deepInclude(await shown(), { total_consumptions: 18, period_consumptions: 7, remaining: 3 })
    // The grant that ended with January served what the quota of January had not left.
    assert.deepInclude(await service.data("GET", `${path}/grants/${grant.id}`), { used: 1 })
    const told = await events(license, "usage_recorded")
    assert.deepInclude(told.at(-2).data, {
      is_late: true,
      used_at: "2035-01-31T00:00:00.000Z",
      period_consumptions: 11
    })
    // What January came to is no news of February.
    assert.lengthOf(await events(license, "quota_threshold"), 0)
    const month = await service.data(
      "GET",
      `/api/v1/reports/usage-summary?license_id=${license.id}&bucket=1mo&from=2035-01-01T00:00:00Z&to=2035-03-01T00:00:00Z`
    )
    assert.deepStrictEqual(month.rows.map(({ amount }: Body) => amount), [11, 7])
    // What ended is refused once more, and counts now where it is asked to.
    const late = use({ amount: 1, used_at: at(Date.UTC(2035, 0, 2)) })
    assert.strictEqual(outcome(await reported([late])), "too_late")
    assert.strictEqual(outcome(await reported([late], { late_uses: "count_now" })), "2035-02-01T00:00:00.000Z")
    assert.deepInclude(await shown(), { period_consumptions: 8, remaining: 2 })
    const explained = await service.data("POST", `${path}/explain`, {
      operation: "consume",
      feature_code: "render",
      amount: 5,
      at: at(Date.UTC(2035, 1, 3))
    })
    assert.strictEqual(explained.operation, "consume")
    await consistent()
  })

  it("finds the one license of a customer that grants the feature at that time", async () => {
    await clock.set(begun)
    const { license, path, use } = await sold({ max_consumptions: 10 })
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "ACME",
      code: randomUUID()
    })
    await service.data("PATCH", path, { customer_id: customer.id })
    const ofCustomer = (more: object = {}) => ({ ...use(more), license_id: undefined, customer_id: customer.id })
    const first = ofCustomer()
    const answer = await reported([first, ofCustomer({ feature_code: "other" }), { ...first, customer_id: "cus_none" }])
    assert.deepStrictEqual([0, 1, 2].map((index) => outcome(answer, index)), [
      "counted",
      "FEATURE_NOT_ENTITLED",
      "NOT_FOUND"
    ])
    const second = await service.data("POST", "/api/v1/licenses", {
      product_id: license.product_id,
      policy_id: license.policy_id,
      customer_id: customer.id
    })
    assert.strictEqual(outcome(await reported([ofCustomer()])), "ambiguous")
    // It was counted before there were two.
    assert.isTrue((await reported([first])).results[0].repeated)
    await service.data("POST", `/api/v1/licenses/${second.license.id}/suspend`)
    assert.strictEqual((await reported([ofCustomer()])).results[0].license_id, license.id)
    const limited = await service.data("POST", "/api/v1/api-keys", {
      name: "limited",
      scopes: ["license:write"],
      product_ids: [(await sold({ max_consumptions: 1 })).license.product_id]
    })
    const { body } = await post({ uses: [use(), ofCustomer()] }, { token: limited.token })
    assert.deepStrictEqual([0, 1].map((index) => outcome(body.data, index)), ["NOT_FOUND", "NOT_FOUND"])
  })

  it("is refunded in an earlier period, also where the running one was reset since", async () => {
    await clock.set(begun)
    const { path, reset, shown, use } = await sold({ max_consumptions: 10, period: "day" })
    const earlier = use({ amount: 10, used_at: at(begun) })
    await reported([earlier])
    await clock.set(begun + day)
    await reported([use({ amount: 4, used_at: at(begun + day) })])
    await reset({ reset_consumed: true })
    assert.deepInclude(await shown(), { total_consumptions: 10, period_consumptions: 0 })
    const refund = { feature_code: "render", event_id: earlier.event_id, amount: 3 }
    await service.data("POST", `${path}/usage/refund`, refund)
    assert.deepInclude(await shown(), { total_consumptions: 7, period_consumptions: 0 })
    const late = (amount: number) => reported([use({ amount, used_at: at(begun) })])
    assert.deepStrictEqual([outcome(await late(4)), outcome(await late(3))], ["FEATURE_QUOTA_EXCEEDED", at(begun)])
    await consistent()
  })

  it("asks without counting, and judges the license as it was at the time of the use", async () => {
    await clock.set(begun)
    const { path, shown, use } = await sold({ max_consumptions: 10 })
    assert.deepInclude(await reported([use({ amount: 4 }), use({ amount: 7 })], { dry_run: true }), {
      counted: 1,
      refused: 1
    })
    assert.deepInclude(await shown(), { total_consumptions: 0 })
    await service.data("PATCH", path, { expires_at: at(begun + day) })
    await clock.set(begun + 2 * day)
    assert.deepStrictEqual(
      [outcome(await reported([use({ used_at: at(begun + day / 2) })])), outcome(await reported([use()]))],
      ["counted", "LICENSE_EXPIRED"]
    )
    refused(await post({ uses: [] }), 422, "VALIDATION_ERROR")
    refused(await post({ uses: [use()] }, { token: "csk_none" }), 401, "UNAUTHENTICATED")
    await consistent()
  })

  it("gives the last units out once, to apps and backends on two nodes at once", async () => {
    await clock.set(begun)
    const { consume, license, shown, use } = await sold({ max_consumptions: 100 })
    const batch = Array.from({ length: 20 }, () => use())
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, (_, index) => consume(1, index % 2 === 0 ? service : other)),
      ...Array.from(
        { length: 6 },
        (_, index) => post({ uses: batch.map(() => use()) }, { node: index % 2 === 0 ? other : service })
      ),
      post({ uses: batch }),
      post({ uses: batch }, { node: other })
    ])
    const counted = answers.reduce(
      (sum, { body, status }: Answer) => sum + (status !== 200 ? 0 : body.data.counted ?? 1),
      0
    )
    assert.strictEqual(counted, 100)
    assert.deepInclude(await shown(), { total_consumptions: 100, remaining: 0 })
    assert.lengthOf(await events(license, "quota_reached"), 1)
    await consistent()
  })
})
