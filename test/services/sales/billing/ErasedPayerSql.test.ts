import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertErasure } from "../../../../src/services/portal/privacy/ErasureSql.ts"
import {
  deletePayerLinks,
  deletePayerObjects,
  insertErasedPayers,
  insertEvents,
  listForgotten,
  lockStoring
} from "../../../../src/services/sales/billing/InboxSql.ts"
import { lockEventsAbout } from "../../../../src/services/sales/purchases/ErasedPurchaseSql.ts"
import { insertPurchases, listLinksTo } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { connected, storedEvent } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

/** A payer at a connection. */
const world = Effect.gen(function*() {
  const workers = yield* Workers
  const sql = workers.first
  const connectionId = yield* connected(sql, `bcn_payers_${++made}`)
  const payer = `customer/c_${made}` as const
  const digest = made.toString(16).padStart(64, "0")
  const store = (
    event_id: string,
    objects: ReadonlyArray<string>,
    to: ReadonlyArray<string> = [],
    worker = sql
  ) =>
    Effect.map(
      insertEvents(worker, [{
        connectionId,
        events: [storedEvent(event_id, {
          objects,
          links: to.map((target) => ({ about: payer, to: target })),
          ...(objects.every((object) => object === payer) ? { payers: [{ object: payer, digest }] } : {})
        })]
      }]),
      (rows) => rows.length
    )
  /** Makes a purchase of an erased customer. */
  const erase = Effect.fnUntraced(function*(name: string) {
    const id = `cus_payer_${++made}`
    yield* makeRows(sql).insert("customers", { id, code: id, name: "[erased]", metadata: sql`'{}'` })
    yield* insertPurchases(sql, [{ id: `pur_payer_${made}`, connection_id: connectionId, name }])
    yield* sql`UPDATE purchases SET customer_id = ${id} WHERE id = ${`pur_payer_${made}`}`
    yield* insertErasure(sql, id)
  })
  return { ...workers, connectionId, digest, erase, payer, store }
})

describe("the statements of payers who were erased", () => {
  layer(Workers.layer)((it) => {
    it.effect("have no event of them stored, unless they pay for a purchase of somebody who was not erased", () =>
      Effect.gen(function*() {
        const { connectionId, digest, erase, first, payer, store } = yield* world
        assert.strictEqual(yield* store("evt_before", [payer]), 1)
        yield* insertErasedPayers(first, [digest, digest])
        yield* insertErasedPayers(first, [digest])
        assert.strictEqual(yield* store("evt_after", [payer]), 0)
        // An event about something else is routed, and erased with its purchase.
        assert.strictEqual(yield* store("evt_late", [payer, "order/old"], ["order/old"]), 1)
        yield* erase("order/old")
        assert.strictEqual(yield* store("evt_again", [payer]), 0)
        assert.deepStrictEqual(yield* listForgotten(first, connectionId, [payer]), [{ object: payer }])
        assert.strictEqual(yield* store("evt_new", [payer, "order/new"], ["order/new"]), 1)
        assert.strictEqual(yield* store("evt_of_new", [payer]), 1)
        assert.deepStrictEqual(yield* listForgotten(first, connectionId, [payer]), [])
      }))

    it.effect("take who pays out of what is about a purchase, and leave what leads elsewhere", () =>
      Effect.gen(function*() {
        const { connectionId, first, payer, store } = yield* world
        yield* store("evt_old", [payer, "order/1"], ["order/1"])
        yield* store("evt_other", [payer, "order/2"], ["order/2"])
        yield* deletePayerLinks(first, connectionId, ["order/1"])
        const [old] = yield* lockEventsAbout(first, connectionId, ["order/1"])
        yield* deletePayerObjects(first, [old!.sequence])
        assert.deepStrictEqual(yield* listLinksTo(first, connectionId, "order/1"), [])
        assert.strictEqual((yield* listLinksTo(first, connectionId, "order/2")).length, 1)
        const named = yield* lockEventsAbout(first, connectionId, [payer])
        assert.deepStrictEqual(named.map(({ event_id }) => event_id), ["evt_other"])
      }))

    it.effect("wait for an event that is being stored, so that it is erased as well", () =>
      Effect.gen(function*() {
        const { connectionId, digest, first, payer, second, store, waiting } = yield* world
        yield* waiting(
          store("evt_stored", [payer]),
          second.withTransaction(lockStoring(second).unprepared).pipe(Effect.orDie)
        )
        assert.strictEqual((yield* lockEventsAbout(first, connectionId, [payer])).length, 1)
        // What begins later sees who was erased, also where it waited.
        const erase = Effect.andThen(lockStoring(first).unprepared, insertErasedPayers(first, [digest]))
        const [, stored] = yield* waiting(erase, store("evt_after", [payer], [], second))
        assert.strictEqual(stored, 0)
      }))
  })
})
