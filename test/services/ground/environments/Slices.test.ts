import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Slices } from "../../../../src/services/ground/environments/CurrentEnvironment.ts"

describe("slices of work in the live environment", () => {
  it.effect("leave the event loop to others after each", () =>
    Effect.gen(function*() {
      const slices = yield* Slices
      const steps: Array<string> = []
      const work = (name: string) =>
        Effect.gen(function*() {
          for (let n = 0; n < 2; n++) yield* slices.run(Effect.sync(() => void steps.push(name)))
        })
      const fibers = yield* Effect.forEach(["a", "b"], (name) => Effect.forkChild(work(name)))
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(steps, ["a", "b", "a", "b"])
    }))
})
