import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../fixtures/Doctor.ts"
import { GrantOracle } from "../../fixtures/GrantOracle.ts"
import { movedNodes } from "../../fixtures/MovedClock.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { refused } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const day = 86_400_000
const begun = Date.UTC(2027, 0, 10)

const { clock, other, service } = await movedNodes(begun)

const sold = async (...plans: Parameters<typeof soldUnder>[1]) => {
  const license = await soldUnder(service, plans)
  const grants = `/api/v1/licenses/${license.license.id}/grants`
  const give = (body: object): Promise<Answer> =>
    service.call("POST", grants, { body: { feature_code: "render", ...body } })
  return {
    ...license,
    give,
    given: async (body: object): Promise<Body> => {
      const answer = await give(body)
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body.data
    },
    /** Puts the license under the plan of an index. */
    moveTo: (plan: number): Promise<Body> => license.change(license.policies[plan]!),
    revoke: (id: string): Promise<Body> => service.data("POST", `${grants}/${id}/revoke`, { reason: "refunded" }),
    left: async (): Promise<ReadonlyArray<number>> =>
      (await service.data("GET", `${grants}?order=asc&limit=200`)).map(({ remaining }: Body) => remaining)
  }
}

const served = async (answer: Promise<Answer>): Promise<Body> => {
  const { body, status, text } = await answer
  assert.strictEqual(status, 200, text)
  return body.data.features[0]
}

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

const at = (millis: number): string => new Date(millis).toISOString()

