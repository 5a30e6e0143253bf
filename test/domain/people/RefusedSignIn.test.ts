import { assert, describe, it } from "@effect/vitest"
import { counted, noRefusals, refusalsEach, refusalsOfAll } from "../../../src/domain/people/SignInFlow.ts"

/** Plays refusals, by network and hour; answers which were written, and with how many that were not. */
const played = (refusals: ReadonlyArray<readonly [network: string, hour: number]>) => {
  let at = noRefusals
  const written: Array<number> = []
  for (const [network, hour] of refusals) {
    const { after, isWritten, unrecorded } = counted(at, network, hour)
    at = after
    if (isWritten) written.push(unrecorded)
  }
  return { written, at }
}

const times = (count: number, network: string, hour: number) =>
  Array.from({ length: count }, () => [network, hour] as const)

describe("refused sign-ins", () => {
  it("of one network are written a few times in an hour, and the next event says how many were not", () => {
    const { written } = played([...times(refusalsEach + 7, "a", 1), ...times(1, "b", 1), ...times(2, "a", 2)])
    assert.deepStrictEqual(written, [...Array.from({ length: refusalsEach + 1 }, () => 0), 7, 0])
  })

  it("are forgotten with their hour, but for those that no event has told of yet", () => {
    const { at } = played([...times(refusalsEach, "told", 1), ...times(refusalsEach + 1, "untold", 1), ["new", 2]])
    assert.deepStrictEqual([...at.byNetwork.keys()], ["untold", "new"])
  })

  it("of all networks together are bounded, in events and in memory", () => {
    const crowd = Array.from({ length: 5000 }, (_, index) => [`network-${index}`, 1] as const)
    const { at, written } = played(crowd)
    assert.lengthOf(written, refusalsOfAll)
    assert.isAtMost(at.byNetwork.size, 1001)
  })
})
