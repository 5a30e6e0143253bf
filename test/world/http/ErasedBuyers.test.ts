import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Provider } from "../../../src/domain/sales/providers/Provider.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { rowsWith } from "../../fixtures/histories/ErasureJudge.ts"
import { bought, changeOf, somebody, together } from "../../fixtures/ProviderPeople.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const providers = ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const

let service: Service
let database: Session

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
})

const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds

const seats = (quantity: number) => ({ overrides, status }: Body) =>
  status === "active" && overrides?.max_activations === quantity

const customerOf = (id: string): Promise<Body> => service.data("GET", `/api/v1/customers/${id}`)

const erase = (id: string): Promise<Body> => service.data("POST", `/api/v1/customers/${id}/erase`, {})

/** What is shown of a purchase beside who pays, and when it was looked at. */
const shownOf = ({ last_event_at: _at, payer: _payer, updated_at: _updated, ...purchase }: Body): Body => purchase

/** The row of a purchase in the report, but for who pays. */
const reported = async (externalId: string): Promise<Body> => {
  const query = new URLSearchParams({ from: new Date(ago(7200) * 1000).toISOString(), to: new Date().toISOString() })
  const { data } = (await service.call("GET", `/api/v1/reports/purchases?${query}`)).body
  const { last_event_at: _at, payer_id: _payer, ...row } = data.rows.find(({ external_id }: Body) =>
    external_id === externalId
  )
  return row
}

/** Where texts stand: in a column of any table, packed or not, in the feed, or in what the service answers. */
const standing = async (texts: ReadonlyArray<string>, paths: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const rows = await Promise.all(texts.map((text) => rowsWith(database, text)))
  const answers = JSON.stringify(
    await Promise.all([service.feed(), ...paths.map((path) => service.data("GET", `/api/v1/${path}`))])
  )
  return [...rows.flat().map(([place]) => place), ...texts.filter((text) => answers.includes(text))]
}

/** A shop, and a subscription that somebody bought there whose name and address are known. */
const shopWith = async (provider: Provider) => {
  const buy = bought[provider](ago(3600))
  const shop = await openProviderShop(service, provider, buy.soldAs)
  const beside = bought[provider](ago(3600))
  await shop.sendAll(together([...buy.bought, ...beside.bought]))
  const person = somebody()
  await shop.send(changeOf(provider, buy.customer, person))
  await shop.sendAll(buy.seats(60, 8))
  const license = await shop.license(buy, seats(8))
  await shop.license(beside, seats(5))
  // The one that says so little that it is not read has told of nobody.
  const said = provider === "lemon_squeezy" ? { email: buy.email, name: "Ada Lovelace" } : person
  const purchase = await shop.purchase(
    buy,
    ({ payer, status }) => status === "done" && payer.email === said.email && payer.name.startsWith(said.name)
  )
  // Numbers of a few digits stand everywhere.
  const texts = [buy.email, person.email, person.name, ...(provider === "lemon_squeezy" ? [] : [buy.customer])]
  return { beside, buy, license, purchase, shop, texts }
}

