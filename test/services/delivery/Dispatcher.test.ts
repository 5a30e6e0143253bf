import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Dispatcher } from "../../../src/services/delivery/Dispatcher.ts"
import { EndpointActor } from "../../../src/services/delivery/EndpointActor.ts"
import { FeedBuffer } from "../../../src/services/delivery/FeedBuffer.ts"
import { EndpointDirectory } from "../../../src/services/delivery/webhooks/EndpointDirectory.ts"
import { changesQuery } from "../../../src/services/delivery/webhooks/WebhookEndpointSql.ts"
import { DeliverySql } from "../../../src/services/ground/persistence/TransactionSql.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import { append, layerNode, until } from "../../fixtures/Delivery.ts"
import { layerTarget } from "../../fixtures/Target.ts"

/** What the dispatcher asked of the actors. */
class Asked {
  looked = 0
  readonly woken: Array<string> = []
}

/** Holds back the answers of the database when the endpoints are read, for as long as `answers` is closed. */
const layerSlowAnswers = (answers: Latch.Latch, read: Latch.Latch) =>
  Layer.effect(
    DeliverySql,
    Effect.map(DeliverySql, (sql) =>
      new Proxy(sql, {
        get: (target, name: keyof SqlClient.SqlClient) =>
          name !== "unsafe" ? target[name] : (...parameters: Parameters<typeof sql.unsafe>) => {
            const statement = sql.unsafe(...parameters)
            if (parameters[0] !== changesQuery) return statement
            const held = statement.pipe(Effect.tap(Effect.andThen(read.open, answers.await)))
            return Object.assign(held, { segments: statement.segments })
          }
      }))
  )

const layerWith = (asked: Asked, layerEndpoints = EndpointDirectory.layer) =>
  Dispatcher.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(
      Layer.succeed(EndpointActor, {
        isHere: () => {
          asked.looked += 1
          return true
        },
        wake: (id: string) => Effect.sync(() => void asked.woken.push(id))
      }),
      layerEndpoints,
      FeedBuffer.layer,
      Sequencer.layer
    )),
    Layer.provideMerge(layerNode),
    Layer.provide(layerTarget)
  )

const add = (id: string, event_types: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`
      INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
      VALUES (${id}, 'n', 'https://example.com', string_to_array(${event_types.join(",")}, ','), true)`)

describe("Dispatcher", () => {
  const asked = new Asked()
  const askedEarly = new Asked()
  const answers = Latch.makeUnsafe(true)
  const read = Latch.makeUnsafe(false)

  it.live("wakes an endpoint that was made while the endpoints were being read", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const directory = yield* EndpointDirectory
      const dispatcher = yield* Dispatcher
      const feed = yield* FeedBuffer
      const sequencer = yield* Sequencer
      yield* add("whep_first", ["product.created"])
      yield* directory.refresh
      yield* dispatcher.dispatch

      // The database has answered without the endpoint that is made next, and the answer is still on its way.
      answers.closeUnsafe()
      read.closeUnsafe()
      const reading = yield* Effect.forkChild(directory.refresh)
      yield* read.await
      yield* add("whep_new", ["license.*"])
      yield* append(1, { type: "webhook.created" })
      yield* append(1)
      while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step
      const before = feed.tail()
      const dispatching = yield* Effect.forkChild(dispatcher.dispatch)
      yield* until("the events are read", () => feed.tail() > before)
      yield* answers.open
      yield* Fiber.join(reading)
      yield* Fiber.join(dispatching)
      // The others, which were there when the node started, have no work because of it.
      assert.deepStrictEqual([...new Set(askedEarly.woken)], ["whep_new"])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        layerWith(askedEarly, EndpointDirectory.layer.pipe(Layer.provide(layerSlowAnswers(answers, read))))
      )
    ))

  it.live("looks at those alone that take what came, however many endpoints there are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const directory = yield* EndpointDirectory
      const dispatcher = yield* Dispatcher
      const sequencer = yield* Sequencer
      yield* sql`
        INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
        SELECT 'whep_other_' || n, 'n', 'https://example.com', ARRAY['product.created', 'customer.*'], true
        FROM generate_series(1, 10000) n`
      yield* add("whep_all", [])
      yield* add("whep_family", ["license.*"])
      yield* add("whep_kind", ["license.activated", "license.*"])
      yield* add("whep_paused", ["license.*"])
      yield* sql`UPDATE webhook_endpoints SET is_active = false WHERE id = 'whep_paused'`
      yield* directory.refresh
      yield* dispatcher.dispatch
      const events = function*(count: number) {
        asked.looked = 0
        asked.woken.length = 0
        yield* append(count)
        while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step
        while ((yield* dispatcher.dispatch) === 0);
      }
      yield* events(1)
      assert.sameMembers(asked.woken, ["whep_all", "whep_family", "whep_kind"])
      assert.strictEqual(asked.looked, 3)

      // What a subscription becomes counts from then on.
      yield* sql`
        UPDATE webhook_endpoints SET event_types = ARRAY['product.created'], changed_xid = pg_current_xact_id()
        WHERE id IN ('whep_all', 'whep_family')`
      yield* sql`
        UPDATE webhook_endpoints SET is_active = true, changed_xid = pg_current_xact_id() WHERE id = 'whep_paused'`
      yield* directory.refresh
      yield* events(3)
      assert.sameMembers(asked.woken, ["whep_kind", "whep_paused"])
      assert.strictEqual(asked.looked, 2)
    }).pipe(Effect.scoped, Effect.provide(layerWith(asked))))
})
