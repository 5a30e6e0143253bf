import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { movedAlone } from "../../../src/runtime/environments/EnvironmentApp.ts"

const day = 86_400_000

describe("the clock of an environment that a command has for itself", () => {
  it.effect("calls for a round of all work once it has moved by a week, and asks nobody for a turn", () =>
    Effect.gen(function*() {
      let ahead = -365 * day
      const rounds: Array<number> = []
      const { announce, takeTurn } = movedAlone({
        ahead: () => ahead,
        real: () => 0,
        follow: Effect.void,
        takeTurn: Effect.die("asked for a turn"),
        announce: Effect.die("told other nodes")
      }, () => void rounds.push(ahead / day))
      for (; ahead <= -345 * day; ahead += 2 * day) {
        assert.isTrue(yield* Effect.scoped(takeTurn))
        yield* announce
      }
      assert.deepStrictEqual(rounds, [-357, -349])
    }))
})
