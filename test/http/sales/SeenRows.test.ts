// What was seen when lives left the simple story, and what only a service can show of it: each provider tells it to the address that its
// connection names in the test environment. `SeenCells` has the rows, and where the others are shown.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Clerk } from "../../fixtures/paid/Clerk.ts"
import { day, ordersOf, subscriptionsOf } from "../../fixtures/paid/Life.ts"
import type { Life, PriceName, Teller } from "../../fixtures/paid/Life.ts"
import { mappingOf } from "../../fixtures/paid/PaidMapping.ts"
import { idIn, orderKinds, tell } from "../../fixtures/paid/PaidPlay.ts"
import { provided, tellers } from "../../fixtures/paid/Provided.ts"
import { seenCells } from "../../fixtures/paid/SeenCells.ts"
import { Telling } from "../../fixtures/paid/Telling.ts"
import { secretOf, signatureOf } from "../../fixtures/ProviderSender.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

/** When the service is asked, in days: before, while, and after licenses have run out, and at last as what was said to be ahead comes. */
const looks = [0.5, 5, 11, 46, 48.5]

let service: Service
let test: Service

beforeAll(async () => {
  service = await startService()
  test = inTestOf(service, testDatabaseOf(service))
})

const only = (price: PriceName, quantity: number) => [{ item: "main", price, quantity }]

/** The lives that are told, by the row that they show. */
const lives: Readonly<Record<string, (clerk: Clerk, teller: Teller) => void>> = {
  replaced: (clerk) => {
    const old = clerk.begin(0, only("pro_month", 2))
    clerk.begin(10 * day, only("team_month", 2))
    clerk.end(10 * day + 2, old)
  },
  back: (clerk, teller) => {
    // What is bought once lasts 30 days here. A surplus is of licenses that have run out as well.
    if (provided[teller].once) clerk.refund(45 * day, clerk.buyOnce(0, "forever"), 20_000)
    const of = clerk.begin(0, only("single_month", 3))
    clerk.decline(30 * day + 3600, of, clerk.turn(30 * day, of))
    clerk.change(44 * day, of, [{ ...of.items[0]!, quantity: 1 }], "never")
  },
  custom: (clerk) => clerk.begin(0, only("pro_month", 2)),
  before: (clerk) => clerk.begin(0, only("pro_month", 2)),
  twice: (clerk) => {
    clerk.end(4 * day, clerk.begin(0, only("pro_month", 2)))
    clerk.begin(10 * day, only("team_month", 2))
    clerk.begin(10 * day, only("pro_month", 3))
  },
  ahead: (clerk) => clerk.begin(48 * day, only("pro_month", 2))
}

type Name = keyof typeof lives

/** What a buyer may write: no database takes it. */
const unstorable = { "pl\u0000an": "pro\u0000", half: "a\ud800" }

/** A body in which the buyer's custom data are those, wherever the provider has them. */
const withCustom = (body: Body): Body =>
  JSON.parse(
    JSON.stringify(body, (name, value) => /^(metadata|custom_data|tags|meta_data)$/.test(name) ? unstorable : value)
  )

const told = (teller: Teller, name: Name, begun: number) => {
  const clerk = new Clerk()
  lives[name]!(clerk, teller)
  const entries = clerk.entries.toSorted((one, other) => one.at - other.at)
  const life: Life = { seed: name, provider: teller, flavour: "usual", entries }
  const telling = new Telling(begun, `${name}${teller.replace("_", "")}`)
  const bodies = tell[teller](life, telling).map(({ at, body }) => ({
    at: at / day,
    body: name === "custom" ? withCustom(body) : body
  }))
  return {
    bodies: name === "ahead" ? bodies.map(({ body }) => ({ at: 46, body })) : bodies,
    ids: subscriptionsOf(life).map(idIn(life, telling, "sub")),
    orders: ordersOf(life).map(idIn(life, telling, orderKinds[teller]))
  }
}

type Send = (body: object) => Promise<void>

