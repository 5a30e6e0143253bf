import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryTurns } from "../../../../src/services/ground/environments/CurrentEnvironment.ts"

describe("turns of deliveries in the live environment", () => {
  it.effect("come at once", () =>
    Effect.gen(function*() {
      const { begin } = yield* DeliveryTurns
      const begun: Array<string> = []
      for (const name of ["a", "b"]) begin(() => void begun.push(name))
      assert.deepStrictEqual(begun, ["a", "b"])
    }))
})
