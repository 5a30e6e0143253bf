import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { insertErasure } from "../../../../src/services/portal/privacy/ErasureSql.ts"
import {
  insertWork,
  insertWorkOfWaiting,
  lockConnection,
  updateConnection
} from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { insertEvents } from "../../../../src/services/sales/billing/InboxSql.ts"
import { lockSold } from "../../../../src/services/sales/billing/MappingReachSql.ts"
import { findErasure } from "../../../../src/services/sales/purchases/ErasedPurchaseSql.ts"
import {
  countPurchasesByStatus,
  deleteWork,
  findLookedBy,
  insertHolding,
  insertReadWork,
  listDue,
  lockMapping,
  lockPurchase,
  lockRecords,
  updateFailed
} from "../../../../src/services/sales/purchases/PurchaseSql.ts"
import {
  insertPurchases,
  listEventsAbout,
  listLinksFrom,
  listLinksTo,
  listPurchaseIds,
  lockUnrouted,
  updateRouted
} from "../../../../src/services/sales/purchases/RoutingSql.ts"
import {
  findReadable,
  updateRead,
  updateReadByName,
  updateUnrouted
} from "../../../../src/services/sales/purchases/SnapshotSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { connected, storedEvent } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const said = { quantity: 1, policy_id: "pol_a", meaning: "none" } as const

let made = 0

const connect = (sql: Database) => connected(sql, `bcn_${++made}`)

const purchase = Effect.fnUntraced(function*(sql: Database) {
  const connection_id = yield* connect(sql)
  const id = `pur_${connection_id}`
  yield* insertPurchases(sql, [{ id, connection_id, name: "order/pi_1" }])
  return { id, connection_id }
})

