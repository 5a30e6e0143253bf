import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeSubscription } from "../../../fixtures/Commerce.ts"
import { featureTable } from "../../../fixtures/featureTable.ts"
import type { FeatureRow, TableGrant } from "../../../fixtures/featureTable.ts"
import { movedNodes } from "../../../fixtures/MovedClock.ts"
import type { Answer, Issued, Service } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const { clock, other, service } = await movedNodes()

const consume = (key: string, amount: number, node: Service = service): Promise<Answer> =>
  node.license("consume", key, { fingerprint: "a", feature_code: "render", event_id: randomUUID(), amount })

const granted = ({ max_consumptions, ...grant }: TableGrant) => ({
  ...grant,
  ...(max_consumptions === undefined ? {} : { max_consumptions })
})

/** A license with a device, and the feature `render` as a policy and an assignment grant it. */
const metered = async (
  { license, policy }: { readonly policy?: TableGrant | undefined; readonly license?: TableGrant | undefined },
  more: { readonly policy?: object; readonly license?: (product: Body) => Promise<object> } = {}
): Promise<Issued & { readonly feature: Body }> => {
  const code = randomUUID()
  const product = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code })
  const made = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Pro",
    code: "pro",
    license_type: "subscription",
    ...more.policy
  })
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Rendering",
    code: "render"
  })
  if (policy !== undefined) {
    await service.data("POST", `/api/v1/products/${product.id}/policies/${made.id}/features`, {
      feature_id: feature.id,
      ...granted(policy)
    })
  }
  const issued = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: made.id,
    ...await more.license?.(product)
  })
  if (license !== undefined) {
    await service.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
      feature_id: feature.id,
      ...granted(license)
    })
  }
  const activated = await service.license("activate", issued.license_key, { fingerprint: "a" })
  assert.strictEqual(activated.status, 200, activated.text)
  return { product, policy: made, license: issued.license, key: issued.license_key, feature }
}

const act = (id: string, action: string) => service.data("POST", `/api/v1/licenses/${id}/${action}`)
const patch = (id: string, body: object) => service.data("PATCH", `/api/v1/licenses/${id}`, body)

const states: Readonly<Record<FeatureRow["state"], (id: string) => Promise<unknown>>> = {
  active: () => Promise.resolve(),
  suspended: (id) => act(id, "suspend"),
  revoked: (id) => act(id, "revoke"),
  expired: (id) => patch(id, { expires_at: "2035-11-01T00:00:00Z" }),
  grace: (id) => patch(id, { expires_at: "2035-11-19T00:00:00Z" })
}

const shown = ({ body, status }: Answer): string => {
  if (status !== 200) return body.error.code
  const [{ consumed, over, quota }] = body.data.features
  return `${consumed}/${quota ?? "-"}${over === undefined ? "" : `+${over}`}`
}

describe("a use, by policy, assignment, period, overage and state", () => {
  // Rows are asked side by side: in one month first, then, once for all, in the next; both lie ahead of the time of records.
  const october = "2035-10-20T12:00:00Z"
  const november = "2035-11-20T12:00:00Z"
  const answers = new Map<string, Answer>()

  beforeAll(async () => {
    await clock.set(october)
    const made = await Promise.all(featureTable.map(async (row) => {
      const issued = await metered(row, {
        policy: { grace_period_days: 7 },
        license: async (product) => ({
          // Quotas that were counted under another rule would not be of a period: the license began long before.
          starts_at: "2034-01-15T00:00:00Z",
          subscription_id: (await makeSubscription(service, product, {
            current_period_start: "2035-10-10T00:00:00Z",
            current_period_end: "2035-11-10T00:00:00Z"
          })).id
        })
      })
      if (row.before > 0) assert.strictEqual((await consume(issued.key, row.before)).status, 200, row.situation)
      return { row, issued }
    }))
    await clock.set(november)
    await Promise.all(made.map(async ({ issued, row }) => {
      const { subscription_id } = issued.license
      await service.data("PATCH", `/api/v1/subscriptions/${subscription_id}`, {
        current_period_start: "2035-11-10T00:00:00Z",
        current_period_end: "2035-12-10T00:00:00Z"
      })
      if (row.now > 0) assert.strictEqual((await consume(issued.key, row.now)).status, 200, row.situation)
      await states[row.state](issued.license.id)
      answers.set(row.situation, await consume(issued.key, row.asked))
    }))
  })

  it.each(featureTable)("$situation: $answer", ({ answer, situation }) => {
    assert.strictEqual(shown(answers.get(situation)!), answer, answers.get(situation)!.text)
  })
})