describe("a customer who bought and is erased", () => {
  it.each(someOf("erased buyers", providers, 2))(
    "at %s stands nowhere, whatever is told later, and nobody else is lost",
    async (provider) => {
      const { beside, buy, license, purchase, shop, texts } = await shopWith(provider)
      const id: string = license.customer_id
      const paths = [`billing/purchases/${purchase.id}`, `customers/${id}`, `licenses/${license.id}?include_names=true`]
      assert.isNotEmpty(await standing(texts, paths))
      const row = await reported(buy.id)
      await erase(id)
      assert.deepStrictEqual(await standing(texts, paths), [])
      const left = await shop.purchase(buy)
      assert.deepStrictEqual(shownOf(left), shownOf(purchase))
      assert.deepStrictEqual(left.payer, {})
      assert.deepStrictEqual(await reported(buy.id), row)
      const looked = async (): Promise<Body> => {
        const { updated_at } = await shop.purchase(buy, () => true)
        await service.data("POST", `/api/v1/billing/purchases/${purchase.id}/retry`)
        return shop.purchase(buy, (now) => now.status === "done" && now.updated_at !== updated_at)
      }
      assert.deepStrictEqual(
        shownOf(await looked()),
        shownOf(purchase),
        "what is left of its events makes the same of it"
      )

      // The provider still knows who it was, and tells so.
      const changed = somebody()
      const all = [...texts, changed.email, changed.name]
      await shop.send(changeOf(provider, buy.customer, changed))
      await shop.sendAll(buy.seats(120, 9))
      assert.strictEqual((await shop.license(buy, seats(9))).customer_id, id)
      assert.deepStrictEqual(await standing(all, paths), [])

      // Somebody else buys, and then the former purchase is told of once more.
      const again = bought[provider](ago(300))
      await shop.sendAll(again.bought)
      const other = await shop.license(again, seats(5))
      assert.notStrictEqual(other.customer_id, id)
      await shop.sendAll(buy.seats(180, 4))
      assert.strictEqual((await shop.license(buy, seats(4))).customer_id, id)
      assert.deepStrictEqual(await standing(all, paths), [])
      for (const { email, ...of } of [beside, again]) {
        const { customer_id, payer } = await shop.purchase(
          of,
          (now) => now.status === "done" && now.payer.email === email
        )
        assert.deepStrictEqual(payer, { id: of.customer, email, name: "Ada Lovelace" })
        assert.deepInclude(await customerOf(customer_id), { external_id: of.customer, email, name: "Ada Lovelace" })
      }
      assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
    }
  )

  it.each(someOf("erased before", providers, 2))(
    "at %s buys again there, and is a new customer, whom the former purchase takes nothing from",
    async (provider) => {
      const { buy, license, purchase, shop } = await shopWith(provider)
      await erase(license.customer_id)
      const again = bought[provider](ago(300), buy.customer)
      await shop.sendAll(again.bought)
      const { customer_id, id } = await shop.license(again, seats(5))
      assert.notStrictEqual(customer_id, license.customer_id)
      assert.notStrictEqual(id, license.id)
      await shop.sendAll(buy.seats(120, 9))
      await shop.license(buy, seats(9))
      const person = somebody()
      await shop.send(changeOf(provider, buy.customer, person))
      await shop.sendAll(again.seats(60, 7))
      assert.strictEqual((await shop.license(again, seats(7))).customer_id, customer_id)
      if (provider !== "lemon_squeezy") {
        const shown = await eventually("it is known who the new customer is", async () => {
          const found = await customerOf(customer_id)
          return found.email === person.email ? found : undefined
        })
        assert.strictEqual(shown.external_id, buy.customer)
      }
      assert.strictEqual((await shop.purchase(again)).payer.id, buy.customer)
      const former = await shop.purchase(buy)
      assert.deepStrictEqual([former.customer_id, former.payer], [license.customer_id, {}])
      const erased = await customerOf(purchase.customer_id)
      assert.notProperty(erased, "email")
      assert.notProperty(erased, "external_id")
      assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
    }
  )

  it("while the events come stands nowhere, or is the customer who bought after that", async () => {
    const shop = await openProviderShop(service, "stripe", "price_pro")
    await Promise.all(Array.from({ length: 6 }, async (_, turn) => {
      const buy = bought.stripe(ago(3600))
      const { id } = await service.data("PUT", `/api/v1/customers-by-external-id/stripe/${buy.customer}`, {
        name: "Ada"
      })
      const [first, ...rest] = buy.bought
      await shop.sendAll([first!, ...rest.slice(0, turn % rest.length)])
      await Promise.all([erase(id), shop.sendAll(rest.slice(turn % rest.length))])
      const isLooked = ({ customer_id, paid_through, payer, status }: Body): boolean =>
        status === "done" && paid_through !== undefined && payer.id === (customer_id === id ? undefined : buy.customer)
      const { customer_id } = await shop.purchase(buy, isLooked)
      assert.strictEqual((await shop.license(buy)).customer_id, customer_id)
      assert.notProperty(await customerOf(id), "external_id")
      if (customer_id === id) {
        await eventually("nothing is left", async () => (await rowsWith(database, buy.email)).length === 0 || undefined)
        assert.deepStrictEqual(await rowsWith(database, buy.customer), [])
      }
    }))
    assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])
  })
})
