import { assert, beforeAll, describe, it } from "@effect/vitest"
import { extractText, getDocumentProxy } from "unpdf"
import { parseCsv } from "../../fixtures/parseCsv.ts"
import { exportedFile } from "../../fixtures/ReportExport.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"

let service: Service
let shop: Awaited<ReturnType<typeof openShop>>
let other: Awaited<ReturnType<typeof openShop>>

const now = Math.floor(Date.now() / 1000)
const day = 86_400
const at = (days: number): string => new Date((now + days * day) * 1000).toISOString()

/** One that is paid, one that ended 40 days ago after 60, and one at another connection that nothing is mapped for. */
const active = sold({ from: now - 3 * day })
const over = sold({ from: now - 100 * day, quantity: 2 })
const unmapped = sold({ from: now - day, price: "price_nobody_mapped" })

const report = async (query: Readonly<Record<string, string>> = {}, token?: string): Promise<Body> => {
  const path = `/api/v1/reports/purchases?${new URLSearchParams(query)}`
  const { body, text } = await service.call("GET", path, token === undefined ? {} : { token })
  assert.isObject(body?.data, text)
  return body.data
}

const idsOf = ({ rows }: Body): ReadonlyArray<string> => rows.map(({ external_id }: Body) => external_id)

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
  other = await openShop(service)
  await shop.sendAll(active.bought)
  await shop.sendAll(over.bought)
  // What has ended before it was known gives no license.
  await shop.license(over)
  await shop.send(
    over.event("customer.subscription.deleted", 60 * day, { status: "canceled", ended_at: now - 40 * day })
  )
  await other.sendAll(unmapped.bought)
  await shop.purchase(active, ({ paid_through, status }) => status === "done" && paid_through !== undefined)
  await shop.purchase(over, ({ state, status }) => status === "done" && state === "canceled")
  await other.purchase(unmapped, ({ paid_through, status }) => status === "waiting" && paid_through !== undefined)
})

describe("the report of purchases", () => {
  it("says whether each is paid, what it gives, since when and until when", async () => {
    const found = await report({ from: at(-200), to: at(1) })
    assert.deepStrictEqual(idsOf(found), [unmapped.id, active.id, over.id])
    const license = await shop.license(active)
    const purchase = await shop.purchase(active)
    const [waiting, paid, ended] = found.rows
    assert.deepStrictEqual(paid, {
      began_at: new Date((now - 3 * day + 1) * 1000).toISOString(),
      product_name: "Acme",
      policy_name: "Pro",
      quantity: 5,
      licenses: 1,
      state: "active",
      status: "done",
      refund: "none",
      dispute: "none",
      paid: "4900",
      currency: "eur",
      paid_through: purchase.paid_through,
      provider: "stripe",
      connection_name: "Stripe",
      external_id: active.id,
      payer_id: active.customer,
      customer_id: license.customer_id,
      license_ids: license.id,
      id: purchase.id
    })
    assert.deepInclude(ended, { state: "canceled", ends_at: new Date((now - 40 * day) * 1000).toISOString() })
    assert.deepInclude(waiting, { status: "waiting", licenses: 0, quantity: 5 })
    assert.notProperty(waiting, "license_ids")
    // It is nobody's yet: an erasure would not find a file that names who pays.
    assert.notProperty(waiting, "customer_id")
    assert.notProperty(waiting, "payer_id")
    assert.deepStrictEqual(found.summary, {
      purchases: 3,
      licenses: 2,
      states: [{ state: "active", count: 2 }, { state: "canceled", count: 1 }],
      statuses: [{ status: "done", count: 2 }, { status: "waiting", count: 1 }]
    })
  })

  it("is narrowed by its period and its filters", async () => {
    const { customer_id } = await shop.license(active)
    const wide = { from: at(-200), to: at(1) }
    const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, ReadonlyArray<string>]> = [
      // The month before now: one that ended before it is not in it.
      [{}, [unmapped.id, active.id]],
      [{ from: at(-60), to: at(-2) }, [active.id, over.id]],
      [{ from: at(-90), to: at(-50) }, [over.id]],
      [{ from: at(-30), to: at(-10) }, []],
      [{ ...wide, connection_id: other.connection.id }, [unmapped.id]],
      [{ ...wide, status: "waiting" }, [unmapped.id]],
      [{ ...wide, state: "canceled" }, [over.id]],
      [{ ...wide, product_id: shop.product.id }, [active.id, over.id]],
      [{ ...wide, product_id: other.product.id }, []],
      [{ ...wide, customer_id }, [active.id]]
    ]
    for (const [query, expected] of cases) {
      const found = await report(query)
      assert.deepStrictEqual(idsOf(found), expected, JSON.stringify(query))
      assert.strictEqual(found.total_rows, expected.length)
    }
    const first = await report({ ...wide, limit: "1" })
    assert.deepInclude(first, { total_rows: 3, truncated: true })
    assert.deepStrictEqual(idsOf(first), [unmapped.id])
  })

  it("shows a key that is limited to products the purchases whose licenses are all of these", async () => {
    const keyFor = async (product_id: string): Promise<string> => {
      const { token } = await service.data("POST", "/api/v1/api-keys", {
        name: product_id,
        scopes: ["report:read"],
        product_ids: [product_id]
      })
      return token
    }
    const wide = { from: at(-200), to: at(1) }
    const own = await report(wide, await keyFor(shop.product.id))
    assert.deepStrictEqual(idsOf(own), [active.id, over.id])
    assert.strictEqual(own.summary.purchases, 2)
    assert.deepStrictEqual(idsOf(await report(wide, await keyFor(other.product.id))), [])
  })

  it("is exported as JSON, CSV and PDF, the customers by their names", async () => {
    const filters = { from: at(-200), to: at(1) }
    const [json, csv, pdf] = await Promise.all(
      ["json", "csv", "pdf"].map((format) => exportedFile(service, { report_kind: "purchases", format, filters }))
    )
    const { rows, summary } = await report(filters)
    const snapshot = JSON.parse(json!.text)
    assert.deepStrictEqual(snapshot.table.rows, rows)
    assert.deepStrictEqual(snapshot.summary, summary)
    const [head, ...lines] = parseCsv(csv!.text)
    assert.deepStrictEqual(lines.map((line) => line[head!.indexOf("external_id")]), [...idsOf({ rows })])
    const { text: printed } = await extractText(await getDocumentProxy(pdf!.bytes), { mergePages: true })
    assert.include(printed, "Purchases · 3 rows")
    assert.include(printed, "Ada Lovelace")
  })
})
