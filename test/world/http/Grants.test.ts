import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { dice } from "../../fixtures/Dice.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { GrantOracle } from "../../fixtures/GrantOracle.ts"
import { movedNodes } from "../../fixtures/MovedClock.ts"
import { soldUnder } from "../../fixtures/Plans.ts"
import type { Answer } from "../../fixtures/Service.ts"
import { refused } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"
import { statementOf } from "../../fixtures/StatementModel.ts"

takeTurns()

const day = 86_400_000
const hour = day / 24
const begun = Date.UTC(2035, 0, 10)

const { clock, other, service } = await movedNodes(begun)

const sold = (...plans: Parameters<typeof soldUnder>[1]) => soldIn({}, ...plans)

/** A license with these members of its own. */
const soldIn = async (more: object, ...plans: Parameters<typeof soldUnder>[1]) => {
  const license = await soldUnder(service, plans, more)
  const { id } = license.license
  const path = `/api/v1/licenses/${id}/grants`
  const listed = (): Promise<ReadonlyArray<Body>> => service.data("GET", `${path}?order=asc&limit=200`)
  const give = (body: object): Promise<Answer> =>
    service.call("POST", path, { body: { feature_code: "render", ...body } })
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
    revoke: (grant: string): Promise<Body> => service.data("POST", `${path}/${grant}/revoke`, { reason: "refunded" }),
    listed,
    found: (grant: string): Promise<Answer> => service.call("GET", `${path}/${grant}`),
    left: async (): Promise<ReadonlyArray<number>> => (await listed()).map(({ remaining }) => remaining),
    refund: (body: object): Promise<Answer> =>
      service.call("POST", `/api/v1/licenses/${id}/usage/refund`, { body: { feature_code: "render", ...body } }),
    /** Refunds as the app that made the use. */
    refundOwn: (body: object, on = service): Promise<Answer> =>
      on.license("usage/refund", license.key, { fingerprint: "a", feature_code: "render", ...body }),
    /** Reports a use of a time. */
    report: async (amount: number, used_at: number, on = service, event_id: string = randomUUID()): Promise<Body> => {
      const uses = [{ license_id: id, feature_code: "render", event_id, amount, used_at: at(used_at) }]
      return (await on.data("POST", "/api/v1/usage", { uses })).results[0]
    }
  }
}

/** Terms by which apps may refund their uses for as long as a policy can say. */
const byApps = { overrides: { refund_window_minutes: 44_640, max_activations: 2 } }

const served = async (answer: Promise<Answer>): Promise<Body> => {
  const { body, status, text } = await answer
  assert.strictEqual(status, 200, text)
  return body.data.features[0]
}

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

const at = (millis: number): string => new Date(millis).toISOString()

/** The only row of the statement of a license, which is what the feed says, and adds up. */
const stated = async (license: Body, from: number, to: number): Promise<Body> => {
  const { rows, summary } = await service.data(
    "GET",
    `/api/v1/reports/statement?license_id=${license["id"]}&from=${at(from)}&to=${at(to)}`
  )
  assert.lengthOf(rows, 1)
  const [{ feature_code, key: _key, license_id, product_id, ...figures }] = rows
  assert.deepStrictEqual(summary.features, [{ product_id, feature_code, ...figures }])
  const { feature_id: _feature, license_id: id, ...told } = statementOf(
    await service.feed(),
    license["id"],
    from,
    to
  )[0]!
  assert.deepStrictEqual({ ...figures, license_id }, { ...told, license_id: id })
  const { carried, closing, corrected, ended, given, opening, refunded, revoked, used } = figures
  assert.strictEqual(opening + given + carried + corrected + refunded - used - ended - revoked, closing)
  return figures
}