describe("a quota at the turn of its month", () => {
  it("admits exactly its amount in each month, whichever of two nodes counts", async () => {
    const quota = 40
    await clock.set("2034-11-20T12:00:00Z")
    const { key, license } = await metered({ policy: { max_consumptions: quota, period: "month" } })
    // Two seconds before the month ends on the database's clock, and until some seconds of the next have passed.
    await clock.set("2034-11-30T23:59:58Z")
    const admitted = new Map<string, number>()
    let refusedInNext = 0
    const caller = async (node: Service) => {
      while (refusedInNext < 10) {
        const answer = await consume(key, 1, node)
        if (answer.status === 200) {
          const [{ period_ends_at }] = answer.body.data.features
          admitted.set(period_ends_at, (admitted.get(period_ends_at) ?? 0) + 1)
        } else {
          assert.strictEqual(answer.body.error.code, "FEATURE_QUOTA_EXCEEDED")
          if (admitted.has("2035-01-01T00:00:00.000Z")) refusedInNext++
        }
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, index) => caller(index % 2 === 0 ? service : other)))
    assert.deepStrictEqual(
      [...admitted].toSorted(([a], [b]) => a < b ? -1 : 1),
      [["2034-12-01T00:00:00.000Z", quota], ["2035-01-01T00:00:00.000Z", quota]]
    )
    const uses = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    const byPeriod = new Map<string, Array<number>>()
    for (const { data } of uses) {
      byPeriod.set(data.period_start, [...byPeriod.get(data.period_start) ?? [], data.period_consumptions])
    }
    const upTo = Array.from({ length: quota }, (_, index) => index + 1)
    assert.deepStrictEqual([...byPeriod], [
      ["2034-11-01T00:00:00.000Z", upTo],
      ["2034-12-01T00:00:00.000Z", upTo]
    ])
    const reached = await service.feed(`&event_type=license.quota_reached&resource_id=${license.id}`)
    assert.deepStrictEqual(reached.map(({ data }) => data.period_start), [...byPeriod.keys()])
  })
})

describe("what answers tell of a quota that starts again", () => {
  it("until when it is counted, and nothing of the period before", async () => {
    await clock.set("2034-11-20T12:00:00Z")
    const { key, license } = await metered({ policy: { max_consumptions: 10, period: "month" } })
    const first = await consume(key, 4)
    assert.deepInclude(first.body.data.features[0], {
      quota: 10,
      consumed: 4,
      remaining: 6,
      period: "month",
      period_ends_at: "2034-12-01T00:00:00.000Z"
    })
    await clock.set("2034-12-01T00:00:00Z")
    const next = await service.license("check", key, { fingerprint: "a" })
    assert.deepInclude(next.body.data.features[0], {
      consumed: 0,
      remaining: 10,
      period_ends_at: "2035-01-01T00:00:00.000Z"
    })
    const [listed] = await service.data("GET", `/api/v1/licenses/${license.id}/features`)
    assert.deepInclude(listed, {
      total_consumptions: 4,
      max_consumptions: 10,
      remaining: 10,
      period: "month",
      period_start: "2034-12-01T00:00:00.000Z",
      period_consumptions: 0,
      from: "policy"
    })
  })

  it("corrections count in the period, and the total follows", async () => {
    await clock.set("2034-11-20T12:00:00Z")
    const { feature, key, license } = await metered({ policy: { max_consumptions: 10, period: "month" } })
    await consume(key, 8)
    await clock.set("2034-12-20T12:00:00Z")
    await consume(key, 5)
    const reset = (body: object) =>
      service.data("POST", `/api/v1/licenses/${license.id}/usage/reset`, { feature_id: feature.id, ...body })
    assert.deepInclude(await reset({ total_consumptions: 2 }), { period_consumptions: 2, total_consumptions: 10 })
    assert.deepInclude(await reset({ reset_consumed: true }), { period_consumptions: 0, total_consumptions: 8 })
    const more = await reset({ add_credits: 5 })
    assert.deepInclude(more, { max_consumptions: 15, remaining: 15, period: "month", credits: 5, from: "policy" })
    assert.strictEqual(shown(await consume(key, 15)), "15/15")
    assert.strictEqual(shown(await consume(key, 1)), "FEATURE_QUOTA_EXCEEDED")
  })

  it("explain tells which grant decided, now, at the turn, and in the past", async () => {
    await clock.set("2034-11-20T12:00:00Z")
    const { key, license } = await metered({ policy: { max_consumptions: 10, period: "month" } })
    await consume(key, 10)
    const explain = async (at?: string) =>
      service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
        operation: "consume",
        binding: { fingerprint: "a" },
        feature_code: "render",
        ...(at === undefined ? {} : { at })
      })
    const now = await explain()
    assert.isFalse(now.is_allowed)
    assert.deepStrictEqual(now.findings[0].term, { name: "features.max_consumptions", value: 10, from: "policy" })
    assert.isTrue((await explain("2034-12-01T00:00:00Z")).is_allowed)
    assert.isFalse((await explain("2034-11-30T23:59:59.999Z")).is_allowed)
  })
})
