import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Duration } from "effect"
import { TestClock } from "effect/testing"
import { deliveryTurns, makePace } from "../../../src/runtime/environments/EnvironmentApp.ts"

/**
 * The pace beside a live environment that was asked so often within the last second, and works on something until it ends;
 * and the work that was begun.
 */
const begin = (lately: number, { isWorking = false }: { readonly isWorking?: boolean } = {}) => {
  const ended = Deferred.makeUnsafe<void>()
  const live = { lately }
  const pace = makePace(
    { begunLately: () => live.lately, quiet: isWorking ? Deferred.await(ended) : Effect.void },
    { rest: "1 second", quiet: "100 millis" }
  )
  const begun: Array<string> = []
  const come = (name: string, took: Duration.Input = 0) =>
    Effect.forkChild(
      pace.run(Effect.andThen(Effect.sync(() => void begun.push(name)), Effect.sleep(took))),
      { startImmediately: true }
    )
  return { begun, come, live, end: Deferred.succeed(ended, undefined) }
}

describe("the pace of work beside live", () => {
  it.effect("is none while nobody asks live, or a few do", () =>
    Effect.gen(function*() {
      for (const lately of [0, 1, 9]) {
        const { begun, come } = begin(lately, { isWorking: true })
        for (const name of ["a", "b", "c"]) yield* come(name, "1 minute")
        assert.deepStrictEqual(begun, ["a", "b", "c"])
      }
    }))

  it.effect("begins work when live has ended what it works on", () =>
    Effect.gen(function*() {
      const { begun, come, end } = begin(10, { isWorking: true })
      const first = yield* come("a")
      assert.deepStrictEqual(begun, [])
      yield* end
      yield* TestClock.adjust(0)
      yield* Fiber.join(first)
      assert.deepStrictEqual(begun, ["a"])
    }))

  it.effect("begins work beside live that never ends, one after the other", () =>
    Effect.gen(function*() {
      const { begun, come } = begin(10, { isWorking: true })
      for (const name of ["a", "b"]) yield* come(name)
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual(begun, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(begun, ["a"])
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual(begun, ["a"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(begun, ["a", "b"])
    }))

  it.effect("rests as many times as long as the work took, as live is asked tens of times", () =>
    Effect.gen(function*() {
      const { begun, come } = begin(50)
      for (const name of ["a", "b"]) yield* come(name, "10 millis")
      yield* TestClock.adjust("59 millis")
      assert.deepStrictEqual(begun, ["a"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(begun, ["a", "b"])
    }))

  it.effect("begins the next after a second, however long the work before takes", () =>
    Effect.gen(function*() {
      const { begun, come } = begin(5_000)
      for (const name of ["a", "b", "c"]) yield* come(name, "1 minute")
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(begun, ["a"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(begun, ["a", "b"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(begun, ["a", "b", "c"])
    }))

  it.effect("leaves the turn of work that goes away to the next", () =>
    Effect.gen(function*() {
      const { begun, come } = begin(5_000)
      yield* come("a", "1 minute")
      const second = yield* come("b")
      yield* come("c")
      yield* Fiber.interrupt(second)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(begun, ["a", "c"])
    }))
})

describe("deliveries beside live", () => {
  it.effect("begin at once while live is idle, and one after the other, in their order, while it is busy", () =>
    Effect.gen(function*() {
      for (const lately of [0, 10]) {
        const pace = makePace({ begunLately: () => lately, quiet: Effect.never }, {
          rest: "1 second",
          quiet: "20 millis"
        })
        const { begin } = yield* deliveryTurns(pace)
        const begun: Array<string> = []
        for (const name of ["a", "b", "c"]) begin(() => void begun.push(name))
        assert.deepStrictEqual(begun, lately === 0 ? ["a", "b", "c"] : [])
        yield* TestClock.adjust("20 millis")
        if (lately > 0) assert.deepStrictEqual(begun, ["a"])
        yield* TestClock.adjust("40 millis")
        assert.deepStrictEqual(begun, ["a", "b", "c"])
      }
    }))

  it.effect("that are taken back before their turn never begin, and hold up nobody", () =>
    Effect.gen(function*() {
      const ended = Deferred.makeUnsafe<void>()
      const pace = makePace(
        { begunLately: () => 10, quiet: Deferred.await(ended) },
        { rest: "1 second", quiet: "1 minute" }
      )
      const { begin } = yield* deliveryTurns(pace)
      const begun: Array<string> = []
      const [first, second] = ["a", "b", "c"].map((name) => begin(() => void begun.push(name)))
      first!()
      second!()
      yield* Deferred.succeed(ended, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(begun, ["c"])
      first!()
      assert.deepStrictEqual(begun, ["c"])
    }))
})