/** An instant of the server behind all that has happened: rows stand at its time, however the clock is moved. */
const happened = async (): Promise<number> => {
  const last = Date.parse((await service.feed()).at(-1)["created_at"])
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, last + 5 - Date.now())))
  return Date.now()
}

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
    await clock.set(Date.UTC(2035, 1, 1))
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
    const { consume, found, given, left, license, revoke, shown } = await sold({
      max_consumptions: 10,
      period: "month"
    })
    const pack = await given({ amount: 8 })
    await served(consume(13))
    const taken = await given({ amount: -4, source: "correction", reason: "counted twice" })
    assert.strictEqual(taken.expires_at, "2035-02-01T00:00:00.000Z")
    assert.deepInclude(await shown(), { remaining: 5, granted_remaining: 5 })
    assert.deepInclude(await revoke(pack.id), { remaining: 0, used: 3 })
    assert.isDefined((await revoke(pack.id)).revoked_at)
    assert.deepInclude(await shown(), { remaining: 0 })
    assert.deepStrictEqual(await left(), [0, 0])
    await clock.set(Date.UTC(2035, 1, 1))
    assert.deepInclude(await shown(), { max_consumptions: 10, remaining: 10 })
    const whole = [Date.UTC(2026, 0), Date.UTC(2035, 1, 1)] as const
    assert.deepInclude(await stated(license, ...whole), {
      given: 8,
      corrected: -4,
      used: 3,
      revoked: 5,
      ended: -4,
      closing: 0
    })
    refused(await found("grant_none"), 404, "NOT_FOUND")
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
    // Of uses that were deleted by age nobody knows what they took.
    const sql = await session(clock.databaseUrl)
    await sql.query("INSERT INTO pruned_tables (name, until) VALUES ('usage_records', now() - interval '1 day')")
    const asked = { operation: "consume", feature_code: "render", at: past }
    const [finding] =
      refused(await service.call("POST", `${path}/explain`, { body: asked }), 422, "VALIDATION_ERROR").fields
    assert.deepInclude(finding, { path: "at", code: "pruned" })
    await sql.query("DELETE FROM pruned_tables WHERE name = 'usage_records'")
    await sql.close()
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

  it("refunds beside 100 callers on two nodes give back what exactly as many of them take again", async () => {
    await clock.set(begun)
    const { consume, given, left, refund, refundOwn, shown } = await soldIn(byApps, {
      max_consumptions: 5,
      period: "month"
    })
    await given({ amount: 4, expires_at: at(begun + day) })
    await given({ amount: 3 })
    await served(consume(3, service, "small"))
    await served(consume(5, service, "large"))
    const callers = () => Array.from({ length: 100 }, (_, index) => consume(1, index % 2 === 0 ? service : other))
    const isServed = ({ status }: Answer) => status === 200
    const [first, refunds] = await Promise.all([
      Promise.all(callers()),
      Promise.all([{ event_id: "small", amount: 3 }, { event_id: "large", amount: 2 }].flatMap((use) => [
        refund(use),
        refundOwn(use, other)
      ]))
    ])
    // The small use is given back once, and of the large one 4 of 5.
    assert.lengthOf(refunds.filter(isServed), 3)
    const second = await Promise.all(callers())
    for (const answer of [...first, ...second]) if (!isServed(answer)) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    assert.lengthOf([...first, ...second].filter(isServed), 4 + 3 + 4)
    assert.deepStrictEqual(await left(), [0, 0])
    assert.deepInclude(await shown(), { remaining: 0, total_consumptions: 12 })
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

describe("random histories of grants", () => {
  it.each(someOf("histories of grants", [
    { by: "apps", acting: [0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 7] },
    // The clock of the test moves no rows, so that what is counted of earlier months are uses with times of their own.
    { by: "backends, some of them late", acting: [0, 0, 2, 3, 4, 4, 4, 5, 6, 7, 7, 8, 8, 9, 9, 9] }
  ], 1))("come to what plain code says, with refunds and rollovers, on two nodes, by $by", async ({ acting }) => {
    const seed = Number(process.env["COUNTERSIGN_TEST_SEED"] ?? Date.now() % 2 ** 31)
    const roll = dice(seed)
    let now = Date.UTC(2036, 0, 20)
    const start = now
    await clock.set(now)
    const first = await happened()
    const plans = [
      { quota: 12, rollover: { cap: 5, periods: 2 } },
      { quota: 5, rollover: { cap: 9, periods: 1 } },
      { quota: 8 }
    ]
    const { consume, edit, given, license, listed, moveTo, policies, refund, refundOwn, report, revoke, shown } =
      await soldIn(
        { starts_at: at(now), ...byApps },
        ...plans.map(({ quota, ...plan }) => ({ ...plan, max_consumptions: quota, period: "month" }))
      )
    let plan = 0
    const oracle = new GrantOracle(plans[0]!, now)
    const ids: Array<string> = []
    const used: Array<string> = []
    /** Those of the app, which it may refund as well as the vendor. */
    const own = new Set<string>()
    const node = () => roll(2) === 0 ? service : other
    const reported = async (then: number) => {
      const amount = 1 + roll(8)
      const event = randomUUID()
      const { error } = await report(amount, then, node(), event)
      assert.strictEqual(error === undefined, oracle.useLate(amount, then), `seed ${seed}: ${error?.message}`)
      if (error === undefined) used.push(event)
    }
    const acts = [
      async () => {
        const asked = { amount: 1 + roll(9), priority: 99 + roll(3), expires_at: at(now + (1 + roll(40)) * day) }
        const grant = await given(roll(4) === 0 ? { amount: asked.amount, priority: asked.priority } : asked)
        oracle.settle(now + 60_000)
        oracle.give({
          ...asked,
          starts: Date.parse(grant.starts_at),
          ends: grant.expires_at === undefined ? Infinity : Date.parse(grant.expires_at)
        })
        ids.push(grant.id)
      },
      async () => {
        const amount = 1 + roll(8)
        const event = randomUUID()
        const { status, text } = await consume(amount, node(), event)
        assert.strictEqual(status === 200, oracle.use(amount, now + 60_000), `seed ${seed}: ${text}`)
        if (status !== 200) return
        used.push(event)
        own.add(event)
      },
      async () => {
        const index = roll(ids.length + 3)
        if (ids[index] === undefined) return
        await revoke(ids[index])
        oracle.settle(now + 60_000)
        oracle.grants.filter(({ isCarried }) => !isCarried)[index]!.revoked = true
      },
      async () => {
        const taken = await given({ amount: -1 - roll(4), source: "correction", reason: "found out" })
        oracle.settle(now + 60_000)
        oracle.give({
          amount: taken.amount,
          priority: 100,
          starts: Date.parse(taken.starts_at),
          ends: Date.parse(taken.expires_at)
        })
        ids.push(taken.id)
      },
      async () => {
        const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()]
        // Often to the first days of a month, when uses of the one before are still reported.
        now = roll(2) === 0
          ? Date.UTC(year, month + 1, 1 + roll(4), 1)
          : now + (1 + roll(roll(4) === 0 ? 80 : 12)) * day
        await clock.set(now)
      },
      async () => {
        plan = (plan + 1 + roll(plans.length - 1)) % plans.length
        await moveTo(plan)
        oracle.settle(now + 60_000)
      },
      async () => {
        const [changed, quota] = [roll(plans.length), 4 + roll(10)]
        plans[changed] = { ...plans[changed]!, quota }
        await edit(policies[changed]!, { max_consumptions: quota })
      },
      async () => {
        const index = roll(used.length + 1)
        const left = oracle.uses[index]?.taken.reduce((sum, { amount }) => sum + amount, 0) ?? 0
        if (left === 0) return
        const amount = 1 + roll(left)
        const use = { event_id: used[index]!, amount }
        const answer = await (own.has(use.event_id) && roll(2) === 0 ? refundOwn(use, node()) : refund(use))
        assert.strictEqual(answer.status, 200, `seed ${seed}: ${answer.text}`)
        oracle.settle(now + 60_000)
        oracle.refund(oracle.uses[index]!, amount)
      },
      () => reported(now),
      // Of this month or of the one before it.
      () => reported(Math.max(start, now - roll(6 * 24) * hour))
    ]
    let middle = first
    for (let round = 0; round < 80; round++) {
      if (round === 40) middle = await happened()
      oracle.pass(now + 60_000)
      await acts[acting[roll(acting.length)]!]!()
      oracle.plan = plans[plan]!
      const soon = now + 60_000
      oracle.pass(soon)
      const run = `seed ${seed}, round ${round}`
      const { carried = [], remaining } = await shown()
      assert.strictEqual(remaining, oracle.left(soon), run)
      const grants = await listed()
      assert.deepStrictEqual(
        grants.filter(({ source }) => source !== "rollover").map(({ remaining }) => remaining),
        oracle.grants.filter(({ isCarried }) => !isCarried).map((grant) => oracle.leftOf(grant, soon)),
        run
      )
      const rolled = [...grants.filter(({ source }) => source === "rollover"), ...carried]
        .map(({ amount, remaining = amount, starts_at }) => [starts_at, remaining]).filter(([, left]) => left > 0)
      assert.deepStrictEqual(
        rolled.toSorted(),
        oracle.grants.filter(({ isCarried }) => isCarried).map((
          grant
        ) => [at(grant.starts), oracle.leftOf(grant, soon)])
          .filter(([, left]) => left !== 0).toSorted(),
        run
      )
    }
    const [former, latter, all] = [
      await stated(license, first, middle),
      await stated(license, middle, now + 60_000),
      await stated(license, first, now + 60_000)
    ]
    assert.deepStrictEqual([former["opening"], former["closing"]], [0, latter["opening"]])
    for (const flow of ["given", "carried", "corrected", "refunded", "used", "ended", "revoked", "uses", "amount"]) {
      assert.strictEqual(former[flow] + latter[flow], all[flow], `seed ${seed}: ${flow}`)
    }
    assert.strictEqual(
      all["used"] - all["refunded"],
      oracle.grants.reduce((sum, { used }) => sum + used, 0),
      `seed ${seed}`
    )
    assert.strictEqual(all["closing"], oracle.closing(now + 60_000), `seed ${seed}`)
    await consistent()
  })
})

describe("a quota that rolls over", () => {
  it("carries what is unused of each period, up to its cap, for its periods, however late it is read", async () => {
    await clock.set(Date.UTC(2036, 0, 31, 12))
    const { consume, left, license, listed, shown } = await soldIn(
      { starts_at: "2036-01-31T12:00:00Z" },
      { max_consumptions: 10, period: "license_month", rollover: { cap: 6, periods: 2 } }
    )
    await served(consume(7))
    // A month of the license that begins on the 31st ends on the 29th of February.
    await clock.set("2036-02-29T11:00:00Z")
    assert.notProperty(await shown(), "carried")
    await clock.set("2036-02-29T13:00:00Z")
    assert.deepInclude(await shown(), {
      remaining: 13,
      granted_remaining: 3,
      next_grant_expires_at: "2036-04-30T12:00:00.000Z",
      carried: [{ amount: 3, starts_at: "2036-02-29T12:00:00.000Z", expires_at: "2036-04-30T12:00:00.000Z" }]
    })
    // Two months later, of which nobody has read anything, what was left of the first has ended.
    await clock.set("2036-04-30T13:00:00Z")
    const { carried, remaining } = await shown()
    assert.deepStrictEqual(carried.map(({ amount }: Body) => amount), [6, 6])
    assert.strictEqual(remaining, 22)
    const many = await Promise.all(
      Array.from({ length: 30 }, (_, index) => consume(1, index % 2 === 0 ? service : other))
    )
    assert.lengthOf(many.filter(({ status }) => status === 200), 22)
    assert.deepStrictEqual(await left(), [0, 0])
    assert.deepStrictEqual((await listed()).map(({ source }) => source), ["rollover", "rollover"])
    assert.lengthOf(await service.feed(`&event_type=license.grant_given&resource_id=${license.id}`), 2)
    assert.notProperty(await shown(), "carried")
    await consistent()
  })

  it("is carried by the terms of each period, also of those that a policy or a license has no more", async () => {
    await clock.set(Date.UTC(2036, 0, 10))
    const { change, consume, edit, listed, policies, shown } = await soldIn(
      { starts_at: "2036-01-10T00:00:00Z" },
      { max_consumptions: 10, period: "month", rollover: { cap: 100, periods: 3 } },
      { max_consumptions: 1, period: "day", rollover: { cap: 1, periods: 1 } }
    )
    await clock.set(Date.UTC(2036, 1, 10))
    await edit(policies[0]!, { max_consumptions: 20 })
    await clock.set(Date.UTC(2036, 2, 10))
    await edit(policies[0]!, { rollover: null })
    await clock.set(Date.UTC(2036, 3, 10))
    assert.deepStrictEqual((await shown())["carried"].map(({ amount }: Body) => amount).toSorted(), [10, 20])
    await change(policies[1]!)
    assert.deepStrictEqual((await listed()).map(({ remaining }) => remaining).toSorted(), [10, 20])
    assert.notProperty(await shown(), "carried")
    await clock.set(Date.UTC(2036, 3, 12))
    assert.deepInclude(await shown(), { remaining: 32, granted_remaining: 31 })
    await served(consume(2))
    assert.deepInclude(await shown(), { remaining: 30, period_consumptions: 2 })
    for (const wrong of [{ max_consumptions: null }, { period: null }, { period: "subscription" }]) {
      const { edited } = { edited: edit(policies[1]!, wrong).then(() => true, () => false) }
      assert.isFalse(await edited)
    }
    await consistent()
  })

  it("serves a late use from what its period has carried, after the rest of its quota, and no unit twice", async () => {
    await clock.set(Date.UTC(2036, 0, 20))
    const plan = { max_consumptions: 10, period: "month", rollover: { cap: 6, periods: 1 } }
    const begins = { starts_at: "2036-01-20T00:00:00Z" }
    const [carrying, idle, changed] = [
      await soldIn(begins, plan),
      await soldIn(begins, plan),
      await soldIn(begins, plan)
    ] as const
    for (const { report } of [carrying, idle, changed]) await report(1, Date.UTC(2036, 0, 20))
    await clock.set(Date.UTC(2036, 1, 2))
    assert.notProperty(await carrying.report(1, Date.UTC(2036, 1, 2)), "error")
    assert.deepStrictEqual(await carrying.left(), [5])
    const late = Date.UTC(2036, 0, 30)
    assert.notProperty(await carrying.report(5, late, other, "late"), "error")
    assert.deepStrictEqual(await carrying.left(), [3])
    assert.deepInclude(await carrying.shown(), { remaining: 13 })
    assert.strictEqual((await carrying.report(4, late))["error"].code, "FEATURE_QUOTA_EXCEEDED")
    assert.notProperty(await carrying.report(3, late), "error")
    assert.deepStrictEqual(await carrying.left(), [0])
    assert.strictEqual((await carrying.report(1, late))["error"].code, "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual((await carrying.refund({ event_id: "late", amount: 3 })).status, 200)
    assert.deepStrictEqual(await carrying.left(), [2])
    // Of a month that nothing has counted: what it had carried itself is used first, and what it carries has less.
    await clock.set(Date.UTC(2036, 2, 3))
    const before = Date.UTC(2036, 1, 28)
    assert.deepStrictEqual((await idle.shown())["carried"].map(({ amount }: Body) => amount), [6])
    assert.notProperty(await idle.report(11, before), "error")
    assert.deepStrictEqual((await idle.shown())["carried"].map(({ amount }: Body) => amount), [5])
    assert.deepStrictEqual((await idle.listed()).map(({ source, used }) => [source, used]), [["rollover", 6]])
    // A change of the license has made a grant of it.
    await changed.given({ amount: 1 })
    assert.notProperty(await changed.report(8, before), "error")
    assert.deepStrictEqual((await changed.left()).toSorted(), [1, 2])
    assert.deepInclude(await changed.shown(), { remaining: 13 })
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
    // Half of the first grant ended with what the refund had returned to it.
    const whole = [Date.UTC(2026, 0), begun + day] as const
    assert.deepInclude(await stated(license, ...whole), {
      given: 10,
      refunded: 7,
      used: 7,
      ended: 4,
      closing: 6,
      amount: 17,
      within_quota: 10,
      adjusted: -17
    })
    // What ends at the end of a window ends in it, so that the next one does not begin with it.
    assert.include(await stated(license, begun + day, begun + 2 * day), { opening: 6, closing: 6, ended: 0 })
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

  it("is the app's own for uses of its device, as long as the window of its terms is open", async () => {
    await clock.set(begun)
    const { consume, given, key, left, license, path, refundOwn, report } = await sold(
      { max_consumptions: 10, period: "month" }
    )
    await given({ amount: 4, expires_at: at(begun + day) })
    await served(consume(6, service, "use"))
    const use = { event_id: "use" }
    const off = refused(await refundOwn(use), 403, "REFUND_NOT_ALLOWED")
    assert.strictEqual(off.detail, "the policy does not allow it")
    const explained = () =>
      service.data("POST", `${path}/explain`, { operation: "refund", binding: { fingerprint: "a" } })
    const why = await explained()
    assert.strictEqual(why.deciding_rule, "refund_not_allowed")
    assert.deepStrictEqual(why.findings[0].term, { name: "refund_window_minutes", from: "policy" })
    await service.data("PATCH", path, byApps)
    assert.isTrue((await explained()).is_allowed)
    await service.license("activate", key, { fingerprint: "b" })
    await report(1, begun, service, "reported")
    for (const none of [{ ...use, fingerprint: "b" }, { event_id: "reported" }, { event_id: "none" }]) {
      refused(await refundOwn(none), 404, "NOT_FOUND")
    }
    refused(await refundOwn({ ...use, fingerprint: "never seen" }), 404, "DEVICE_NOT_ACTIVATED")
    refused(await refundOwn({ ...use, feature_code: "other" }), 404, "NOT_FOUND")
    refused(await refundOwn({ ...use, amount: 7 }), 422, "VALIDATION_ERROR")
    const again = { "idempotency-key": randomUUID() }
    const asked = { fingerprint: "a", feature_code: "render", ...use, amount: 5, nonce: "n-0123456789" }
    const part = await service.license("usage/refund", key, asked, again)
    assert.strictEqual(part.status, 200, part.text)
    const { data } = part.body
    assert.deepStrictEqual(data.refund, { feature_code: "render", event_id: "use", amount: 5, refunded: 5 })
    assert.deepInclude(data.features[0], { consumed: 2, remaining: 12 })
    assert.strictEqual(data.nonce, asked.nonce)
    assert.isObject(part.body.signature)
    assert.strictEqual((await service.license("usage/refund", key, asked, again)).text, part.text)
    assert.deepStrictEqual(await left(), [4])
    const [told] = await service.feed(`&event_type=license.usage_reset&resource_id=${license.id}`)
    assert.deepInclude(told, { actor_type: "license", actor_id: license.id })
    const sql = await session(clock.databaseUrl)
    const age = (by: string) =>
      sql.query(`UPDATE usage_records SET created_at = created_at ${by} WHERE license_id = $1`, [license.id])
    await age("- interval '31 days'")
    assert.match(refused(await refundOwn(use), 403, "REFUND_NOT_ALLOWED").detail ?? "", /^until 20/)
    await age("+ interval '31 days'")
    assert.deepInclude((await refundOwn(use)).body.data.refund, { amount: 1, refunded: 6 })
    assert.strictEqual(refused(await refundOwn(use), 409, "STATE_CONFLICT").detail, "refunded")
    await consistent()
  })

  it("of a quota that had no period gives back to the month that has counted the use since", async () => {
    await clock.set(Date.now())
    const { consume, license, moveTo, path } = await sold({ max_consumptions: 100 }, {
      max_consumptions: 100,
      period: "month"
    })
    await served(consume(50))
    await moveTo(1)
    await served(consume(30))
    const [use] = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.id}`)
    const { feature } = await service.data("POST", `${path}/usage/refund`, {
      feature_code: "render",
      event_id: use.data.event_id
    })
    assert.deepInclude(feature, { total_consumptions: 30, period_consumptions: 30, remaining: 70 })
    await consistent()
  })

  it("of an earlier period, or before a correction, brings back grants alone", async () => {
    await clock.set(begun)
    const { consume, given, left, license, path, shown } = await sold({ max_consumptions: 10, period: "month" })
    await given({ amount: 6 })
    await consume(12)
    await clock.set(Date.UTC(2035, 1, 3))
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
    await clock.set(Date.UTC(2035, 1, 1))
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

  it("are announced at units left too, once as long as no more are left, by one of many callers on two nodes", async () => {
    await clock.set(begun)
    const { consume, given, key, license, policies } = await sold({
      max_consumptions: 40,
      period: "month",
      remaining_thresholds: [5, 30, 100]
    })
    const told = async () =>
      (await service.feed(`&event_type=license.quota_threshold&resource_id=${license.id}`)).map(({ data }) => {
        assert.notProperty(data, "percentage")
        return [data.remaining_threshold, data.remaining]
      })
    await Promise.all(Array.from({ length: 45 }, (_, index) => consume(1, index % 2 === 0 ? service : other)))
    const january = [[100, 39], [30, 30], [5, 5]]
    assert.deepStrictEqual(await told(), january)
    // With the pack 7 are left: more than 5, and no more than 30.
    await given({ amount: 7 })
    await served(consume(1))
    await served(consume(3))
    await served(consume(1))
    assert.deepStrictEqual((await told()).slice(3), [[5, 3]])
    const reported = (dry_run: boolean) =>
      service.data("POST", "/api/v1/usage", {
        dry_run,
        uses: [{ license_key: key, feature_code: "render", event_id: "reported", amount: 37 }]
      })
    await clock.set(Date.UTC(2035, 1, 1))
    await reported(true)
    assert.lengthOf(await told(), 4)
    await reported(false)
    assert.deepStrictEqual((await told()).slice(4), [[100, 5], [30, 5], [5, 5]])
    const grants = `/api/v1/products/${policies[0]!["product_id"]}/policies/${policies[0]!["id"]}/features`
    const [granted] = await service.data("GET", grants)
    assert.deepStrictEqual(granted.remaining_thresholds, [5, 30, 100])
    for (const remaining_thresholds of [[], [0], [5, 5]]) {
      refused(
        await service.call("POST", grants, { body: { feature_id: granted.feature_id, remaining_thresholds } }),
        422,
        "VALIDATION_ERROR"
      )
    }
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