describe("the statements of purchases", () => {
  layer(Workers.layer)((it) => {
    it.effect("a purchase is looked at by one worker at a time: the second waits, and finds no work left", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { id } = yield* purchase(first)
        yield* insertWork(first, [id, id])
        const look = (sql: Database) => Effect.andThen(lockPurchase(sql, id), deleteWork(sql, id))
        const [took, left] = yield* waiting(look(first), look(second))
        assert.strictEqual(took.length, 2)
        assert.deepStrictEqual(left, [])
      }))

    it.effect("another mapping waits for a look, so that no look at a purchase says something else meanwhile", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { id } = yield* purchase(first)
        const [, locked] = yield* waiting(lockPurchase(first, id), lockSold(second, [id]))
        assert.lengthOf(locked, 1)
      }))

    it.effect("are counted by the statuses that are asked for, and not where all is done", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const counts = Effect.map(
          countPurchasesByStatus(first, ["waiting", "failed"]),
          (rows) => new Map(rows.map(({ count, status }) => [status, Number(count)]))
        )
        const before = yield* counts
        for (const status of ["waiting", "waiting", "failed", "done"]) {
          const { id } = yield* purchase(first)
          yield* first`UPDATE purchases SET status = ${status} WHERE id = ${id}`
        }
        const after = yield* counts
        assert.strictEqual((after.get("waiting") ?? 0) - (before.get("waiting") ?? 0), 2)
        assert.strictEqual((after.get("failed") ?? 0) - (before.get("failed") ?? 0), 1)
        assert.sameMembers([...after.keys()], ["waiting", "failed"])
      }))

    it.effect("who asks for a look waits for no look, and the work is there after it", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const { id } = yield* purchase(first)
        yield* insertWork(first, [id])
        yield* passing(Effect.andThen(lockPurchase(first, id), deleteWork(first, id)), insertWork(second, [id]))
        assert.strictEqual((yield* deleteWork(first, id)).length, 1)
      }))

    it.effect("a purchase is read before a look that somebody asks for who has not read it, and before no other", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { id, connection_id } = yield* purchase(first)
        yield* first`UPDATE billing_connections SET has_api_key = true WHERE id = ${connection_id}`
        const names = Effect.map(findReadable(first, id), (rows) => rows.map(({ name }) => name))
        assert.deepStrictEqual(yield* names, [])
        yield* insertReadWork(first, [id])
        assert.deepStrictEqual(yield* names, [])
        yield* insertWork(first, [id])
        assert.deepStrictEqual(yield* names, ["order/pi_1"])
        // One look is for both.
        assert.lengthOf(yield* deleteWork(first, id), 2)
        yield* updateRead(first, id, { code: "unavailable", message: "It was away." })
        yield* updateReadByName(first, connection_id, "order/pi_1")
        const [read] = yield* first`SELECT read_failure, read_at IS NOT NULL AS is_read FROM purchases WHERE id = ${id}`
        assert.deepStrictEqual({ ...read }, { read_failure: null, is_read: true })
      }))

    it.effect("a waiting purchase and a change of its mapping do not miss each other", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { connection_id, id } = yield* purchase(first)
        const mapping = { prices: [{ by: "price", value: "price_1", policy_id: "pol_1" }] } as const
        const leave = Effect.andThen(
          lockMapping(first, connection_id),
          first`UPDATE purchases SET status = 'waiting' WHERE id = ${id}`
        )
        const change = (sql: Database) =>
          Effect.andThen(
            Effect.andThen(lockConnection(sql, connection_id), updateConnection(sql, connection_id, { mapping })),
            insertWorkOfWaiting(sql, connection_id)
          )
        const [, asked] = yield* waiting(leave, change(second))
        assert.deepStrictEqual(asked, [{ purchase_id: id }])
        const [, [seen]] = yield* waiting(change(first), lockMapping(second, connection_id))
        assert.deepStrictEqual(seen, { mapping })
        const [by] = yield* findLookedBy(first, id)
        assert.deepInclude(by, { mapping, is_erased: false })
      }))

    it.effect("a purchase that was locked is known to be of a customer who was erased meanwhile", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { id } = yield* purchase(first)
        const customer_id = `cus_of_${id}`
        yield* makeRows(first).insert("customers", {
          id: customer_id,
          code: customer_id,
          name: "Ada",
          metadata: first`'{}'`
        })
        const erase = lockPurchase(first, id).pipe(
          Effect.andThen(first`UPDATE purchases SET customer_id = ${customer_id} WHERE id = ${id}`),
          Effect.andThen(insertErasure(first, customer_id))
        )
        const [, [by]] = yield* waiting(erase, Effect.andThen(lockPurchase(second, id), findLookedBy(second, id)))
        assert.isTrue(by!.is_erased)
        assert.isNotEmpty(yield* findErasure(first, customer_id))
        assert.deepStrictEqual(yield* findErasure(first, "cus_of_nobody"), [])
      }))

    it.effect("records are locked together, so that no license that follows one is locked before another record that is to be written", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const rows = makeRows(first)
        const product_id = yield* rows.product()
        const record = (id: string, external_system = "stripe") =>
          rows.insert("orders", {
            id,
            product_id,
            external_system,
            external_id: `of_${id}`,
            status: "paid",
            metadata: first`'{}'`
          })
        for (const id of ["ord_2", "ord_1", "ord_3"]) yield* record(id)
        yield* record("ord_4", "paddle")
        const names = ["ord_2", "ord_1", "ord_4", "ord_5"].map((id) => ({
          product_id,
          external_id: `of_${id}`,
          external_system: "stripe"
        }))
        const lock = (sql: Database) => lockRecords(sql, { kind: "order", names })
        const [, locked] = yield* waiting(first`SELECT 1 FROM orders WHERE id = 'ord_1' FOR SHARE`, lock(second))
        assert.deepStrictEqual(locked, [{ id: "ord_1" }, { id: "ord_2" }])
      }))

    it.effect("what failed is due when its time has come, and at once when there is other work", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { id } = yield* purchase(first)
        const isDue = Effect.map(listDue(first, 100), (rows) => rows.some((row) => row.id === id))
        assert.isFalse(yield* isDue)
        yield* insertWork(first, [id])
        assert.isTrue(yield* isDue)
        yield* updateFailed(first, id, { code: "CONFLICT", message: "taken" })
        assert.isFalse(yield* isDue)
        yield* first`UPDATE purchases SET next_attempt_at = now() - interval '1 second' WHERE id = ${id}`
        assert.isTrue(yield* isDue)
        yield* updateFailed(first, id, { code: "CONFLICT", message: "taken" })
        yield* insertWork(first, [id])
        assert.isTrue(yield* isDue)
      }))

    it.effect("a failed purchase is tried again after 5 seconds, then twice as many, and an hour at most", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const { id } = yield* purchase(first)
        const waits = (attempts: number) =>
          first`UPDATE purchases SET attempts = ${attempts} WHERE id = ${id}`.pipe(
            Effect.andThen(updateFailed(first, id, { code: "CONFLICT", message: "taken" })),
            Effect.andThen(first<{ readonly seconds: number }>`
              SELECT extract(epoch FROM next_attempt_at - updated_at)::int AS seconds FROM purchases WHERE id = ${id}`),
            Effect.map(([row]) => row!.seconds)
          )
        const found = [
          yield* waits(0),
          yield* waits(1),
          yield* waits(3),
          yield* waits(9),
          yield* waits(10),
          yield* waits(99)
        ]
        assert.deepStrictEqual(found, [5, 10, 40, 2560, 3600, 3600])
      }))

    it.effect("a reference has one license, whoever writes it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const { id } = yield* purchase(first)
        const licenseId = yield* makeRows(first).license()
        const hold = (sql: Database) => insertHolding(sql, { purchaseId: id, item: "0", index: 0, licenseId, said })
        const [, other] = yield* waiting(hold(first), Effect.exit(hold(second)))
        assert.strictEqual(other._tag, "Failure")
      }))
  })
})

