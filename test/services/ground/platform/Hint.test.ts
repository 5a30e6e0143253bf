import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Hint } from "../../../../src/services/ground/platform/Supervised.ts"

describe("a hint", () => {
  it.effect("is waited for once, however many were given, and is not lost when nobody waits", () =>
    Effect.gen(function*() {
      const hint = yield* Hint.make
      let woken = 0
      yield* hint.wake
      yield* hint.wake
      yield* Effect.forkChild(Effect.forever(Effect.andThen(hint.await, Effect.sync(() => woken++))))
      yield* TestClock.adjust(1)
      assert.strictEqual(woken, 1)
      yield* hint.wake
      yield* TestClock.adjust(1)
      assert.strictEqual(woken, 2)
    }))
})
