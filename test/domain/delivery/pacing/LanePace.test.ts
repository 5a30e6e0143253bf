import { assert, describe, it } from "@effect/vitest"
import { LanePace, maximumInFlight } from "../../../../src/domain/delivery/pacing/LaneRate.ts"

const times = (count: number, action: () => void) => {
  for (let index = 0; index < count; index++) action()
}

describe("LanePace", () => {
  it("halves when the receiver is overloaded, and never stops", () => {
    const pace = new LanePace()
    const seen = [pace.limit]
    times(5, () => {
      pace.congest()
      seen.push(pace.limit)
    })
    assert.deepStrictEqual(seen, [10, 5, 2, 1, 1, 1])
  })

  it("adds one for every 20 successes, up to the maximum", () => {
    const pace = new LanePace()
    pace.congest()
    times(19, () => pace.succeed())
    assert.strictEqual(pace.limit, 5)
    pace.succeed()
    assert.strictEqual(pace.limit, 6)
    times(1000, () => pace.succeed())
    assert.strictEqual(pace.limit, maximumInFlight)
  })

  it("starts from one after an outage and grows with every success", () => {
    const pace = new LanePace()
    pace.recover()
    assert.strictEqual(pace.limit, 1)
    times(3, () => pace.succeed())
    assert.strictEqual(pace.limit, 4)
    pace.congest()
    times(10, () => pace.succeed())
    assert.strictEqual(pace.limit, 2, "overload ends the quick growth")
    assert.strictEqual(new LanePace(true).limit, 1)
  })
})