/** Connects the account of a provider; answers what sends an event to that connection. */
const connect = async (teller: Teller, { paid, term }: Readonly<Record<"paid" | "term", Body>>) => {
  const secret = secretOf(teller)
  const connection = await test.data("POST", "/api/v1/billing/connections", {
    provider: teller,
    name: teller,
    secret,
    mapping: mappingOf(teller, "usual", (name) => name === "forever" ? term["id"] : paid["id"])
  })
  const send: Send = async (body) => {
    const raw = JSON.stringify(body)
    const headers = { "content-type": "application/json", ...signatureOf[teller](secret, raw) }
    const answer = await service.call("POST", connection.events_path, { token: null, raw, headers })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  return send
}

/** A vendor who sells at a provider, and a license that a program of theirs made before. */
const openShop = async (teller: Teller, already: string) => {
  const product = await test.data("POST", "/api/v1/products", { name: teller, code: teller.replace("_", "-") })
  const below = `/api/v1/products/${product.id}`
  const policy = (code: string, more: object) =>
    test.data("POST", `${below}/policies`, { name: code, code, max_activations: 1, ...more })
  const paid = await policy("paid", { license_type: "subscription", follows_subscription: true, grace_period_days: 7 })
  const term = await policy("term", { license_type: "time_limited", duration: "P30D" })
  const now = Date.now()
  const { id } = await test.data("POST", `${below}/subscriptions`, {
    external_system: teller,
    external_id: already,
    status: "active",
    current_period_start: new Date(now).toISOString(),
    current_period_end: new Date(now + 30 * day * 1000).toISOString()
  })
  const { license } = await test.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: paid.id,
    subscription_id: id
  })
  return { license, product, send: await connect(teller, { term, paid }), again: () => connect(teller, { term, paid }) }
}

const purchaseOf = async (id: string): Promise<Body | undefined> =>
  (await test.data("GET", `/api/v1/billing/purchases?external_id=${id}`))[0]

/** Purchases once nothing of them is still to be done. */
const settled = (ids: ReadonlyArray<string>, status = "done"): Promise<ReadonlyArray<Body>> =>
  eventually(`${ids.join(" and ")} are ${status}`, async () => {
    const found = await Promise.all(ids.map(purchaseOf))
    assert.notInclude(found.map((purchase) => purchase?.["status"]), "failed", JSON.stringify(found))
    return found.every((purchase) => purchase?.["status"] === status) ? found as ReadonlyArray<Body> : undefined
  }, 60)

/** The licenses of purchases that no other one has taken over. */
const licensesOf = (purchases: ReadonlyArray<Body>): Promise<ReadonlyArray<Body>> =>
  Promise.all(
    purchases.flatMap(({ licenses }) => licenses.filter(({ adopted = false }: Body) => !adopted))
      .map(({ license_id }: Body) => test.data("GET", `/api/v1/licenses/${license_id}`))
  )

const moveTo = (at: number) => test.data("PUT", "/api/v1/environment/clock", { now: new Date(at * 1000).toISOString() })