describe("grants beside a quota", () => {
  it("are taken by what ends soonest, then by priority, then the oldest, and one use may span several", async () => {
    await clock.set(begun)
    const { consume, given, left, license, shown } = await sold({ max_consumptions: 10, period: "month" })
    await given({ amount: 5, expires_at: at(begun + 300 * day) })
    await given({ amount: 5, expires_at: at(begun + 300 * day), priority: 1 })
    await given({ amount: 5 })
    await given({ amount: 5, expires_at: at(begun + day) })
    assert.deepInclude(await shown(), {
      max_consumptions: 30,
      remaining: 30,
      granted_remaining: 20,
      next_grant_expires_at: at(begun + day)
    })
    // The one that ends tomorrow, the quota of this month, then by priority.
    assert.deepInclude(await served(consume(17)), {
      quota: 30,
      consumed: 17,
      remaining: 13,
      granted_remaining: 13,
      next_grant_expires_at: at(begun + 300 * day)
    })
    assert.deepStrictEqual(await left(), [5, 3, 5, 0])
    await served(consume(9))
    assert.deepStrictEqual(await left(), [0, 0, 4, 0])
    refused(await consume(5), 403, "FEATURE_QUOTA_EXCEEDED")
    await served(consume(4))
    const [first] = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    assert.deepStrictEqual(first.data.grants.map(({ amount }: Body) => amount), [5, 2])
    const reached = await service.feed(`&event_type=license.quota_reached&resource_id=${license.id}`)
    assert.lengthOf(reached, 1)
    await consistent()
  })

  it("outlive the period of the quota and a change of policy, end when they say, and begin when they say", async () => {
    await clock.set(begun)
    const { consume, given, left, license, path, policies, shown } = await sold(
      { max_consumptions: 10, period: "month" },
      { max_consumptions: 3 }
    )
    await given({ amount: 8 })
    await given({ amount: 4, starts_at: at(begun + 5 * day), expires_at: at(begun + 9 * day) })
    await served(consume(12))
    assert.deepInclude(await shown(), { remaining: 6, granted_remaining: 6, period_consumptions: 12 })
    await clock.set(begun + 6 * day)
    assert.deepInclude(await shown(), { remaining: 10, granted_remaining: 10 })
    await served(consume(1))
    assert.deepStrictEqual(await left(), [6, 3])
    await clock.set(begun + 9 * day)
    assert.deepInclude(await shown(), { remaining: 6, granted_remaining: 6 })
    assert.deepStrictEqual(await left(), [6, 0])
    await clock.set(Date.UTC(2027, 1, 1))
    assert.deepInclude(await shown(), { max_consumptions: 16, remaining: 16, period_consumptions: 0 })
    await service.data("POST", `${path}/change-policy`, { policy_id: policies[1]!.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    // All that was used counts against a quota without periods, but for what grants served.
    assert.deepInclude(await shown(), { total_consumptions: 13, granted_consumptions: 3, remaining: 6 })
    await served(consume(6))
    refused(await consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    const explain = (asked: object) =>
      service.data("POST", `${path}/explain`, { operation: "consume", feature_code: "render", ...asked })
    await given({ amount: 2 })
    assert.isTrue((await explain({ amount: 2 })).is_allowed)
    assert.deepInclude((await explain({ amount: 3 })).findings[0].term, { granted_remaining: 2 })
    const events = await service.feed(`&event_type=license.grant_given&resource_id=${license.id}`)
    assert.deepStrictEqual(events.map(({ data }) => data.amount), [8, 4, 2])
    await consistent()
  })

  it("are served before the overage, and overage is counted against the quota alone", async () => {
    await clock.set(begun)
    const { consume, given, license, shown } = await sold({ max_consumptions: 10, overage: "10%" })
    await given({ amount: 5 })
    assert.deepInclude(await served(consume(16)), { consumed: 16, quota: 15, remaining: 0, over: 1 })
    refused(await consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    await given({ amount: 2 })
    assert.deepInclude(await shown(), { remaining: 2, over: 1 })
    await served(consume(2))
    refused(await consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.lengthOf(await service.feed(`&event_type=license.overage_started&resource_id=${license.id}`), 1)
    await consistent()
  })

  it("are revoked, and a correction takes units away until it ends", async () => {
    await clock.set(begun)
    const { consume, given, left, license, revoke, shown } = await sold({ max_consumptions: 10, period: "month" })
    const pack = await given({ amount: 8 })
    await served(consume(13))
    const taken = await given({ amount: -4, source: "correction", reason: "counted twice" })
    assert.strictEqual(taken.expires_at, "2027-02-01T00:00:00.000Z")
    assert.deepInclude(await shown(), { remaining: 5, granted_remaining: 5 })
    assert.deepInclude(await revoke(pack.id), { remaining: 0, used: 3 })
    assert.isDefined((await revoke(pack.id)).revoked_at)
    assert.deepInclude(await shown(), { remaining: 0 })
    assert.deepStrictEqual(await left(), [0, 0])
    await clock.set(Date.UTC(2027, 1, 1))
    assert.deepInclude(await shown(), { max_consumptions: 10, remaining: 10 })
    refused(await service.call("GET", `/api/v1/licenses/${license.id}/grants/grant_none`), 404, "NOT_FOUND")
    await consistent()
  })

  it("stay beside corrections of the use and a removed assignment", async () => {
    await clock.set(begun)
    const { consume, feature, given, path, reset, shown } = await sold({ max_consumptions: 10, period: "month" })
    await given({ amount: 10 })
    await served(consume(14))
    assert.deepInclude(await reset({ total_consumptions: 12 }), { period_consumptions: 12, remaining: 8 })
    assert.deepInclude(await reset({ add_credits: 5 }), { max_consumptions: 25, credits: 5, remaining: 13 })
    assert.deepInclude(await reset({ reset_consumed: true }), { total_consumptions: 0, remaining: 21 })
    await service.data("POST", `${path}/features`, { feature_id: feature.id, max_consumptions: 2 })
    await served(consume(3))
    assert.deepInclude(await shown(), { remaining: 5, granted_remaining: 5 })
    await service.call("DELETE", `${path}/features/${feature.id}`)
    assert.deepInclude(await shown(), { total_consumptions: 0, remaining: 15, granted_remaining: 5 })
    await served(consume(11))
    assert.deepInclude(await shown(), { remaining: 4 })
    await consistent()
  })

  it("are corrected in a period whose total was corrected before, while the quota had none", async () => {
    await clock.set(begun)
    const { consume, given, moveTo, reset } = await sold({ max_consumptions: 10, period: "month" }, {
      max_consumptions: 5
    })
    await given({ amount: 20 })
    await served(consume(30))
    await moveTo(1)
    assert.deepInclude(await reset({ reset_consumed: true }), { total_consumptions: 0, granted_consumptions: 0 })
    await moveTo(0)
    assert.deepInclude(await reset({ reset_consumed: true }), {
      period_consumptions: 0,
      granted_consumptions: 0,
      granted_period_consumptions: 0,
      remaining: 10
    })
    await consistent()
  })

  it("are at most as many as JSON carries exactly, together with the quota and with each other", async () => {
    const most = Number.MAX_SAFE_INTEGER
    await clock.set(begun)
    const { consume, given, reset, shown } = await sold({ max_consumptions: 0 })
    await given({ amount: 1 })
    assert.deepInclude(await reset({ max_consumptions: most }), { max_consumptions: most, remaining: most })
    assert.deepInclude(await served(consume(2)), { remaining: most - 1 })
    const later = await sold({ max_consumptions: 0 })
    for (const amount of [most, most]) await later.given({ amount, starts_at: at(begun + day) })
    await clock.set(begun + 2 * day)
    assert.deepInclude(await later.shown(), { max_consumptions: most, remaining: most, granted_remaining: most })
    assert.deepInclude(await served(later.consume(1)), { consumed: 1, quota: most })
    assert.deepInclude(await shown(), { total_consumptions: 2 })
  })
})

describe("explain of a past instant", () => {
  it("counts what was left of the quota and its grants then", async () => {
    await clock.set(Date.now())
    const { consume, given, path } = await sold({ max_consumptions: 3 })
    const pack = await given({ amount: 5 })
    await served(consume(6))
    await new Promise((resolve) => setTimeout(resolve, 20))
    const past = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const [use] = await service.feed(`&event_type=license.usage_recorded&resource_id=${path.split("/").at(-1)}`)
    await service.data("POST", `${path}/usage/refund`, {
      feature_code: "render",
      event_id: use.data.event_id,
      amount: 2
    })
    await served(consume(1))
    await service.data("POST", `${path}/grants/${pack["id"]}/revoke`)
    const then = async (amount: number): Promise<boolean> =>
      (await service.data("POST", `${path}/explain`, {
        operation: "consume",
        feature_code: "render",
        amount,
        at: past
      })).is_allowed
    assert.deepStrictEqual([await then(2), await then(3)], [true, false])
  })
})

describe("giving units", () => {
  it("grants once for a reference, and refuses what makes no grant", async () => {
    await clock.set(begun)
    const { give, given, left, license } = await sold({ max_consumptions: 0 })
    const order = { amount: 5, reference: "order-1" }
    const first = await given(order)
    assert.strictEqual((await given(order)).id, first.id)
    const repeated = await Promise.all(Array.from({ length: 8 }, () => give({ amount: 7, reference: "order-2" })))
    assert.lengthOf([...new Set(repeated.map(({ body }) => body.data.id))], 1)
    assert.deepStrictEqual(await left(), [5, 7])
    refused(await give({ ...order, amount: 6 }), 409, "IDEMPOTENCY_CONFLICT")
    const invalid: ReadonlyArray<readonly [object, string]> = [
      [{ amount: 0 }, "amount"],
      [{ amount: -1 }, "amount"],
      [{ amount: 1, source: "correction" }, "reason"],
      [{ amount: -1, source: "correction", reason: "in error" }, "expires_at"],
      [{ amount: 1, expires_at: at(begun - day) }, "expires_at"],
      [{ amount: 1, starts_at: at(begun + 2 * day), expires_at: at(begun + day) }, "expires_at"],
      [{ amount: Number.MAX_SAFE_INTEGER }, "amount"],
      [{ amount: 1, feature_id: "feat_1" }, "feature_id"]
    ]
    for (const [body, path] of invalid) {
      assert.strictEqual(refused(await give(body), 422, "VALIDATION_ERROR").fields[0].path, path)
    }
    refused(await give({ amount: 1, feature_code: "none" }), 404, "NOT_FOUND")
    const unlimited = await sold({})
    assert.strictEqual(refused(await unlimited.give({ amount: 1 }), 422, "VALIDATION_ERROR").fields[0].code, "no_quota")
    assert.lengthOf(await service.feed(`&event_type=license.grant_given&resource_id=${license.id}`), 2)
  })
})

describe("many callers and many grants", () => {
  it("100 callers on two nodes take exactly the units of two grants and the quota", async () => {
    await clock.set(begun)
    const { consume, given, left, license } = await sold({ max_consumptions: 30, period: "month" })
    await given({ amount: 20, expires_at: at(begun + day) })
    await given({ amount: 17 })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => consume(1, index % 2 === 0 ? service : other))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 67)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepStrictEqual(await left(), [0, 0])
    assert.lengthOf(await service.feed(`&event_type=license.quota_reached&resource_id=${license.id}`), 1)
    await consistent()
  })

  it("a use takes of all that are open, spent ones are not, and 100 may be open at a time", async () => {
    await clock.set(begun)
    const { consume, feature, give, given, license } = await sold({ max_consumptions: 0 })
    await given({ amount: 1 })
    await served(consume(1))
    const sql = await session(clock.databaseUrl)
    await sql.query(
      `INSERT INTO license_grants (id, license_id, feature_id, amount, starts_at, priority, source)
      SELECT 'grant_' || n, $1, $2, 1, now(), 100, 'gift' FROM generate_series(1, 99) n`,
      [license.id, feature.id]
    )
    await given({ amount: 1 })
    refused(await give({ amount: 1 }), 409, "STATE_CONFLICT")
    await served(consume(99))
    const [open] = await sql.query("SELECT count(*)::int AS n FROM license_grants WHERE license_id = $1 AND is_open", [
      license.id
    ])
    assert.strictEqual(open.n, 1)
    await sql.query("DELETE FROM license_grants WHERE license_id = $1 AND created_at IS NOT NULL AND source = 'gift'", [
      license.id
    ])
  })
})

/** A small generator of random numbers, so that a run repeats from its seed. */
const dice = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

describe("random histories of grants", () => {
  it("come to what plain code says, on two nodes, through months", async () => {
    const seed = Number(process.env["COUNTERSIGN_TEST_SEED"] ?? Date.now() % 2 ** 31)
    const roll = dice(seed)
    let now = Date.UTC(2028, 0, 20)
    await clock.set(now)
    const { consume, given, left, path, policies, revoke, shown } = await sold(
      { max_consumptions: 12, period: "month" },
      { max_consumptions: 5, period: "month" }
    )
    const oracle = new GrantOracle(12)
    const ids: Array<string> = []
    const acts = [
      async () => {
        const asked = { amount: 1 + roll(9), priority: 99 + roll(3), expires_at: at(now + (1 + roll(40)) * day) }
        const grant = await given(roll(4) === 0 ? { amount: asked.amount, priority: asked.priority } : asked)
        oracle.give({
          ...asked,
          starts: Date.parse(grant.starts_at),
          ends: grant.expires_at === undefined ? Infinity : Date.parse(grant.expires_at)
        })
        ids.push(grant.id)
      },
      async () => {
        const amount = 1 + roll(8)
        const { status, text } = await consume(amount, roll(2) === 0 ? service : other)
        assert.strictEqual(status === 200, oracle.use(amount, now + 60_000), `seed ${seed}: ${text}`)
      },
      async () => {
        const index = roll(ids.length + 3)
        if (ids[index] === undefined) return
        await revoke(ids[index])
        oracle.grants[index]!.revoked = true
      },
      async () => {
        const taken = await given({ amount: -1 - roll(4), source: "correction", reason: "found out" })
        oracle.give({
          amount: taken.amount,
          priority: 100,
          starts: Date.parse(taken.starts_at),
          ends: Date.parse(taken.expires_at)
        })
        ids.push(taken.id)
      },
      async () => {
        now += (1 + roll(12)) * day
        await clock.set(now)
      },
      async () => {
        const plan = oracle.quota === 12 ? 1 : 0
        await service.data("POST", `${path}/change-policy`, { policy_id: policies[plan]!.id }, {
          headers: { "idempotency-key": randomUUID() }
        })
        oracle.quota = plan === 0 ? 12 : 5
      }
    ]
    for (let round = 0; round < 60; round++) {
      await acts[[0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 5][roll(11)]!]!()
      const soon = now + 60_000
      assert.strictEqual((await shown())["remaining"], oracle.left(soon), `seed ${seed}, round ${round}`)
      assert.deepStrictEqual(
        await left(),
        oracle.grants.map((grant) => oracle.leftOf(grant, soon)),
        `seed ${seed}, round ${round}`
      )
    }
    await consistent()
  })
})

describe("a refund of a use", () => {
  it("gives back to the grants that served it, whole or in part, and never more than was used", async () => {
    await clock.set(begun)
    const { consume, given, key, left, license, shown } = await sold({ max_consumptions: 10, period: "month" })
    await given({ amount: 4, expires_at: at(begun + day) })
    await given({ amount: 6 })
    const answer = await consume(17)
    assert.strictEqual(answer.status, 200, answer.text)
    const [{ data: use }] = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    const refund = (body: object, event_id: string = use.event_id) =>
      service.call("POST", `/api/v1/licenses/${license.id}/usage/refund`, {
        body: { feature_code: "render", event_id, ...body }
      })
    const part = await refund({ amount: 2 })
    assert.deepInclude(part.body.data, { amount: 2, refunded: 2 })
    assert.deepInclude(part.body.data.feature, { remaining: 5, period_consumptions: 15 })
    assert.deepStrictEqual(await left(), [0, 5])
    refused(await refund({ amount: 16 }), 422, "VALIDATION_ERROR")
    refused(await refund({}, "none"), 404, "NOT_FOUND")
    const rest = await refund({})
    assert.deepInclude(rest.body.data, { amount: 15, refunded: 17 })
    assert.deepStrictEqual(await left(), [4, 6])
    assert.deepInclude(await shown(), { remaining: 20, total_consumptions: 0, granted_consumptions: 0 })
    assert.strictEqual(refused(await refund({}), 409, "STATE_CONFLICT").detail, "refunded")
    // The use stays, and counts no second time.
    const { event_id } = use
    const again = { fingerprint: "a", feature_code: "render", event_id, amount: 17 }
    assert.deepInclude(await served(service.license("consume", key, again)), { consumed: 0, remaining: 20 })
    const ledger = await service.data("GET", `/api/v1/reports/usage-ledger?license_id=${license.id}`)
    assert.deepStrictEqual(ledger.map(({ amount }: Body) => amount), [-15, -2, 17])
    await consistent()
    // What is lost of a refund would allow another one.
    const sql = await session(clock.databaseUrl)
    await sql.query("CREATE TABLE kept_corrections AS SELECT * FROM usage_corrections")
    const own = `WHERE license_id = '${license.id}'`
    await sql.query(`UPDATE usage_records SET refunded = NULL, period_start = period_start - interval '1 day' ${own}`)
    await sql.query(`UPDATE usage_corrections SET amount = 0, refund_of = 'x', grants = '[]' ${own}`)
    const { found } = await examine(clock.databaseUrl)
    assert.deepStrictEqual([...new Set(found.map(({ member, resource }) => `${resource} ${member}`))].toSorted(), [
      "usage_correction amount",
      "usage_correction grants",
      "usage_correction refund_of",
      "usage_record period_start",
      "usage_record refunded"
    ])
    await sql.query(`UPDATE usage_records SET refunded = 17, period_start = period_start + interval '1 day' ${own}`)
    await sql.query(`UPDATE usage_corrections c SET amount = k.amount, refund_of = k.refund_of, grants = k.grants
      FROM kept_corrections k WHERE k.id = c.id`)
    await sql.query("DROP TABLE kept_corrections")
    await consistent()
  })

  it("of a quota without a period takes nothing from the count of a month that began to be counted later", async () => {
    await clock.set(Date.now())
    const { consume, license, moveTo, path } = await sold({ max_consumptions: 100 }, {
      max_consumptions: 100,
      period: "month"
    })
    await served(consume(50))
    await moveTo(1)
    await served(consume(60))
    const [use] = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    const { feature } = await service.data("POST", `${path}/usage/refund`, {
      feature_code: "render",
      event_id: use.data.event_id
    })
    assert.deepInclude(feature, { total_consumptions: 60, period_consumptions: 60, remaining: 40 })
    await consistent()
  })

  it("of an earlier period, or before a correction, brings back grants alone", async () => {
    await clock.set(begun)
    const { consume, given, left, license, path, shown } = await sold({ max_consumptions: 10, period: "month" })
    await given({ amount: 6 })
    await consume(12)
    await clock.set(Date.UTC(2027, 1, 3))
    await consume(3)
    const uses = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    const refund = (index: number) =>
      service.data("POST", `${path}/usage/refund`, {
        feature_code: "render",
        event_id: uses[index].data.event_id,
        reason: "the render failed"
      })
    assert.deepInclude((await refund(0)).feature, { period_consumptions: 3, total_consumptions: 3, remaining: 13 })
    assert.deepStrictEqual(await left(), [6])
    await service.data("POST", `${path}/usage/reset`, { feature_code: "render", total_consumptions: 1 })
    assert.deepInclude((await refund(1)).feature, { period_consumptions: 1, remaining: 15 })
    assert.deepInclude(await shown(), { remaining: 15 })
    await consistent()
  })
})

describe("thresholds of a quota", () => {
  it("are announced once a period, by exactly one of many callers on two nodes", async () => {
    await clock.set(begun)
    const { consume, given, license, policies, reset } = await sold({
      max_consumptions: 40,
      period: "month",
      // Their order says nothing.
      quota_thresholds: [80, 50, 100]
    })
    const told = async () =>
      (await service.feed(`&event_type=license.quota_threshold&resource_id=${license.id}`)).map(({ data }) => [
        data.percentage,
        data.used
      ])
    await Promise.all(Array.from({ length: 45 }, (_, index) => consume(1, index % 2 === 0 ? service : other)))
    assert.deepStrictEqual(await told(), [[50, 20], [80, 32], [100, 40]])
    // Of a larger quota 80 % are used already, and all of it is once more.
    await given({ amount: 10 })
    await served(consume(10))
    assert.deepStrictEqual((await told()).slice(3), [[100, 50]])
    await clock.set(Date.UTC(2027, 1, 1))
    await served(consume(33))
    assert.deepStrictEqual((await told()).slice(4), [[50, 33], [80, 33]])
    await reset({ reset_consumed: true })
    await served(consume(20))
    assert.deepStrictEqual((await told()).slice(6), [[50, 20]])
    const grants = `/api/v1/products/${policies[0]!["product_id"]}/policies/${policies[0]!["id"]}/features`
    const refusedBy = async (quota_thresholds: unknown) =>
      refused(
        await service.call("POST", grants, {
          body: { feature_id: (await service.data("GET", grants))[0].feature_id, quota_thresholds }
        }),
        422,
        "VALIDATION_ERROR"
      )
    for (const wrong of [[], [0], [50, 80, 50], [1001]]) await refusedBy(wrong)
    await consistent()
  })

  it("are announced of each pack, where packs are all that is sold", async () => {
    await clock.set(begun)
    const { consume, given, license } = await sold({ max_consumptions: 0, quota_thresholds: [80, 100] })
    for (const pack of [100, 100]) {
      await given({ amount: pack })
      for (const amount of [50, 40, 10]) await served(consume(amount))
    }
    const told = await service.feed(`&event_type=license.quota_threshold&resource_id=${license.id}`)
    assert.deepStrictEqual(told.map(({ data }) => [data.percentage, data.used]), [[80, 90], [100, 100], [80, 190], [
      100,
      200
    ]])
    await consistent()
  })
})
