// Pools: units of a customer that its licenses share.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { makeCustomer } from "../../../fixtures/Commerce.ts"
import { dice } from "../../../fixtures/Dice.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { movedNodes } from "../../../fixtures/MovedClock.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import { PoolOracle } from "../../../fixtures/PoolOracle.ts"
import type { Answer } from "../../../fixtures/Service.ts"
import { refused } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const day = 86_400_000
const begun = Date.UTC(2035, 0, 10)

const { clock, other, service } = await movedNodes(begun)

const at = (millis: number): string => new Date(millis).toISOString()

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

/** A customer with licenses of one plan that has a quota of `render`. */
const sharing = async (plan: Parameters<typeof soldUnder>[1][number], licenses: number) => {
  const { feature, license: first, policies } = await soldUnder(service, [plan])
  const customer = await makeCustomer(service, { name: "Beispiel GmbH" })
  const issue = async (customer_id: string) => {
    const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
      product_id: first["product_id"],
      policy_id: policies[0]!["id"],
      customer_id
    })
    await service.license("activate", key, { fingerprint: "a" })
    const path = `/api/v1/licenses/${license.id}`
    return {
      id: String(license.id),
      key: String(key),
      path,
      consume: (amount: number, node = service, event_id: string = randomUUID()): Promise<Answer> =>
        node.license("consume", key, { fingerprint: "a", feature_code: "render", event_id, amount }),
      shown: async (): Promise<Body> => (await service.data("GET", `${path}/features`))[0]
    }
  }
  const held = await Promise.all(Array.from({ length: licenses }, () => issue(customer.id)))
  const pools = `/api/v1/customers/${customer.id}/pools`
  const giveTo = (id: string, body: object): Promise<Answer> =>
    service.call("POST", `/api/v1/customers/${id}/pools`, { body: { feature_id: feature["id"], ...body } })
  const give = (body: object): Promise<Answer> => giveTo(customer.id, body)
  return {
    customer,
    feature,
    held,
    issue,
    pools,
    give,
    giveTo,
    given: async (body: object): Promise<Body> => {
      const answer = await give(body)
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body.data
    },
    pool: (id: string): Promise<Body> => service.data("GET", `${pools}/${id}`)
  }
}

const served = async (answer: Promise<Answer>): Promise<Body> => {
  const { body, status, text } = await answer
  assert.strictEqual(status, 200, text)
  return body.data.features[0]
}

