import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"

let service: Service
let database: Session
let shop: Awaited<ReturnType<typeof openShop>>

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  shop = await openShop(service)
})

const isIn = (status: string) => (license: Body) => license.status === status

/** An event about an object that is no purchase. */
const about = (type: string, object: Body) => ({
  id: `evt_${randomUUID()}`,
  type,
  created: Math.floor(Date.now() / 1000),
  object
})

/** An event that says nothing that this service knows. */
const silent = () => about("product.updated", { id: "prod_1", object: "product" })

/** An event about somebody who buys nothing. */
const guest = () =>
  about("customer.created", { id: `cus_${randomUUID()}`, object: "customer", email: "guest@example.com" })

const eventIds = async (where: string): Promise<ReadonlyArray<string>> =>
  (await database.query(`SELECT event_id FROM billing_events WHERE ${where} ORDER BY sequence`)).map(({ event_id }) =>
    event_id
  )

/** Starts the service anew, which prunes at its start. */
const restarted = async (): Promise<void> => {
  await service.stop()
  await service.start()
}

describe("the body of a provider's event", () => {
  it("goes after 90 days, and the purchase goes on by what it said", async () => {
    const buy = sold()
    const other = sold()
    await shop.sendAll([...buy.bought, ...other.bought])
    const [early, visitor] = [silent(), guest()]
    await shop.send(early)
    await shop.send(visitor)
    const license = await shop.license(buy, isIn("active"))
    await shop.license(other, isIn("active"))
    const isWhole = ({ payer, status }: Body) => status === "done" && payer.email !== undefined
    const before = await shop.purchase(buy, isWhole)
    await shop.purchase(other, isWhole)
    const story = async () => {
      const { events, notes } = await service.data("GET", `/api/v1/billing/purchases/${before.id}`)
      return { events: events.map(({ id, occurred_at, type }: Body) => [id, occurred_at, type]), notes }
    }
    const shown = await story()
    await database.query("UPDATE billing_events SET received_at = received_at - interval '91 days'")
    const late = guest()
    await shop.send(late)
    await eventually("all are routed", async () => (await eventIds("NOT is_routed")).length === 0 || undefined)

    await restarted()
    await eventually("the bodies are gone", async () => (await eventIds("body IS NOT NULL")).length === 1 || undefined)
    assert.deepStrictEqual(await eventIds("body IS NOT NULL"), [late.id])
    await eventually(
      "what said nothing, and what told of somebody who bought nothing, is gone as a whole",
      async () => {
        const left = await eventIds("true")
        return !left.includes(early.id) && !left.includes(visitor.id) || undefined
      }
    )
    const { text } = await service.call("GET", "/metrics")
    assert.match(text, /countersign_pruned_rows_total\{.*table="billing_events".*\} [1-9]/)

    // It is looked at again, by the facts alone, and is what it was.
    await service.data("POST", `/api/v1/billing/purchases/${before.id}/retry`)
    const looked = await shop.purchase(
      buy,
      ({ status, updated_at }) => status === "done" && updated_at !== before.updated_at
    )
    assert.deepStrictEqual({ ...looked, updated_at: before.updated_at }, before)
    assert.deepStrictEqual(await story(), shown)
    assert.deepStrictEqual((await shop.send(buy.bought[0]!)).body.data, { received: 0, repeated: 1 })
    await shop.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 8 } }))
    const changed = await shop.license(buy, ({ overrides }) => overrides?.max_activations === 8)
    assert.strictEqual(changed.id, license.id)
    assert.strictEqual(changed.customer_id, license.customer_id)
  })

  it("is erased with its customer, whether it is there or what it said is", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const { customer_id } = await shop.license(buy, isIn("active"))
    await shop.purchase(buy, ({ payer, status }) => status === "done" && payer.email === buy.email)
    const [, ...young] = buy.bought
    await database.query(
      "UPDATE billing_events SET received_at = now() - interval '91 days' WHERE NOT event_id = ANY($1)",
      [young.map(({ id }) => id)]
    )
    await restarted()
    await eventually(
      "one body is gone",
      async () => (await eventIds(`body IS NULL AND event_id = '${buy.bought[0]!.id}'`)).length === 1 || undefined
    )
    const naming = `facts::text LIKE '%${buy.email}%' OR convert_from(body, 'UTF8') LIKE '%${buy.email}%'`
    assert.isAbove((await eventIds(naming)).length, 1)
    await service.data("POST", `/api/v1/customers/${customer_id}/erase`, {})
    assert.deepStrictEqual(await eventIds(naming), [])
    await shop.send(buy.event("customer.subscription.updated", 60, { status: "paused" }))
    assert.strictEqual((await shop.license(buy, isIn("suspended"))).customer_id, customer_id)
  })

  it("stays where this version cannot read it, and is counted", async () => {
    const event = guest()
    await shop.send(event)
    await eventually(
      "it is routed",
      async () => (await eventIds(`is_routed AND event_id = '${event.id}'`)).length === 1 || undefined
    )
    await database.query(
      "UPDATE billing_events SET body = $2, received_at = now() - interval '91 days' WHERE event_id = $1",
      [event.id, new TextEncoder().encode("{\"object\":\"from a later version\"}")]
    )
    await restarted()
    await eventually("it is counted", async () => {
      const { text } = await service.call("GET", "/metrics")
      return /countersign_billing_events_unreadable(\{.*\})? 1$/m.test(text) || undefined
    })
    assert.deepStrictEqual(await eventIds(`body IS NOT NULL AND event_id = '${event.id}'`), [event.id])
    await database.query("DELETE FROM billing_events WHERE event_id = $1", [event.id])
  })

  it("stays for ever where the setting says so", async () => {
    await shop.send(guest())
    await database.query("UPDATE billing_events SET received_at = now() - interval '9 years' WHERE body IS NOT NULL")
    const old = await eventIds("body IS NOT NULL")
    assert.isNotEmpty(old)
    await service.stop()
    const { databaseUrl } = service
    service = await startService({ databaseUrl, environment: { COUNTERSIGN_RETAIN_BILLING_BODY_DAYS: "0" } })
    // It has looked at all when it has said how old the oldest row is.
    await eventually("it has looked", async () => {
      const { text } = await service.call("GET", "/metrics")
      return /countersign_oldest_row_age_seconds\{.*table="billing_events".*\} [1-9]/.test(text) || undefined
    })
    assert.deepStrictEqual(await eventIds("body IS NOT NULL"), old)
  })
})
