import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { windowEvents } from "../../../src/domain/delivery/DeliveryWindow.ts"
import { LaneState } from "../../../src/domain/delivery/LaneState.ts"
import { DatabaseTarget } from "../../../src/runtime/postgres/Database.ts"
import { LaneJournal } from "../../../src/services/delivery/LaneJournal.ts"
import { LaneStore } from "../../../src/services/delivery/LaneStore.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { append, layerDelivery, until } from "../../fixtures/Delivery.ts"
import { freshLane, laneEvents, verdict } from "../../fixtures/Lane.ts"
import type { LaneEvent } from "../../fixtures/Lane.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { hold } from "../../fixtures/Session.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const paths = ["a", "b", "c", "d"]

/** Four endpoints at one receiver, which answers while it is open, and what the database says of them. */
const world = (statusOf: (path: string, index: number) => number) =>
  Effect.gen(function*() {
    const endpoints = yield* WebhookEndpoints
    const sql = yield* SqlClient.SqlClient
    const { url } = yield* DatabaseTarget
    const target = yield* receiver()
    const ids = new Map<string, string>()
    for (const path of paths) {
      const { webhook } = yield* endpoints.create({
        name: path,
        url: `${target.url}/${path}`,
        event_types: ["license.activated"]
      })
      ids.set(path, webhook.id)
    }
    let waiting: Array<() => void> | undefined = []
    target.respond = (response, { body, path }) => {
      const status = statusOf(path.slice("/hooks/".length), JSON.parse(body).data.index)
      const answer = () => void response.writeHead(status).end()
      if (waiting === undefined) answer()
      else waiting.push(answer)
    }
    const open = () => {
      for (const answer of waiting ?? []) answer()
      waiting = undefined
    }
    const close = () => {
      waiting = []
    }
    const arrived = (path: string) => target.received.filter((delivery) => delivery.path === `/hooks/${path}`).length
    const rows = (path: string) =>
      sql<{ readonly delivered: number; readonly retries: number; readonly cursor: number }>`
        SELECT delivered_total::int AS delivered, cursor_seq::int AS cursor,
          (SELECT count(*)::int FROM webhook_retries r WHERE r.endpoint_id = l.endpoint_id) AS retries
        FROM webhook_lanes l WHERE endpoint_id = ${ids.get(path)!}`.pipe(Effect.map(([row]) => row!), Effect.orDie)
    const disabledReason = (path: string) =>
      Effect.map(Effect.orDie(endpoints.get(ids.get(path)!)), (webhook) => webhook.disabled_reason)
    const lock = (table: string, column: string, path: string) =>
      Effect.promise(() =>
        hold(Redacted.value(url), `SELECT 1 FROM ${table} WHERE ${column} = $1 FOR UPDATE`, [ids.get(path)!])
      )
    return { arrived, close, disabledReason, lock, open, rows }
  })

/** Asks the database until it answers so; dies after a while. */
const untilRows = (what: string, condition: Effect.Effect<boolean>) =>
  Effect.gen(function*() {
    const end = performance.now() + 45_000
    while (!(yield* condition)) {
      if (performance.now() > end) return yield* Effect.die(new Error(`Waited in vain: ${what}`))
      yield* Effect.sleep(10)
    }
  })

const test = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  body.pipe(Effect.scoped, Effect.provide(layerDelivery().pipe(Layer.provideMerge(layerTarget))))

// Whoever locks a row has a transaction id, and the feed waits for its end. So the events are in the feed before, and the
// receivers answer only once the row is locked.
describe("LaneJournal", () => {
  it.live("writes the cursors of all lanes but the one whose row is locked, and of that one afterwards", () =>
    test(Effect.gen(function*() {
      const { arrived, lock, open, rows } = yield* world(() => 200)
      const written = (path: string) =>
        untilRows(`all of ${path} is written`, Effect.map(rows(path), ({ delivered }) => delivered === 300))
      yield* append(300)
      yield* until("every lane is at work", () => paths.every((path) => arrived(path) === 10))
      const { cursor } = yield* rows("a")
      const locked = yield* lock("webhook_lanes", "endpoint_id", "a")
      open()
      for (const path of paths.slice(1)) yield* written(path)
      yield* until("the locked lane works until its window is full", () => arrived("a") === windowEvents)
      assert.deepStrictEqual(yield* rows("a"), { delivered: 0, cursor, retries: 0 })
      yield* Effect.promise(() => locked.release())
      yield* written("a")
      for (const path of paths) assert.strictEqual(arrived(path), 300, "nothing is repeated")
    })))

  it.live("writes failures, and disables, while other rows of other lanes are locked", () =>
    test(Effect.gen(function*() {
      let isEarly = true
      const { arrived, close, disabledReason, lock, open, rows } = yield* world((path) =>
        isEarly ? (path === "b" ? 500 : 200) : path === "c" ? 500 : path === "d" ? 410 : 200
      )
      open()
      yield* append(1)
      for (const path of ["a", "c", "d"]) {
        yield* untilRows(`${path} is written`, Effect.map(rows(path), ({ delivered }) => delivered === 1))
      }
      yield* untilRows("b has a retry", Effect.map(rows("b"), ({ retries }) => retries === 1))
      close()
      isEarly = false
      yield* append(5)
      yield* until("every lane is at work", () => paths.every((path) => arrived(path) >= 6))
      // As whoever deletes the endpoint has it; and a row that a delivery which arrives is to remove.
      const locked = [
        yield* lock("webhook_endpoints", "id", "a"),
        yield* lock("webhook_retries", "endpoint_id", "b")
      ]
      open()
      yield* untilRows("the failures of c", Effect.map(rows("c"), ({ retries }) => retries === 5))
      yield* untilRows("d is disabled", Effect.map(disabledReason("d"), (reason) => reason === "gone"))
      yield* until("the retry of b arrives", () => arrived("b") === 7)
      for (const each of locked) yield* Effect.promise(() => each.release())
      for (const path of ["a", "b"]) {
        yield* untilRows(
          `all of ${path} is written`,
          Effect.map(rows(path), ({ delivered, retries }) => delivered === 6 && retries === 0)
        )
      }
    })))

  it.effect("lets successes wait to be written together, but not while somebody waits for their cursors", () => {
    const cursors: Array<number> = []
    const store = Layer.mock(LaneStore, {
      write: (changes) =>
        Effect.sync(() => {
          cursors.push(...changes.map(({ cursor }) => cursor))
          return { hopeless: [], held: [] }
        })
    })
    return Effect.gen(function*() {
      const journal = yield* LaneJournal
      const state = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
      state.window.offer(laneEvents(1, 3), 3)
      const lane = { takeChange: () => state.takeChange(0), changeWritten: state.changeWritten.bind(state) }
      const deliver = Effect.sync(() => {
        state.settle(state.next(0)!, verdict("delivered", 200), 0, 0)
        journal.mark(lane, false)
      })
      yield* deliver
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(cursors, [], "a success may wait")
      const done = Latch.makeUnsafe(false)
      const waiting = yield* Effect.forkChild(journal.promptly(done.await))
      yield* journal.written
      assert.deepStrictEqual(cursors, [1], "what waited is written")
      yield* deliver
      yield* journal.written
      assert.deepStrictEqual(cursors, [1, 2], "and what comes meanwhile")
      yield* done.open
      yield* Fiber.join(waiting)
      yield* deliver
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(cursors, [1, 2], "a success may wait again")
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(cursors, [1, 2, 3])
    }).pipe(Effect.provide(LaneJournal.layer.pipe(Layer.provide(store))))
  })
})