/** Tells a purchase again: as other events, with another address, and by a second connection. None of that makes a license. */
const stolen = async (
  product: Body,
  { bodies, ids }: Pick<ReturnType<typeof told>, "bodies" | "ids">,
  { elsewhere, other, send }: Readonly<Record<"send" | "other", Send> & Record<"elsewhere", Send | undefined>>
): Promise<void> => {
  const known = async () =>
    (await test.data("GET", `/api/v1/licenses?product_id=${product["id"]}`)).map(({ id, status }: Body) => [id, status])
  const before = await known()
  const renamed = (body: object): Body =>
    JSON.parse(
      JSON.stringify(body).replaceAll(/("(?:event_)?id":"(?:evt|ev|e)_[^"]*)"/g, `$1_again"`)
        .replaceAll(/[\w.]+@example\.com/g, "thief@example.com")
    )
  for (const { body } of bodies) {
    await send(body)
    await send(renamed(body))
    await other(renamed(body))
  }
  const waits = elsewhere === undefined ? undefined : "sold_elsewhere"
  const purchases = await eventually("both connections know of the purchase", async () => {
    const found: ReadonlyArray<Body> = await test.data("GET", `/api/v1/billing/purchases?external_id=${ids[0]}`)
    const held = found.find(({ status }) => status !== "done")
    const isSettled = waits === undefined ? held === undefined : held?.["holds"][0]?.code === waits
    return found.length === 2 && isSettled ? found : undefined
  }, 60)
  assert.lengthOf(await licensesOf(purchases), 1)
  assert.deepStrictEqual(await known(), before)
  if (elsewhere === undefined) return
  // At another site the same ID is of what began at another time.
  const begun = (body: object): Body =>
    JSON.parse(JSON.stringify(body, (name, value) => /^(created|started)_at$/.test(name) ? value - 1 : value))
  for (const { body } of bodies) await elsewhere(begun(body))
  await eventually(
    "the purchase of another site has its license",
    async () => (await known()).length > before.length ? true : undefined,
    60
  )
}

describe("what was seen", () => {
  it("is no more, at each provider, by a service", async () => {
    const served = Object.values(seenCells).flatMap((cells) => tellers.filter((teller) => "served" in cells[teller]))
    assert.lengthOf(served, 7 * tellers.length)
    const begun = Math.floor(Date.now() / 1000) + 60
    const shops = await Promise.all(tellers.map(async (teller) => {
      const of = Object.fromEntries(Object.keys(lives).map((name) => [name, told(teller, name, begun)]))
      const shop = await openShop(teller, of["before"]!.ids[0]!)
      return { of, teller, shop }
    }))
    const seen = new Map<Teller, ReadonlyArray<Body>>()
    for (const [index, until] of looks.entries()) {
      await moveTo(begun + until * day)
      const since = looks[index - 1] ?? -1
      await Promise.all(shops.map(async ({ of, shop: { send } }) => {
        for (const { bodies } of Object.values(of)) {
          // What is told of one moment comes at once.
          const due = bodies.filter(({ at }) => at > since && at <= until)
          for (const all of Map.groupBy(due, ({ at }) => Math.floor(at * 24)).values()) {
            await Promise.all(all.map(({ body }) => send(body)))
          }
        }
      }))
      for (const { of, teller } of shops) {
        const begins = Object.entries(of).filter(([name]) => name !== "ahead").map(([, { ids }]) => ids[0]!)
        await settled(begins)
        if (until === 0.5) await settled(of["back"]!.orders)
        if (until === 46) seen.set(teller, await settled(of["ahead"]!.ids, "waiting"))
      }
    }
    for (const { of, shop: { again, license, product, send }, teller } of shops) {
      const rows = async (name: Name) => await licensesOf(await settled([...of[name]!.ids, ...of[name]!.orders]))
      const [replaced] = await settled(of["replaced"]!.ids.slice(0, 1))
      assert.deepStrictEqual(replaced!["licenses"].map(({ adopted }: Body) => adopted), [true], `8 ${teller}`)
      assert.lengthOf(await rows("replaced"), 1, `8 ${teller}`)
      const back = await rows("back")
      assert.deepStrictEqual([...new Set(back.map(({ status }) => status))], ["expired"], `9 ${teller}`)
      const orders = await test.data("GET", `/api/v1/products/${product.id}/orders`)
      assert.deepStrictEqual(orders.map(({ status }: Body) => status), of["back"]!.orders.map(() => "refunded"))
      assert.lengthOf(await rows("custom"), 1, `10 ${teller}`)
      assert.deepStrictEqual((await rows("before")).map(({ id }) => id), [license.id], `11 ${teller}`)
      const twice = await rows("twice")
      assert.strictEqual(new Set(twice.map(({ id }) => id)).size, 2, `13 ${teller}`)
      assert.deepStrictEqual(
        seen.get(teller)!.map(({ holds }) => holds.map(({ code }: Body) => code)),
        [["event_ahead"]],
        `15 ${teller}`
      )
      assert.deepStrictEqual((await rows("ahead")).map(({ status }) => status), ["active"], `15 ${teller}`)
      // Another connection to Chargebee may be another site, whose vendor may have given the same names.
      const elsewhere = teller === "chargebee" ? await again() : undefined
      await stolen(product, of["ahead"]!, { send, other: await again(), elsewhere })
    }
  })
})