describe("a pool of a customer", () => {
  it("is taken by each license after its own quota and grants, and shown to each", async () => {
    await clock.set(begun)
    const { customer, given, held: [one, two], pool } = await sharing({ max_consumptions: 10, period: "month" }, 2)
    const shared = await given({ amount: 20, reference: "order-1", reason: "bought" })
    assert.deepInclude(shared, { customer_id: customer.id, amount: 20, used: 0, remaining: 20 })
    await service.data("POST", `${one!.path}/grants`, { feature_code: "render", amount: 5 })
    assert.deepInclude(await one!.shown(), {
      max_consumptions: 35,
      remaining: 35,
      granted_remaining: 5,
      pool_remaining: 20
    })
    assert.deepInclude(await two!.shown(), { max_consumptions: 30, remaining: 30, pool_remaining: 20 })
    assert.notProperty(await two!.shown(), "granted_remaining")
    assert.deepInclude(await served(one!.consume(17)), { remaining: 18, pool_remaining: 18 })
    assert.deepInclude(await served(two!.consume(11)), { quota: 28, consumed: 11, remaining: 17, pool_remaining: 17 })
    refused(await two!.consume(18), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(await pool(shared.id), { used: 3, remaining: 17 })
    const [told] = (await service.feed(`&event_type=license.usage_recorded&resource_id=${two!.id}`)).slice(-1)
    assert.deepInclude(told!.data, { granted_consumptions: 1, grants: [{ grant_id: shared.id, amount: 1 }] })
    const explained = await service.data("POST", `${two!.path}/explain`, {
      operation: "consume",
      feature_code: "render",
      amount: 18
    })
    assert.deepInclude(explained.findings[0].term, { pool_remaining: 17 })
    await consistent()
  })

  it("is explained at a past instant as it was left then, by the uses of all licenses", async () => {
    await clock.set(Date.now())
    const { given, held: [one, two] } = await sharing({ max_consumptions: 1 }, 2)
    await given({ amount: 10, max_per_license: 6 })
    await served(one!.consume(4))
    await new Promise((resolve) => setTimeout(resolve, 20))
    const past = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await served(one!.consume(2, service, "later"))
    await served(two!.consume(4))
    await service.feed()
    const then = async ({ path }: { readonly path: string }, amount: number) =>
      (await service.data("POST", `${path}/explain`, {
        operation: "consume",
        feature_code: "render",
        amount,
        at: past
      }))
        .is_allowed
    // Three of the pool were taken by the first license, which may take three more; the second may take six.
    assert.deepStrictEqual(await Promise.all([then(one!, 3), then(one!, 4), then(two!, 7), then(two!, 8)]), [
      true,
      false,
      true,
      false
    ])
  })

  it("gives its last units to exactly as many of 100 callers over ten licenses: units of a pool are taken by one after the other", async () => {
    await clock.set(begun)
    const { given, held, pool } = await sharing({ max_consumptions: 1 }, 10)
    const [first, second] = [await given({ amount: 20, expires_at: at(begun + day) }), await given({ amount: 17 })]
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => held[index % 10]!.consume(1, index % 3 === 0 ? other : service))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 47)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(await pool(first.id), { used: 20, remaining: 0 })
    assert.deepInclude(await pool(second.id), { used: 17, remaining: 0 })
    await consistent()
  })

  it("limits what one license takes, counts reported uses of several licenses in turn, and takes refunds back", async () => {
    await clock.set(begun)
    const { customer, feature, given, held: [one, two], pool } = await sharing({ max_consumptions: 2 }, 2)
    const shared = await given({ amount: 6, max_per_license: 4 })
    assert.deepInclude(await one!.shown(), { remaining: 6, pool_remaining: 4 })
    const use = (license_id: string, event_id: string, amount: number) => ({
      license_id,
      feature_code: "render",
      event_id,
      amount
    })
    const uses = [
      use(one!.id, "a", 5),
      use(two!.id, "b", 4),
      use(one!.id, "c", 1),
      use(two!.id, "d", 1),
      use(one!.id, "e", 1)
    ]
    const rehearsed = await service.data("POST", "/api/v1/usage", { uses, dry_run: true })
    const reported = await service.data("POST", "/api/v1/usage", { uses })
    for (const { results } of [rehearsed, reported]) {
      assert.deepStrictEqual(
        results.map(({ error }: Body) => error?.code),
        [
          undefined,
          undefined,
          "FEATURE_QUOTA_EXCEEDED",
          "FEATURE_QUOTA_EXCEEDED",
          "FEATURE_QUOTA_EXCEEDED"
        ].map((code, index) => index === 2 ? undefined : code)
      )
    }
    assert.deepInclude(await pool(shared.id), { used: 6, remaining: 0 })
    const refund = await service.data("POST", `${one!.path}/usage/refund`, {
      feature_id: feature["id"],
      event_id: "a",
      amount: 2
    })
    assert.deepStrictEqual(refund.grants, [{ grant_id: shared.id, amount: 2 }])
    assert.deepInclude(await pool(shared.id), { used: 4, remaining: 2 })
    assert.deepInclude(await served(two!.consume(2)), { remaining: 0, pool_remaining: 0 })
    const { rows } = await service.data(
      "GET",
      `/api/v1/reports/statement?customer_id=${customer.id}&from=2026-01-01T00:00:00Z&to=2035-12-01T00:00:00Z`
    )
    assert.deepStrictEqual(
      rows.map(({ amount, from_pools, within_quota }: Body) => [amount, within_quota, from_pools]).toSorted(),
      [[6, 2, 4], [6, 2, 4]].toSorted()
    )
    await consistent()
  })

  it("gives once for a reference, ends when it says, and is revoked with what is left of it", async () => {
    await clock.set(begun)
    const { customer, feature, give, given, held: [one], pool, pools } = await sharing({ max_consumptions: 0 }, 1)
    const body = { amount: 5, reference: "order-1", expires_at: at(begun + day) }
    const [shared, again] = [await given(body), await given(body)]
    assert.strictEqual(shared.id, again.id)
    refused(await give({ ...body, amount: 6 }), 409, "IDEMPOTENCY_CONFLICT")
    refused(await give({ ...body, reference: "b", expires_at: at(begun) }), 422, "VALIDATION_ERROR")
    refused(await give({ amount: 0 }), 422, "VALIDATION_ERROR")
    refused(await give({ amount: 1, feature_id: "feat_unknown" }), 404, "NOT_FOUND")
    await served(one!.consume(2))
    const later = await given({ amount: 9, starts_at: at(begun + 2 * day) })
    await clock.set(begun + day)
    refused(await one!.consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(await pool(shared.id), { used: 2, remaining: 0 })
    await clock.set(begun + 2 * day)
    assert.deepInclude(await served(one!.consume(4)), { pool_remaining: 5 })
    const revoke = () => service.data("POST", `${pools}/${later.id}/revoke`, { reason: "refunded" })
    const revoked = await revoke()
    assert.deepInclude(revoked, { used: 4, remaining: 0 })
    assert.deepStrictEqual(await revoke(), revoked)
    refused(await one!.consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepStrictEqual((await service.data("GET", pools)).map(({ id }: Body) => id), [later.id, shared.id])
    const told = (await service.feed(`&resource_id=${customer.id}`)).filter(({ event_type }) =>
      event_type !== "customer.created"
    )
    assert.deepStrictEqual(told.map(({ event_type }) => event_type), [
      "customer.pool_given",
      "customer.pool_given",
      "customer.pool_revoked"
    ])
    refused(await service.call("DELETE", `/api/v1/features/${feature["id"]}`), 409, "IN_USE")
    await consistent()
  })

  it("is of the customer: a transferred license takes of the pools of its new one, and refunds return to the old", async () => {
    await clock.set(begun)
    const [from, to] = [await sharing({ max_consumptions: 0 }, 1), await sharing({ max_consumptions: 0 }, 0)]
    const [license] = from.held
    const shared = await from.given({ amount: 5 })
    await to.given({ amount: 7, feature_id: from.feature["id"] })
    await served(license!.consume(3, service, "before"))
    await service.data("POST", `${license!.path}/transfer`, { customer_id: to.customer.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    assert.deepInclude(await license!.shown(), { pool_remaining: 7 })
    await service.data("POST", `${license!.path}/usage/refund`, { feature_id: from.feature["id"], event_id: "before" })
    assert.deepInclude(await from.pool(shared.id), { used: 0, remaining: 5 })
    refused(await service.call("DELETE", `/api/v1/customers/${from.customer.id}`), 409, "IN_USE")
    await consistent()
  })
})

/** Gives a customer another parent, or none. */
const move = (id: string, parent_id: string | null, node = service): Promise<Answer> =>
  node.call("PATCH", `/api/v1/customers/${id}`, { body: { parent_id } })

describe("a pool of a group", () => {
  it("is shared by the licenses of all customers below, in one order with their own pools", async () => {
    await clock.set(begun)
    const { customer: group, given, giveTo, issue, pool } = await sharing({ max_consumptions: 1 }, 0)
    const [company, stranger] = await Promise.all([
      makeCustomer(service, { parent_id: group.id }),
      makeCustomer(service)
    ])
    const branch = await makeCustomer(service, { parent_id: company.id })
    const [one, two, other] = await Promise.all([company, branch, stranger].map(({ id }) => issue(id)))
    const budget = await given({ amount: 10, max_per_license: 6, expires_at: at(begun + day) })
    const own = (await giveTo(branch.id, { amount: 5 })).body.data
    assert.deepInclude(await one!.shown(), { remaining: 7, pool_remaining: 6 })
    assert.deepInclude(await two!.shown(), { remaining: 12, pool_remaining: 11 })
    assert.notProperty(await other!.shown(), "pool_remaining")
    // What ends sooner is taken first, whoever owns it.
    assert.deepInclude(await served(two!.consume(8)), { remaining: 4, pool_remaining: 4 })
    assert.deepInclude(await pool(budget.id), { used: 6, remaining: 4 })
    assert.deepInclude(await service.data("GET", `/api/v1/customers/${branch.id}/pools/${own.id}`), { used: 1 })
    assert.deepInclude(await one!.shown(), { pool_remaining: 4 })
    refused(await one!.consume(6), 403, "FEATURE_QUOTA_EXCEEDED")
    const explained = await service.data("POST", `${one!.path}/explain`, {
      operation: "consume",
      feature_code: "render",
      amount: 6
    })
    assert.deepInclude(explained.findings[0].term, { pool_remaining: 4 })
    assert.deepStrictEqual((await service.data("GET", `/api/v1/customers/${branch.id}/pools`)).length, 1)
    await consistent()
  })

  it("serves nobody who has left, keeps what they took, and is explained as it was when they belonged to it", async () => {
    await clock.set(Date.now())
    const { customer: group, feature, given, issue, pool } = await sharing({ max_consumptions: 0 }, 0)
    const [company, elsewhere] = await Promise.all([
      makeCustomer(service, { parent_id: group.id }),
      makeCustomer(service)
    ])
    const license = await issue(company.id)
    const budget = await given({ amount: 10 })
    await served(license.consume(4, service, "before"))
    await service.feed()
    const past = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual((await move(company.id, elsewhere.id)).status, 200)
    assert.notProperty(await license.shown(), "pool_remaining")
    refused(await license.consume(1), 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(await pool(budget.id), { used: 4 })
    const then = async (amount: number, more: object = { at: past }) =>
      (await service.data("POST", `${license.path}/explain`, {
        operation: "consume",
        feature_code: "render",
        amount,
        ...more
      })).is_allowed
    await service.feed()
    assert.deepStrictEqual(await Promise.all([then(6), then(7), then(1, {})]), [true, false, false])
    await service.data("POST", `${license.path}/usage/refund`, { feature_id: feature["id"], event_id: "before" })
    assert.deepInclude(await pool(budget.id), { used: 0, remaining: 10 })
    assert.strictEqual((await move(company.id, group.id)).status, 200)
    assert.deepInclude(await served(license.consume(10)), { pool_remaining: 0 })
    await consistent()
  })

  it("gives its last unit to one of 100 callers over ten licenses of three companies, of which some move meanwhile", async () => {
    await clock.set(begun)
    const { customer: group, given, giveTo, issue, pool } = await sharing({ max_consumptions: 1 }, 0)
    const companies = await Promise.all(Array.from({ length: 3 }, () => makeCustomer(service, { parent_id: group.id })))
    const held = await Promise.all(Array.from({ length: 10 }, (_, index) => issue(companies[index % 3]!.id)))
    const shared = await given({ amount: 17 })
    const calls = held.flatMap((license) => Array.from({ length: 10 }, (_, index) => ({ license, index })))
    const answers = await Promise.all(
      calls.map(({ index, license }) => license.consume(1, index % 2 === 0 ? other : service))
    )
    assert.lengthOf(answers.filter(({ status }) => status === 200), 27)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    assert.deepInclude(await pool(shared.id), { used: 17, remaining: 0 })

    const second = await given({ amount: 30 })
    const own = (await giveTo(companies[0]!.id, { amount: 10 })).body.data
    const [uses, moves] = await Promise.all([
      Promise.all(calls.map(({ index, license }) => license.consume(1, index % 2 === 0 ? service : other))),
      Promise.all(
        companies.flatMap(({ id }, index) =>
          [null, companies[(index + 1) % 3]!.id, group.id, null, group.id].map((parent, turn) =>
            move(id, parent, turn % 2 === 0 ? other : service)
          )
        )
      ),
      ...[group, ...companies].map(({ id }) => service.data("PATCH", `/api/v1/customers/${id}`, { name: "N" }))
    ])
    for (const answer of moves) if (answer.status !== 200) refused(answer, 422, "VALIDATION_ERROR")
    for (const answer of uses) if (answer.status !== 200) refused(answer, 403, "FEATURE_QUOTA_EXCEEDED")
    const left = await service.data("GET", `/api/v1/customers/${companies[0]!.id}/pools/${own.id}`)
    assert.strictEqual(
      (await pool(second.id)).used + left.used,
      uses.filter(({ status }) => status === 200).length
    )
    await consistent()
  })
})

describe("random histories of pools", () => {
  const soon = 60_000

  it("come to what plain code says, with parents, transfers and refunds, on two nodes", async () => {
    const seed = Number(process.env["COUNTERSIGN_TEST_SEED"] ?? 2027)
    const roll = dice(seed)
    let now = Date.UTC(2036, 0, 20)
    await clock.set(now)
    const quota = 4
    const { customer, feature, giveTo, issue } = await sharing({ max_consumptions: quota, period: "month" }, 0)
    const customers = [
      customer,
      ...await Promise.all(Array.from({ length: 5 }, () => makeCustomer(service)))
    ].map(({ id }) => String(id))
    const owners = [0, 1, 2, 2]
    const licenses = await Promise.all(owners.map((owner) => issue(customers[owner]!)))
    const oracle = new PoolOracle(customers.length, owners, quota)
    const pools: Array<string> = []
    const used: Array<string> = []
    const node = () => roll(2) === 0 ? service : other
    const term = () => ({
      amount: 1 + roll(12),
      priority: 99 + roll(3),
      ...(roll(2) === 0 ? {} : { expires_at: at(now + (1 + roll(40)) * day) })
    })
    const unitsOf = ({ amount, expires_at, priority, starts_at }: Body) => ({
      amount,
      priority,
      starts: Date.parse(starts_at),
      ends: expires_at === undefined ? Infinity : Date.parse(expires_at)
    })
    const refund = async (index: number) => {
      const use = oracle.uses[index]
      const left = use?.taken.reduce((sum, { amount }) => sum + amount, 0) ?? 0
      if (use === undefined || left === 0) return
      const amount = 1 + roll(left)
      const asked = { feature_id: feature["id"], event_id: used[index], amount }
      await node().data("POST", `${licenses[use.license]!.path}/usage/refund`, asked)
      oracle.refund(use, amount)
    }
    const acts = [
      async () => {
        const owner = roll(customers.length)
        const cap = 1 + roll(8)
        const asked = roll(2) === 0 ? term() : { ...term(), max_per_license: cap }
        const answer = await giveTo(
          customers[owner]!,
          roll(5) === 0 ? { ...asked, starts_at: at(now + day / 2) } : asked
        )
        assert.strictEqual(answer.status, 201, `seed ${seed}: ${answer.text}`)
        oracle.give({ ...unitsOf(answer.body.data), owner, cap: answer.body.data.max_per_license ?? Infinity })
        pools.push(`/api/v1/customers/${customers[owner]}/pools/${answer.body.data.id}`)
      },
      async () => {
        const [license, amount, event] = [roll(licenses.length), 1 + roll(7), randomUUID()]
        const { status, text } = await licenses[license]!.consume(amount, node(), event)
        assert.strictEqual(status === 200, oracle.use(license, amount, now + soon), `seed ${seed}: ${text}`)
        if (status === 200) used.push(event)
      },
      async () => {
        const uses = Array.from(
          { length: 3 },
          () => ({ license: roll(licenses.length), amount: 1 + roll(5), event_id: randomUUID() })
        )
        const { results } = await node().data("POST", "/api/v1/usage", {
          uses: uses.map(({ amount, event_id, license }) => ({
            license_id: licenses[license]!.id,
            feature_code: "render",
            event_id,
            amount
          }))
        })
        for (const [index, { amount, event_id, license }] of uses.entries()) {
          const { error } = results[index]
          assert.strictEqual(
            error === undefined,
            oracle.use(license, amount, now + soon),
            `seed ${seed}: ${error?.message}`
          )
          if (error === undefined) used.push(event_id)
        }
      },
      async () => {
        const [customer, above] = [roll(customers.length), roll(customers.length + 1)]
        const parent = above === customers.length ? undefined : above
        const { status, text } = await move(
          customers[customer]!,
          parent === undefined ? null : customers[parent]!,
          node()
        )
        assert.strictEqual(status === 200, oracle.move(customer, parent), `seed ${seed}: ${text}`)
      },
      async () => {
        const [license, owner] = [roll(licenses.length), roll(customers.length)]
        if (oracle.owners[license] === owner) return
        await node().data("POST", `${licenses[license]!.path}/transfer`, { customer_id: customers[owner] }, {
          headers: { "idempotency-key": randomUUID() }
        })
        oracle.owners[license] = owner
      },
      () => refund(roll(oracle.uses.length + 1)),
      async () => {
        const index = roll(pools.length + 6)
        if (pools[index] === undefined) return
        await node().data("POST", `${pools[index]}/revoke`, {})
        oracle.pools[index]!.isRevoked = true
      },
      async () => {
        const license = roll(licenses.length)
        const body = { feature_code: "render", ...term() }
        oracle.grant(license, unitsOf(await service.data("POST", `${licenses[license]!.path}/grants`, body)))
      },
      async () => {
        now += (1 + roll(roll(4) === 0 ? 40 : 8)) * day
        await clock.set(now)
      }
    ]
    const acting = [0, 0, 1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8]
    for (let round = 0; round < 70; round++) {
      const act = acting[roll(acting.length)]!
      await acts[act]!()
      const run = `seed ${seed}, round ${round}, act ${act}`
      const shown = await Promise.all(licenses.map((license) => license.shown()))
      assert.deepStrictEqual(
        shown.map(({ remaining }) => remaining),
        licenses.map((_, license) => oracle.left(license, now + soon)),
        run
      )
    }
    const left = await Promise.all(pools.map(async (path) => {
      const { remaining, used } = await service.data("GET", path)
      return [used, remaining]
    }))
    assert.deepStrictEqual(
      left,
      oracle.pools.map((pool) => [pool.used, oracle.poolLeft(pool, now + soon)]),
      `seed ${seed}`
    )
    await consistent()
  })
})
