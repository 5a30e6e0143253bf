import { assert, beforeAll, describe, it } from "@effect/vitest"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { faultTimeout } from "../../fixtures/FaultForm.ts"
import { postgresServer } from "../../fixtures/PostgresServer.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

/** An advisory lock that a write waits for, once a gate stands before its table. */
const lock = 4712

/** The writes of a purchase, in their order: what is killed stands before one of them. */
const steps = [
  ["purchases", "INSERT"],
  ["purchase_work", "INSERT"],
  ["purchase_work", "DELETE"],
  ["customers", "INSERT"],
  ["subscriptions", "INSERT"],
  ["licenses", "INSERT"],
  ["purchase_licenses", "INSERT"],
  ["purchases", "UPDATE"]
] as const

/** Stands a gate before the writes of a table; answers what takes it away. */
const gate = async (database: Session, table: string, act: string) => {
  await database.query(`
    CREATE OR REPLACE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(${lock});
      RETURN coalesce(NEW, OLD);
    END $$`)
  await database.query(`CREATE TRIGGER gate BEFORE ${act} ON ${table} FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`)
  return () => database.query(`DROP TRIGGER gate ON ${table}`)
}

const isWaiting = async (database: Session): Promise<boolean> => {
  const [row] = await database.query(
    "SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1",
    [lock]
  )
  return row!.count > 0
}

/** How many licenses the buyers have. */
const licensesOf = async (database: Session, customers: ReadonlyArray<string>): Promise<number> => {
  const [row] = await database.query(
    `SELECT count(*)::int AS count FROM licenses
     WHERE customer_id IN (SELECT id FROM customers WHERE external_id = ANY($1))`,
    [customers]
  )
  return row!.count
}

const found = async (service: Service, id: string): Promise<Body | undefined> =>
  (await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`))[0]

describe("a purchase", () => {
  it("is one license, whichever step its node was killed at", async () => {
    const first = await startService({ as: "program" })
    await holdsTransactions(first.databaseUrl)
    const database = await session(first.databaseUrl)
    const holder = await session(first.databaseUrl)
    const shop = await openShop(first)
    const customers: Array<string> = []
    for (const [table, act] of someOf("kills of a node", steps, 4)) {
      const buy = sold()
      customers.push(buy.customer)
      const remove = await gate(database, table, act)
      await holder.query(`SELECT pg_advisory_lock(${lock})`)
      await shop.sendAll(buy.bought)
      await eventually(`the ${act} of ${table} stands at the gate`, async () => await isWaiting(database) || undefined)
      await first.kill("SIGKILL")
      await holder.query(`SELECT pg_advisory_unlock(${lock})`)
      await remove()
      await first.start()
      await shop.license(buy, ({ status }) => status === "active")
    }
    assert.strictEqual(await licensesOf(database, customers), customers.length)
  })

  it("is one license where its events reach two nodes at once, and one of them is killed", async () => {
    const first = await startService({ as: "program" })
    const second = await startService({ databaseUrl: first.databaseUrl, as: "program" })
    await holdsTransactions(first.databaseUrl)
    const database = await session(first.databaseUrl)
    const shop = await openShop(first)
    const many = Array.from({ length: 50 }, () => sold())
    await Promise.all(
      many.map(({ bought }) =>
        Promise.all(bought.map((event, index) => shop.send(event, index % 2 === 0 ? first : second)))
      )
    )
    await second.kill("SIGKILL")
    for (const { id } of many) {
      await eventually(`the purchase ${id} is done`, async () => {
        const purchase = await found(first, id)
        return purchase?.status === "done" && purchase.licenses.length === 1 ? purchase : undefined
      })
    }
    assert.strictEqual(await licensesOf(database, many.map(({ customer }) => customer)), many.length)
  })
})

/** The statements at which the database is killed: some of them by the seed of the run. */
const killedAt = someOf("kills of the database", [["billing_events", "INSERT"] as const, ...steps], 4)

describe("a purchase whose database is killed", () => {
  let server: Awaited<ReturnType<typeof postgresServer>>
  let service: Service
  let shop: Awaited<ReturnType<typeof openShop>>
  const customers: Array<string> = []

  beforeAll(async () => {
    server = await postgresServer()
    service = await startService({ databaseUrl: server.url, as: "program" })
    shop = await openShop(service)
  }, faultTimeout)

  // A machine that is loaded needs long for each of them: each has a time of its own.
  it.each(killedAt)(
    "before %s has its %s is one license, and what was not received comes again",
    async (table, act) => {
      const buy = sold()
      customers.push(buy.customer)
      const database = await session(server.url)
      const holder = await session(server.url)
      await gate(database, table, act)
      await holder.query(`SELECT pg_advisory_lock(${lock})`)
      // A provider sends again what was not answered with 200.
      const received = Promise.all(
        buy.bought.map((event) =>
          eventually(`${event.type} is received`, async () => (await shop.send(event)).status === 200 || undefined)
        )
      )
      await eventually(`the ${act} of ${table} stands at the gate`, async () => await isWaiting(database) || undefined)
      await server.stopImmediately()
      await server.start()
      const again = await session(server.url)
      await again.query(`DROP TRIGGER gate ON ${table}`)
      await again.close()
      await received
      await shop.license(buy, ({ status }) => status === "active")
      await shop.purchase(buy)
    },
    faultTimeout
  )

  it("leaves one license of each, and nothing that the doctor finds", async () => {
    const database = await session(server.url)
    assert.strictEqual(await licensesOf(database, customers), killedAt.length)
    await expectHealthy(server.url, [])
    await service.kill("SIGKILL")
  }, faultTimeout)
})
