import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { inject } from "vitest"
import { declared } from "../../fixtures/histories/DeclaredWrites.ts"
import { makePlaces, search, tallyOf, told } from "../../fixtures/histories/Search.ts"
import type { Places } from "../../fixtures/histories/Search.ts"
import { actionOf, drawn, idle, left, reads, unknownNames } from "../../fixtures/histories/Workload.ts"

/** Whether histories are played for `HISTORIES_MINUTES`, as `npm run test:histories` does. */
const isLong = process.env["HISTORIES"] === "long"
const minutes = Number(process.env["HISTORIES_MINUTES"] ?? 60)
/** How many rounds of calls the longest have, and how many histories the short form plays. */
const rounds = isLong ? 60 : 40
const few = 12

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

  /** The seeds of this run; `HISTORIES_SEED` is the one that a failure has printed. */
  const seeds = function*(): Generator<string> {
    const given = process.env["HISTORIES_SEED"]
    if (given !== undefined) {
      yield given
      return
    }
    const end = performance.now() + minutes * 60_000
    for (let index = 0; isLong ? performance.now() < end : index < few; index++) yield `${inject("seed")}-${index}`
  }

  it("leave nothing that must not be: no call fails, and whoever tells of them tells the same", async () => {
    const known = new Set<string>()
    const findings: Array<string> = []
    let histories = 0
    let calls = 0
    for (const seed of seeds()) {
      const found = await search(seed, rounds, places, known)
      histories++
      calls += found.calls
      findings.push(...found.shown.map(told))
      console.log(`${seed}: ${found.calls} calls; ${histories} histories, ${calls} calls, ${findings.length} findings`)
      for (const shown of found.shown) console.log(told(shown))
    }
    console.log([...tallyOf(), `${histories} histories, ${calls} calls, ${findings.length} findings`].join("\n"))
    assert.lengthOf(findings, 0, findings.join("\n\n"))
  }, (isLong ? minutes * 60_000 : 0) + 600_000)
})
