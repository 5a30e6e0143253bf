// Events of a billing system come in any order. Their instants say which is the newest.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Answer } from "../../fixtures/Service.ts"
import { invalid, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const service = await startService()
const { policy, product } = await service.issue({
  policy: { follows_subscription: true },
  license: { follows_subscription: false }
})

const day = 86_400_000
const at = (millis: number): string => new Date(Date.now() + millis).toISOString()

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item].concat(rest)))

/** What a billing system tells in a row: each event is the whole record as it was then. */
const lives: Readonly<Record<"subscriptions" | "orders", ReadonlyArray<Body>>> = {
  subscriptions: [
    { status: "active", current_period_start: at(-40 * day), current_period_end: at(-10 * day) },
    { status: "past_due", current_period_start: at(-10 * day), current_period_end: at(20 * day) },
    { status: "active", current_period_start: at(-10 * day), current_period_end: at(20 * day) },
    {
      status: "canceled",
      current_period_start: at(-10 * day),
      current_period_end: at(20 * day),
      canceled_at: at(-day),
      metadata: { why: "too dear" }
    }
  ].map((event, index) => Object.assign(event, { source_updated_at: at((index - 4) * 3_600_000) })),
  orders: ["pending", "paid", "fulfilled", "refunded"].map((status, index) => ({
    status,
    metadata: { step: index },
    source_updated_at: at((index - 4) * 3_600_000)
  }))
}

/** What a vendor's receiver does with an event: it changes the record, or makes it where there is none. */
const receiver = (kind: "subscriptions" | "orders") => {
  const external_id = randomUUID()
  let id: string | undefined
  return async (event: Body): Promise<Answer> => {
    const body = id === undefined ? { external_system: "stripe", external_id, ...event } : event
    const answer = id === undefined
      ? await service.call("POST", `/api/v1/products/${product.id}/${kind}`, { body })
      : await service.call("PATCH", `/api/v1/${kind}/${id}`, { body })
    assert.isBelow(answer.status, 300, answer.text)
    id = answer.body.data.id
    return answer
  }
}

const ofTime = ["id", "external_id", "created_at", "updated_at"]
const without = (body: Body, names: ReadonlyArray<string>): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

describe.each(["subscriptions", "orders"] as const)("the %s of a billing system", (kind) => {
  const life = lives[kind]
  it("end as their newest event says, in whichever order of four they come", async () => {
    const orders = permutations(life)
    assert.lengthOf(orders, 24)
    for (const order of orders) {
      const receive = receiver(kind)
      let left: Body
      for (const event of order) left = (await receive(event)).body.data
      const told = order.map((event) => event.status).join(", ")
      assert.deepInclude(left, life.at(-1), told)
      assert.deepStrictEqual(without(left, ofTime), {
        product_id: product.id,
        external_system: "stripe",
        ...(kind === "subscriptions" ? { cancel_at_period_end: false } : {}),
        ...life.at(-1)
      }, told)
    }
  })

  it("are left alone by what is older: no event, no change, and a warning that says why", async () => {
    const receive = receiver(kind)
    const { body: { data: newest } } = await receive(life.at(-1))
    const before = await service.feed(`&resource_id=${newest.id}`)
    const late = await receive(life[1])
    assert.deepStrictEqual(late.body.data, newest)
    assert.deepInclude(late.body.meta.warnings[0], { code: "SOURCE_OUTDATED", field: "source_updated_at" })
    assert.include(late.body.meta.warnings[0].message, newest.source_updated_at)
    assert.deepStrictEqual(await service.feed(`&resource_id=${newest.id}`), before)
  })

  it("take the same instant again, and a change without one, which leaves the instant", async () => {
    const receive = receiver(kind)
    const { body: { data: made } } = await receive(life[1])
    const same = await receive({ ...life[2], source_updated_at: life[1].source_updated_at })
    assert.strictEqual(same.body.data.status, life[2].status)
    assert.notProperty(same.body.meta, "warnings")
    const plain = await receive({ metadata: { note: "by hand" } })
    assert.deepInclude(plain.body.data, {
      metadata: { note: "by hand" },
      source_updated_at: made.source_updated_at
    })
    assert.deepInclude((await service.feed(`&resource_id=${made.id}`)).at(-1).data, {
      source_updated_at: made.source_updated_at
    })
  })

  it("take no instant that would outdate all that comes", async () => {
    const receive = receiver(kind)
    const { body: { data: made } } = await receive(life[0])
    const path = `/api/v1/${kind}/${made.id}`
    const far = { source_updated_at: at(25 * 3_600_000) }
    invalid(await service.call("PATCH", path, { body: far }), "source_updated_at", "too_late")
    assert.strictEqual((await receive({ source_updated_at: at(23 * 3_600_000) })).status, 200)
    const body = { ...life[0], external_system: "stripe", external_id: randomUUID(), ...far }
    const collection = `/api/v1/products/${product.id}/${kind}`
    invalid(await service.call("POST", collection, { body }), "source_updated_at", "too_late")
  })
})

describe("a license that follows a subscription", () => {
  it("ends as the newest event says, in whichever order the events come, and is left alone by an older one", async () => {
    const ends = new Set<string>()
    for (const order of permutations(lives.subscriptions)) {
      const receive = receiver("subscriptions")
      const { body: { data: { id } } } = await receive(order[0])
      const { license } = await service.data("POST", "/api/v1/licenses", {
        product_id: product.id,
        policy_id: policy.id,
        subscription_id: id
      })
      for (const event of order.slice(1)) await receive(event)
      const left = await service.data("GET", `/api/v1/licenses/${license.id}`)
      ends.add(JSON.stringify([left.status, left.expires_at, left.ends_without_grace, left.suspended_by]))
      const written = (await service.feed(`&resource_id=${license.id}`)).length
      assert.isDefined((await receive(order[0])).body.data)
      if (order[0] !== lives.subscriptions.at(-1)) {
        assert.lengthOf(await service.feed(`&resource_id=${license.id}`), written)
      }
    }
    const [end] = [...ends]
    assert.deepStrictEqual([...ends], [end])
    assert.include(end!, lives.subscriptions.at(-1).current_period_end)
  })
})
