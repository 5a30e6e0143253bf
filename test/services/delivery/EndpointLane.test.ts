import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Lanes } from "../../../src/services/delivery/EndpointLane.ts"
import { FeedBuffer } from "../../../src/services/delivery/FeedBuffer.ts"
import { DeliveryMinutes } from "../../../src/services/delivery/LaneAttempts.ts"
import { LaneJournal } from "../../../src/services/delivery/LaneJournal.ts"
import { LaneStore } from "../../../src/services/delivery/LaneStore.ts"
import { Sender } from "../../../src/services/delivery/Sender.ts"
import { EndpointDirectory } from "../../../src/services/delivery/webhooks/EndpointDirectory.ts"
import { DeliveryTurns } from "../../../src/services/ground/environments/CurrentEnvironment.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../fixtures/Delivery.ts"
import { create, receivers, runningOn, until, untilSo } from "../../fixtures/LaneOnTestClock.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const net = receivers()

/** The lanes of a node, and nothing that wakes them. */
const layer = Lanes.layer.pipe(
  Layer.provideMerge(Sender.layer),
  Layer.provideMerge(LaneJournal.layer),
  Layer.provideMerge(LaneStore.layer),
  Layer.provideMerge([FeedBuffer.layer, EndpointDirectory.layer, DeliveryMinutes.layer, Sequencer.layer]),
  Layer.provideMerge(net.transport),
  Layer.provideMerge(layerNode)
)

/** A test on lanes with a database of their own. */
const onLanes = <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof layer>>) =>
  runningOn(layer, body).pipe(Effect.provide(layerTarget), Effect.scoped)

/** Commits an event, which this node then has in memory. */
const happen = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const sequencer = yield* Sequencer
  const feed = yield* FeedBuffer
  const directory = yield* EndpointDirectory
  yield* append(1)
  while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step
  yield* feed.advance
  // Attempts start as long as it is fresh, by a clock that went on while an earlier lane drained.
  yield* directory.refresh
})

/** Waits for the end of a lane while the directory is read, as a node does: a lane that must read it itself is not idle. */
const ended = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.flatMap(
    EndpointDirectory,
    ({ refresh }) => untilSo("the lane has ended", Effect.map(refresh, () => fiber.pollUnsafe() !== undefined))
  )

describe("the lane of an endpoint", () => {
  it.effect("takes hints while it works: not while it drains, when the lane that follows it does, and not afterwards", () =>
    onLanes(Effect.gen(function*() {
      const lanes = yield* Lanes
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      net.answers(() => Effect.never)
      const id = yield* create("/a")
      yield* directory.refresh
      yield* feed.skipToHead
      const wake = () => lanes.wake(id, false)
      assert.isFalse(wake(), "no lane works")
      const begin = Effect.flatMap(lanes.open(id), (lane) => Effect.forkChild(lane!.run))

      const first = yield* begin
      yield* until("the first lane works", wake)
      yield* happen
      assert.isTrue(wake())
      yield* until("an attempt hangs", () => net.arrived.length === 1)

      // Its shard goes, and comes back at once. It drains for 5 seconds, of which the waits for what comes meanwhile take 3.
      const ending = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* until("the first lane takes no hints", () => !wake(), 0.5)
      assert.isUndefined(first.pollUnsafe(), "it waits for its attempt")
      const second = yield* begin
      yield* until("the second lane works", wake, 0.5)
      yield* until("what was not written down is sent again", () => net.arrived.length === 2, 1)
      yield* happen
      assert.isTrue(wake())
      yield* until("an event that came meanwhile", () => net.arrived.length === 3, 1)
      assert.isUndefined(first.pollUnsafe(), "all of this while the first drains")
      yield* until("the first lane has ended", () => first.pollUnsafe() !== undefined)
      yield* Fiber.join(ending)
      assert.isTrue(wake(), "the end of the first leaves the second in its place")

      const last = yield* Effect.forkChild(Fiber.interrupt(second))
      yield* until("the second lane has ended", () => second.pollUnsafe() !== undefined)
      yield* Fiber.join(last)
      assert.isFalse(wake())
    })))

  it.effect("takes none once it has found nothing to do, and begins anew with the next message", () =>
    onLanes(Effect.gen(function*() {
      const lanes = yield* Lanes
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      net.answers(() => Effect.succeed({ status: 200, headers: {} }))
      const before = net.arrived.length
      const id = yield* create("/b")
      yield* directory.refresh
      yield* feed.skipToHead
      const lane = (yield* lanes.open(id))!
      const wake = () => lanes.wake(id, false)
      const first = yield* Effect.forkChild(lane.run)
      yield* until("it works", wake)
      yield* ended(first)
      assert.isFalse(wake())
      yield* happen
      lane.wake(false)
      const second = yield* Effect.forkChild(lane.run)
      yield* until("the event", () => net.arrived.length === before + 1)
      assert.isTrue(wake())
      yield* ended(second)
      assert.isFalse(wake())
    })))

  it.effect("begins no attempt before its turn, and takes back what had none when it ends", () => {
    const asked: Array<{ readonly step: () => void; isTakenBack: boolean }> = []
    const turns = Layer.succeed(DeliveryTurns, {
      begin: (step) => {
        const one = { step, isTakenBack: false }
        asked.push(one)
        return () => void (one.isTakenBack = true)
      }
    })
    const body = Effect.gen(function*() {
      const lanes = yield* Lanes
      const directory = yield* EndpointDirectory
      const feed = yield* FeedBuffer
      net.answers(() => Effect.succeed({ status: 200, headers: {} }))
      const id = yield* create("/turns")
      yield* directory.refresh
      yield* feed.skipToHead
      const running = yield* Effect.forkChild((yield* lanes.open(id))!.run)
      yield* until("the lane works", () => lanes.wake(id, false))
      yield* happen
      lanes.wake(id, false)
      yield* until("an attempt asks for its turn", () => asked.length === 1)
      assert.deepStrictEqual(net.at("/turns"), [])
      asked[0]!.step()
      assert.lengthOf(net.at("/turns"), 1)
      yield* happen
      lanes.wake(id, false)
      yield* until("the next one asks", () => asked.length === 2)
      const ending = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* until("the lane has ended", () => running.pollUnsafe() !== undefined)
      yield* Fiber.join(ending)
      assert.isTrue(asked[1]!.isTakenBack)
      assert.lengthOf(net.at("/turns"), 1)
    })
    return runningOn(Layer.provide(layer, turns), body).pipe(Effect.provide(layerTarget), Effect.scoped)
  })
})
