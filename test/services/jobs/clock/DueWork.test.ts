import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EndpointActor } from "../../../../src/services/delivery/EndpointActor.ts"
import { LaneJournal } from "../../../../src/services/delivery/LaneJournal.ts"
import type { LaneWithWork } from "../../../../src/services/delivery/LanesWithWork.ts"
import { LanesWithWork } from "../../../../src/services/delivery/LanesWithWork.ts"
import { Hint } from "../../../../src/services/ground/platform/Supervised.ts"
import { makeDueWork } from "../../../../src/services/jobs/clock/EnvironmentClock.ts"
import { LeaseSweeper } from "../../../../src/services/licensing/floating/Leases.ts"
import { LicenseSweeper } from "../../../../src/services/licensing/lifecycle/LicenseSweeper.ts"
import { UsageWarnings } from "../../../../src/services/licensing/warnings/UsageWarnings.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"

/** Lanes of which some have work until `finish`; "elsewhere" is another node's. */
const makeWorld = Effect.gen(function*() {
  const written = yield* Hint.make
  let lanes: ReadonlyArray<LaneWithWork> = [
    { endpointId: "late", overdue: true },
    { endpointId: "behind", overdue: false },
    { endpointId: "elsewhere", overdue: true }
  ]
  let awaited = 0
  let steps = 0
  const woken: Array<readonly [string, boolean]> = []
  const done: Array<string> = []
  const swept = (what: string) => Effect.sync(() => done.push(what))
  const layer = Layer.mergeAll(
    Layer.mock(LanesWithWork, { find: Effect.sync(() => lanes), areBehind: () => false }),
    Layer.mock(EndpointActor, {
      isHere: (id) => id !== "elsewhere",
      wake: (id, reload) => Effect.sync(() => void woken.push([id, reload]))
    }),
    Layer.mock(LaneJournal, {
      mark: () => {},
      written: written.await,
      promptly: (effect) =>
        Effect.acquireUseRelease(Effect.sync(() => awaited++), () => effect, () => Effect.sync(() => awaited--))
    }),
    Layer.mock(LeaseSweeper, { sweep: swept("leases") }),
    Layer.mock(LicenseSweeper, { announce: swept("licenses"), lapse: swept("containers") }),
    Layer.mock(UsageWarnings, { sweep: Effect.asVoid(swept("warnings")) }),
    Layer.mock(Sequencer, { step: Effect.sync(() => void steps++).pipe(Effect.as(0)) })
  )
  const work = yield* Effect.provide(makeDueWork, layer)
  return {
    work,
    woken,
    done,
    awaited: () => awaited,
    steps: () => steps,
    finish: (id: string) => {
      lanes = lanes.filter(({ endpointId }) => endpointId !== id)
    },
    write: written.wake
  }
})

describe("DueWork", () => {
  it.effect("does what is due, and nothing else", () =>
    Effect.gen(function*() {
      const { done, work } = yield* makeWorld
      yield* work.settle(["leases", "licenses", "containers", "warnings", "retries"])
      assert.deepStrictEqual(done.splice(0), ["leases", "licenses", "containers", "warnings"])
      for (const kind of ["leases", "licenses", "containers", "warnings"] as const) {
        yield* work.settle([kind])
        assert.deepStrictEqual(done.splice(0), [kind])
      }
      yield* work.settle(["retries"])
      assert.deepStrictEqual(done, [])
    }))

  it.effect("wakes the lanes of this node that have work, once, and waits for those of every node", () =>
    Effect.gen(function*() {
      const { awaited, finish, woken, work, write } = yield* makeWorld
      const delivering = yield* Effect.forkChild(work.deliver)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(woken, [["late", true], ["behind", false]])
      assert.strictEqual(awaited(), 1, "lanes are written promptly meanwhile")
      finish("late")
      finish("behind")
      yield* write
      yield* TestClock.adjust(1)
      assert.isUndefined(delivering.pollUnsafe(), "the other node's lane is awaited")
      finish("elsewhere")
      yield* TestClock.adjust(50)
      yield* Fiber.join(delivering)
      assert.lengthOf(woken, 2)
      assert.strictEqual(awaited(), 0)
    }))

  it.effect("waits for events that another sequencer places, or that wait for a transaction, but not for ever", () =>
    Effect.gen(function*() {
      const { steps, work } = yield* makeWorld
      let waits = true
      const placing = yield* Effect.forkChild(work.place(Effect.sync(() => waits)))
      yield* TestClock.adjust("100 millis")
      assert.isUndefined(placing.pollUnsafe())
      assert.isAbove(steps(), 1)
      waits = false
      yield* TestClock.adjust("20 millis")
      yield* Fiber.join(placing)
      const stuck = yield* Effect.forkChild(work.place(Effect.succeed(true)))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(stuck)
    }))

  it.effect("leaves a receiver that hangs to later", () =>
    Effect.gen(function*() {
      const { awaited, work } = yield* makeWorld
      const delivering = yield* Effect.forkChild(work.deliver)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(delivering)
      assert.strictEqual(awaited(), 0)
    }))
})
