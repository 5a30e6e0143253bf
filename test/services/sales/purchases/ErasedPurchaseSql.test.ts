import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { PurchaseState } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { insertEvents } from "../../../../src/services/sales/billing/InboxSql.ts"
import {
  insertWorkOfOthers,
  listErasableConnections,
  listUnmade,
  lockPurchasesOf,
  updateErasedPurchase
} from "../../../../src/services/sales/purchases/ErasedPurchaseSql.ts"
import { deleteWork, insertHolding, lockPurchase } from "../../../../src/services/sales/purchases/PurchaseSql.ts"
import { insertPurchases } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { connected, storedEvent } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const said = { quantity: 1, policy_id: "pol_a", meaning: "none" } as const

let made = 0

const state: PurchaseState = {
  provider: "stripe",
  purchase: "order/1",
  kind: "order",
  state: "paid",
  slots: [],
  payer: {},
  origin: {},
  refund: "none",
  dispute: "none",
  source_updated_at: "2027-01-01T00:00:00.000000000Z",
  ambiguous: false,
  notes: []
}

/** A customer whom Stripe knows, and a connection to it. */
const world = Effect.gen(function*() {
  const workers = yield* Workers
  const sql = workers.first
  const rows = makeRows(sql)
  const id = `cus_${++made}`
  const external_id = `payer_${made}`
  const name = { external_system: "stripe", external_id }
  yield* rows.insert("customers", { id, code: id, name: "Ada", metadata: sql`'{}'`, ...name })
  const connection_id = yield* connected(sql, `bcn_${made}`)
  const purchase = Effect.fnUntraced(function*(payer?: PurchaseState["payer"], customer: string | null = null) {
    const purchaseId = `pur_${++made}`
    yield* insertPurchases(sql, [{ id: purchaseId, connection_id, name: `order/${purchaseId}` }])
    const json = payer === undefined ? null : JSON.stringify({ ...state, payer })
    yield* sql`UPDATE purchases SET state = ${json}::jsonb, customer_id = ${customer} WHERE id = ${purchaseId}`
    return purchaseId
  })
  /** Stores links from the payer to objects. */
  const lead = (...to: ReadonlyArray<string>) =>
    insertEvents(sql, [{
      connectionId: connection_id,
      events: [
        storedEvent(`evt_${++made}`, { links: to.map((target) => ({ about: `customer/${external_id}`, to: target })) })
      ]
    }])
  return { ...workers, rows, id, external_id, connection_id, purchase, lead }
})

const idsOf = (found: ReadonlyArray<{ readonly id: string }>) => found.map(({ id }) => id)

describe("the statements that erase purchases", () => {
  layer(Workers.layer)((it) => {
    it.effect("find every purchase of a customer: theirs, one of their payer, one that is linked to it, and one of nobody else", () =>
      Effect.gen(function*() {
        const { external_id, first, id, lead, purchase, rows } = yield* world
        const other = yield* world
        const theirs = yield* purchase({}, id)
        const paid = yield* purchase({ id: external_id })
        const linked = yield* purchase()
        yield* lead(`order/${linked}`)
        const held = yield* purchase({ email: "ada@example.com" })
        yield* insertHolding(first, {
          purchaseId: held,
          item: "0",
          index: 0,
          licenseId: yield* rows.license({ customer_id: id }),
          said
        })
        // A license that was handed over to them tells nothing of who paid for it.
        const handed = yield* purchase({ id: "somebody" }, other.id)
        yield* insertHolding(first, {
          purchaseId: handed,
          item: "0",
          index: 0,
          licenseId: yield* rows.license({ customer_id: id }),
          said
        })
        assert.deepStrictEqual(idsOf(yield* lockPurchasesOf(first, id)), [theirs, paid, linked, held].toSorted())
        assert.deepStrictEqual(idsOf(yield* lockPurchasesOf(first, other.id)), [handed])
      }))

    it.effect("a payer of the same ID at another provider is somebody else", () =>
      Effect.gen(function*() {
        const { external_id, first, id, purchase } = yield* world
        const paid = yield* purchase({ id: external_id })
        const elsewhere = yield* purchase({ id: external_id })
        const other = yield* connected(first, `bcn_${++made}`)
        yield* first`UPDATE billing_connections SET provider = 'paddle' WHERE id = ${other}`
        yield* first`UPDATE purchases SET connection_id = ${other} WHERE id = ${elsewhere}`
        assert.deepStrictEqual(idsOf(yield* lockPurchasesOf(first, id)), [paid])
        const connections = yield* listErasableConnections(first, id, [elsewhere])
        assert.deepStrictEqual(
          connections.filter(({ id }) => id === other).map(({ payer, provider }) => ({ payer, provider })),
          [{ payer: null, provider: "paddle" }]
        )
      }))

    it.effect("find what was bought and is no purchase yet", () =>
      Effect.gen(function*() {
        const { connection_id, first, id, lead, purchase } = yield* world
        const made = yield* purchase()
        yield* lead(`order/${made}`, "subscription/of_nobody_yet", "invoice/in_1")
        assert.deepStrictEqual(yield* listUnmade(first, id), [{ connection_id, name: "subscription/of_nobody_yet" }])
      }))

    it.effect("no look tells of a customer who is being erased: it waits, and sees what is left", () =>
      Effect.gen(function*() {
        const { external_id, first, id, purchase, second, waiting } = yield* world
        const of = yield* purchase({ id: external_id })
        const erase = Effect.gen(function*() {
          const [locked] = yield* lockPurchasesOf(first, id)
          yield* updateErasedPurchase(first, locked!.id, { customerId: id, state })
        })
        const [, found] = yield* waiting(erase, lockPurchase(second, of))
        assert.deepStrictEqual(found.map(({ customer_id, state }) => ({ customer_id, payer: state!.payer })), [
          { customer_id: id, payer: {} }
        ])
        yield* updateErasedPurchase(first, of, { customerId: "cus_none", state: null })
        assert.deepInclude((yield* lockPurchase(first, of))[0], { customer_id: id, state: null })
      }))

    it.effect("ask for looks at what became the customer's meanwhile, and at nothing else", () =>
      Effect.gen(function*() {
        const { first, id, purchase } = yield* world
        const [erased, since] = [yield* purchase({}, id), yield* purchase({}, id)]
        yield* insertWorkOfOthers(first, id, [erased])
        assert.strictEqual((yield* deleteWork(first, since)).length, 1)
        assert.deepStrictEqual(yield* deleteWork(first, erased), [])
      }))
  })
})