describe("the statements of the inbox", () => {
  layer(Workers.layer)((it) => {
    it.effect("a repeat of an event is none: the second waits for the first, and stores nothing", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const connectionId = yield* connect(first)
        const links = [{ about: "payment/pi_1", to: "invoice/in_1" }]
        const store = (sql: Database) =>
          insertEvents(sql, [{ connectionId, events: [storedEvent("evt_1", { links })] }])
        const [stored, repeated] = yield* waiting(store(first), store(second))
        assert.deepStrictEqual([stored, repeated], [[{ connection_id: connectionId, event_id: "evt_1" }], []])
        const found = yield* listEventsAbout(first, connectionId, ["invoice/in_1"])
        assert.deepStrictEqual(found.map(({ event_id }) => event_id), ["evt_1"])
      }))

    it.effect("two routers take different events", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const connectionId = yield* connect(first)
        yield* insertEvents(first, [{
          connectionId,
          events: [storedEvent("evt_2"), storedEvent("evt_3", { objects: [] })]
        }])
        const [taken, left] = yield* passing(lockUnrouted(first, 10), lockUnrouted(second, 10))
        assert.isNotEmpty(taken.filter(({ connection_id }) => connection_id === connectionId))
        assert.deepStrictEqual(left, [])
        yield* updateRouted(first, taken.map(({ sequence }) => sequence))
        assert.deepStrictEqual(yield* lockUnrouted(first, 10), [])
        yield* updateUnrouted(first, connectionId, ["evt_2"])
        assert.lengthOf(yield* lockUnrouted(first, 10), 1)
      }))

    it.effect("an object of a provider is one purchase", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const connection_id = yield* connect(first)
        const named = { connection_id, name: "order/pi_2" }
        yield* waiting(
          insertPurchases(first, [{ id: "pur_first", ...named }]),
          insertPurchases(second, [{ id: "pur_second", ...named }])
        )
        assert.deepStrictEqual(yield* listPurchaseIds(first, [named]), [{ id: "pur_first" }])
      }))

    it.effect("links are followed to their end, both ways, and never round", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const connectionId = yield* connect(first)
        const links = [
          { about: "charge/ch_1", to: "payment/pi_1" },
          { about: "payment/pi_1", to: "invoice/in_1" },
          { about: "invoice/in_1", to: "subscription/sub_1" },
          { about: "subscription/sub_1", to: "charge/ch_1" },
          { about: "customer/cus_1", to: "subscription/sub_1" }
        ]
        yield* insertEvents(first, [{ connectionId, events: [storedEvent("evt_4", { links })] }])
        const namesOf = (found: ReadonlyArray<{ readonly about: string }>) =>
          [...new Set(found.map(({ about }) => about))].toSorted()
        assert.deepStrictEqual(namesOf(yield* listLinksFrom(first, connectionId, ["charge/ch_1"])), [
          "charge/ch_1",
          "invoice/in_1",
          "payment/pi_1",
          "subscription/sub_1"
        ])
        assert.deepStrictEqual(
          namesOf(yield* listLinksTo(first, connectionId, "subscription/sub_1")),
          links.map(({ about }) => about).toSorted()
        )
      }))
  })
})
