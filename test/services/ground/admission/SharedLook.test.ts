import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeSharedLook } from "../../../../src/services/ground/admission/QuestionGroups.ts"

describe("a shared look", () => {
  it.effect("is one for all who ask before it begins, and another one for who asks while it runs", () =>
    Effect.gen(function*() {
      const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const began = yield* Deferred.make<void>()
      let begun = 0
      const ask = yield* makeSharedLook(Effect.suspend(() => {
        const at = begun++
        return Effect.andThen(Deferred.succeed(began, undefined), Effect.as(Deferred.await(gates[at]!), at))
      }))
      const first = yield* Effect.forkChild(ask)
      yield* Deferred.await(began)
      const late = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(ask))
      yield* Effect.yieldNow
      assert.strictEqual(begun, 1, "one runs at a time")
      yield* Deferred.succeed(gates[0]!, undefined)
      assert.strictEqual(yield* Fiber.join(first), 0)
      yield* Deferred.succeed(gates[1]!, undefined)
      for (const fiber of late) assert.strictEqual(yield* Fiber.join(fiber), 1)
      assert.strictEqual(begun, 2)
    }))

  it.effect("goes on for the others when who asked first hangs up", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const began = yield* Deferred.make<void>()
      let looks = 0
      const ask = yield* makeSharedLook(Effect.suspend(() => {
        looks++
        return Effect.andThen(Deferred.succeed(began, undefined), Effect.as(Deferred.await(gate), "seen"))
      }))
      const first = yield* Effect.forkChild(ask)
      yield* Deferred.await(began)
      const second = yield* Effect.forkChild(ask)
      yield* Effect.yieldNow
      const ending = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), "seen")
      yield* Fiber.join(ending)
      assert.strictEqual(looks, 2)
    }))
})
