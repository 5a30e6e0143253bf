import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  deleteConnection,
  findConnection,
  findUse,
  insertConnection,
  insertWorkOfWaiting,
  lockConnection,
  lockToDelete,
  updateConnection
} from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { insertEvents } from "../../../../src/services/sales/billing/InboxSql.ts"
import { storedEvent } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

let made = 0

const connection = Effect.fnUntraced(function*(sql: Database) {
  const id = `bcn_${++made}`
  const credentials = new Uint8Array([1])
  const values = { name: "Stripe", mapping: { prices: [] }, credentials, has_secret: true, has_api_key: false }
  yield* insertConnection(sql, { id, provider: "stripe", values })
  return id
})

const purchase = (sql: Database, connectionId: string, id: string, status: string) =>
  sql`INSERT INTO purchases (id, connection_id, name, status)
    VALUES (${id}, ${connectionId}, ${`order/${id}`}, ${status})`

describe("the statements of billing connections", () => {
  layer(Workers.layer)((it) => {
    it.effect("changes of a connection wait for each other, and the later one sees what the earlier one left", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const id = yield* connection(first)
        const change = Effect.andThen(
          lockConnection(first, id),
          updateConnection(first, id, { credentials: new Uint8Array([2]) })
        )
        const [, [locked]] = yield* waiting(change, lockConnection(second, id))
        assert.deepStrictEqual([...locked!.credentials!], [2])
      }))

    it.effect("a connection that is deleted gets no event: who would store one waits, and is refused", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const id = yield* connection(first)
        const remove = Effect.andThen(lockToDelete(first, id), deleteConnection(first, id))
        const event = second`INSERT INTO billing_links (connection_id, about, target) VALUES (${id}, 'a', 'b')`
        const [, stored] = yield* waiting(remove, Effect.exit(event))
        assert.strictEqual(stored._tag, "Failure")
        assert.deepStrictEqual(yield* findConnection(first, id, ""), [])
      }))

    it.effect("what was read twice is one event: who stores it again waits, and adds only what is new", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const id = yield* connection(first)
        const body = (event_id: string) => ({
          connectionId: id,
          events: [
            storedEvent(event_id, { objects: ["order/o"], links: [{ about: "payment/p", to: "order/o" }] })
          ]
        })
        const read = (sql: Database, ...ids: ReadonlyArray<string>) =>
          insertEvents(sql, ids.map(body), { isRouted: true })
        yield* waiting(read(first, "b", "a"), read(second, "a", "c"))
        const stored = yield* first<{ readonly event_id: string; readonly body: Uint8Array }>`
          SELECT event_id, body FROM billing_events WHERE connection_id = ${id} AND is_routed ORDER BY event_id`
        assert.deepStrictEqual(
          stored.map(({ body, event_id }) => `${event_id} ${new TextDecoder().decode(body)}`),
          ["a {}", "b {}", "c {}"]
        )
      }))

    it.effect("who deletes a connection waits for a purchase or an event of it that is stored, and sees it", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const judge = (id: string) => Effect.andThen(lockToDelete(second, id), findUse(second, id))
        const bought = yield* connection(first)
        const [, [byPurchase]] = yield* waiting(purchase(first, bought, `pur_${bought}`, "new"), judge(bought))
        assert.deepStrictEqual(byPurchase, { purchases: true, unrouted: false })
        const told = yield* connection(first)
        const store = (event_id: string, objects: ReadonlyArray<string>) =>
          insertEvents(first, [{ connectionId: told, events: [storedEvent(event_id, { objects })] }])
        const [, [byNothing]] = yield* waiting(store("evt_1", []), judge(told))
        assert.deepStrictEqual(byNothing, { purchases: false, unrouted: false })
        const [, [byEvent]] = yield* waiting(store("evt_2", ["order/1"]), judge(told))
        assert.deepStrictEqual(byEvent, { purchases: false, unrouted: true })
      }))

    it.effect("only what waits or failed is asked to be looked at again", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const id = yield* connection(first)
        for (const status of ["new", "done", "waiting", "failed"]) {
          yield* purchase(first, id, `pur_${status}_${id}`, status)
        }
        const asked = yield* insertWorkOfWaiting(first, id)
        assert.sameMembers(asked.map(({ purchase_id }) => purchase_id), [`pur_waiting_${id}`, `pur_failed_${id}`])
      }))
  })
})
