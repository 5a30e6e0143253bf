import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Database } from "../../../../src/services/ground/persistence/Database.ts"
import {
  deleteEvents,
  deleteSilent,
  lockOldBodies,
  updateToFacts
} from "../../../../src/services/sales/billing/EventBodySql.ts"
import { insertEvents } from "../../../../src/services/sales/billing/InboxSql.ts"
import { lockEventsAbout } from "../../../../src/services/sales/purchases/ErasedPurchaseSql.ts"
import { insertPurchases, listEventsAbout } from "../../../../src/services/sales/purchases/RoutingSql.ts"
import { connected, storedEvent } from "../../../fixtures/StoredEvents.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const object = "order/cs_1"

let made = 0

/** Events of a connection of its own, each of which came so many days ago. */
const received = Effect.fnUntraced(function*(sql: Database, ages: ReadonlyArray<number>) {
  yield* sql`DELETE FROM billing_events`
  const connectionId = yield* connected(sql, `bcn_bodies_${++made}`)
  for (const [index, age] of ages.entries()) {
    const event_id = `evt_${index}`
    yield* insertEvents(sql, [{ connectionId, events: [storedEvent(event_id, { objects: [object] })] }])
    yield* sql`
      UPDATE billing_events SET received_at = now() - ${age} * interval '24 hours', is_routed = true
      WHERE connection_id = ${connectionId} AND event_id = ${event_id}`
  }
  return connectionId
})

const namesOf = (rows: ReadonlyArray<{ readonly event_id: string }>) => rows.map(({ event_id }) => event_id)

describe("the statements that take bodies away", () => {
  layer(Workers.layer)((it) => {
    it.effect("see what is past its time and was told to its purchase, the oldest first, and whether there is one", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const connectionId = yield* received(first, [91, 200, 89, 300])
        const links = [{ about: object, to: "invoice/1" }, { about: "invoice/1", to: "subscription/1" }]
        yield* insertEvents(first, [{ connectionId, events: [storedEvent("evt_links", { links })] }])
        yield* first`UPDATE billing_events SET is_routed = false WHERE event_id = 'evt_1'`
        const rows = yield* lockOldBodies(first, 90)
        assert.deepStrictEqual(rows.map(({ event_id, leads }) => [event_id, leads]), [["evt_0", false], [
          "evt_3",
          false
        ]])
        yield* insertPurchases(first, [{ id: `pur_${made}`, connection_id: connectionId, name: "subscription/1" }])
        assert.deepStrictEqual((yield* lockOldBodies(first, 90)).map(({ leads }) => leads), [true, true])
        assert.deepStrictEqual(namesOf(yield* lockOldBodies(first, 90, rows[0]!.sequence)), ["evt_3"])
      }))

    it.effect("what somebody erases is passed by, and two nodes take different events", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const connectionId = yield* received(first, [100, 99])
        const [, other] = yield* passing(
          first`SELECT 1 FROM billing_events WHERE event_id = 'evt_0' FOR NO KEY UPDATE`,
          lockOldBodies(second, 90)
        )
        assert.deepStrictEqual(namesOf(other), ["evt_1"])
        const [, rest] = yield* passing(lockEventsAbout(first, connectionId, [object]), lockOldBodies(second, 90))
        assert.deepStrictEqual(rest, [])
      }))

    it.effect("an erasure waits for who takes the body away, and erases what is left instead", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const connectionId = yield* received(first, [100])
        const facts = JSON.stringify([{ kind: "note", about: object, note: "\u0000 \ud800" }])
        const take = Effect.gen(function*() {
          const rows = yield* lockOldBodies(first, 90)
          yield* updateToFacts(first, rows.map(({ sequence }) => ({ sequence, facts })))
        })
        const [, locked] = yield* waiting(take, lockEventsAbout(second, connectionId, [object]))
        assert.deepStrictEqual(locked.map(({ body, facts }) => ({ body, facts })), [
          { body: null, facts: JSON.parse(facts) }
        ])
        yield* updateToFacts(first, [{ sequence: locked[0]!.sequence, facts: "[]" }])
        const [left] = yield* listEventsAbout(first, connectionId, [object])
        assert.deepInclude(left, { event_id: "evt_0", body: null, facts: [] })
      }))

    it.effect("what says nothing goes, but for what is young, untold, or the last of its connection, and two nodes delete different events", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        const connectionId = yield* received(first, [100, 99, 98, 97, 3, 91])
        yield* first`UPDATE billing_events SET body = NULL, facts = '[]' WHERE event_id <> 'evt_2'`
        yield* first`UPDATE billing_events SET is_routed = false WHERE event_id = 'evt_3'`
        const held = first`SELECT 1 FROM billing_events WHERE event_id = 'evt_0' FOR NO KEY UPDATE`
        const [, deleted] = yield* passing(held, deleteSilent(second, 90))
        assert.strictEqual(deleted.length, 1)
        yield* deleteSilent(first, 90)
        const left = yield* listEventsAbout(first, connectionId, [object])
        assert.deepStrictEqual(namesOf(left), ["evt_2", "evt_3", "evt_4", "evt_5"])
      }))

    it.effect("an event goes with what it is about", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const connectionId = yield* received(first, [100, 100])
        const [oldest] = yield* lockOldBodies(first, 90)
        yield* deleteEvents(first, [oldest!.sequence])
        assert.strictEqual((yield* listEventsAbout(first, connectionId, [object])).length, 1)
        assert.strictEqual((yield* first`SELECT 1 FROM billing_event_objects`).length, 1)
      }))
  })
})
