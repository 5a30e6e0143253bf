import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { declared } from "../../fixtures/histories/DeclaredWrites.ts"
import { historySeeds, historyTimeout, isLong } from "../../fixtures/histories/HistoryForm.ts"
import { makePlaces, search, tallyOf, told } from "../../fixtures/histories/Search.ts"
import type { Places } from "../../fixtures/histories/Search.ts"
import { actionOf, drawn, idle, left, reads, unknownNames } from "../../fixtures/histories/Workload.ts"

/** How many rounds of calls the longest have, and how many histories the short form plays. */
const rounds = isLong ? 60 : 40
const few = 6

describe("what histories are made of", () => {
  it("has every operation of the contract, or says why not", () => {
    const known = [...drawn, ...reads].map(({ operationId }) => operationId)
    assert.sameMembers([...known, ...Object.keys(left), ...Object.keys(idle)], [...declared.keys()])
    assert.deepStrictEqual(unknownNames, [])
  })

  it.each(drawn)("has a value for each member: $operationId", (operation) => {
    const actions = Effect.runSync(Arbitrary.sampleEffect(actionOf(operation), { count: 5, seed: "members" }))
    assert.lengthOf(actions, 5)
  })
})

describe("histories", () => {
  let places: Places

  beforeAll(() => {
    places = makePlaces(isLong ? 60 : 20)
  })

  it("leave nothing that must not be: no call fails, and whoever tells of them tells the same", async () => {
    const known = new Set<string>()
    const findings: Array<string> = []
    let histories = 0
    let calls = 0
    for (const seed of historySeeds(few)) {
      const found = await search(seed, rounds, places, known)
      histories++
      calls += found.calls
      findings.push(...found.shown.map(told))
      console.log(`${seed}: ${found.calls} calls; ${histories} histories, ${calls} calls, ${findings.length} findings`)
      for (const shown of found.shown) console.log(told(shown))
    }
    console.log([...tallyOf(), `${histories} histories, ${calls} calls, ${findings.length} findings`].join("\n"))
    assert.lengthOf(findings, 0, findings.join("\n\n"))
  }, historyTimeout)
})
