import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { makeSingleFlight } from "../../../../src/services/ground/platform/DatabaseHealth.ts"

const unpaced = { rest: 0, longestRest: 0 }

/** Work that ends when it is let, and how often it was begun. */
const gated = Effect.gen(function*() {
  const gates = [yield* Deferred.make<number>(), yield* Deferred.make<number>()]
  let begun = 0
  return { gates, begun: () => begun, work: Effect.suspend(() => Deferred.await(gates[begun++]!)) }
})

describe("single flight", () => {
  it.live("does the work once for all who ask before it begins", () =>
    Effect.gen(function*() {
      let done = 0
      const ask = yield* makeSingleFlight(Effect.sync(() => ++done), unpaced)
      assert.deepStrictEqual(yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" }), [1, 1, 1])
      assert.strictEqual(yield* ask, 2)
    }))

  it.live("tells nobody what was begun before it asked, and never does the work twice at a time", () =>
    Effect.gen(function*() {
      const { begun, gates, work } = yield* gated
      const ask = yield* makeSingleFlight(work, unpaced)
      const first = yield* Effect.forkChild(ask)
      while (begun() === 0) yield* Effect.yieldNow
      const later = yield* Effect.forkChild(Effect.all([ask, ask], { concurrency: "unbounded" }))
      for (let turn = 0; turn < 10; turn++) yield* Effect.yieldNow
      assert.strictEqual(begun(), 1)
      yield* Deferred.succeed(gates[0]!, 1)
      yield* Deferred.succeed(gates[1]!, 2)
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.deepStrictEqual(yield* Fiber.join(later), [2, 2])
    }))

  it.live("goes on when who asked first has hung up, and fails all alike", () =>
    Effect.gen(function*() {
      const { begun, gates, work } = yield* gated
      const ask = yield* makeSingleFlight(work, unpaced)
      const first = yield* Effect.forkChild(ask)
      const second = yield* Effect.forkChild(ask)
      while (begun() === 0) yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gates[0]!, 7)
      assert.strictEqual(yield* Fiber.join(second), 7)
      const failing = yield* makeSingleFlight(Effect.fail("no"), unpaced)
      const exits = yield* Effect.all([Effect.flip(failing), Effect.flip(failing)], { concurrency: "unbounded" })
      assert.deepStrictEqual(exits, ["no", "no"])
    }))

  it.live("rests for so many times what the work took", () =>
    Effect.gen(function*() {
      const ask = yield* makeSingleFlight(Effect.sleep("20 millis"), { rest: 4, longestRest: 1_000 })
      yield* ask
      const begun = performance.now()
      yield* ask
      assert.isAbove(performance.now() - begun, 80)
    }))

  it.live("interrupts those who wait when its scope closes, whether the work has begun or not", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { begun, work } = yield* gated
      const ask = yield* Scope.provide(makeSingleFlight(work, unpaced), scope)
      const first = yield* Effect.forkChild(ask)
      while (begun() === 0) yield* Effect.yieldNow
      const second = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      for (const waiting of [first, second]) assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waiting)))
    }))
})
