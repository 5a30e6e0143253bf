import { assert, beforeAll, describe, it } from "@effect/vitest"
import { failures } from "../../fixtures/histories/CallJudges.ts"
import { curlOf } from "../../fixtures/histories/Curl.ts"
import { pairsOf, someTwo } from "../../fixtures/histories/Pairs.ts"
import type { Place } from "../../fixtures/histories/Play.ts"
import { Player } from "../../fixtures/histories/Player.ts"
import { openPlace } from "../../fixtures/histories/Search.ts"
import { drawn } from "../../fixtures/histories/Workload.ts"
import { newWorld } from "../../fixtures/histories/World.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"

takeTurns()

/** How many callers there are at once. */
const callers = 24

let place: Place

beforeAll(async () => {
  place = await openPlace()
})

describe("two members of one body", () => {
  const choose = someTwo(chance("pairs"))
  const withPairs = drawn
    .map((operation) => ({ operationId: operation.operationId, pairs: pairsOf(operation, choose) }))
    .filter(({ pairs }) => pairs.length > 0)

  // Of a third of the operations, by the seed of the run. Every two: test/world/contract/Pairs.
  it.each(someOf("pairs", withPairs, 20))(
    "are answered or refused, each with one other that chance gives it: $operationId",
    async ({ pairs }) => {
      const judge = failures()
      const player = new Player(place.service, newWorld(), place.receiver, [judge])
      for (let at = 0; at < pairs.length; at += callers) await player.play(pairs.slice(at, at + callers))
      const failed = player.calls.filter(({ answer }) => answer.status >= 500)
      assert.deepStrictEqual(judge.findings, [], curlOf(player.world, failed))
    }
  )
})
