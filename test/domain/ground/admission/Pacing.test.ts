import { assert, describe, it } from "@effect/vitest"
import { makeRecentCount, restAfter } from "../../../../src/domain/ground/admission/Pacing.ts"

describe("the rest of work beside live", () => {
  it("is longer the more live is asked, up to forty times the work", () => {
    const rests = [0, 5, 10, 50, 400, 5_000].map((lately) => restAfter(10, lately))
    assert.deepStrictEqual(rests, [0, 5, 10, 50, 400, 400])
  })

  it("is none after work that took no time, by a clock that went back", () => {
    assert.deepStrictEqual([restAfter(0, 100), restAfter(-1, 100)], [0, 0])
  })
})

describe("a recent count", () => {
  it("counts what happened within the last second, and fades what is older", () => {
    const count = makeRecentCount()
    assert.strictEqual(count.count(0), 0)
    for (let at = 0; at < 1_000; at += 10) count.add(at)
    assert.deepStrictEqual([1_000, 1_250, 1_500, 1_999, 2_000].map((at) => Math.round(count.count(at))), [
      100,
      75,
      50,
      0,
      0
    ])
  })

  it("keeps its number while as much happens in each second", () => {
    const count = makeRecentCount()
    for (let at = 0; at < 10_000; at += 10) {
      count.add(at)
      if (at >= 1_000) assert.approximately(count.count(at), 100, 1)
    }
  })

  it("forgets everything over a pause", () => {
    const count = makeRecentCount()
    for (let at = 0; at < 100; at++) count.add(at)
    assert.strictEqual(count.count(60_000), 0)
    count.add(60_000)
    assert.strictEqual(count.count(60_999), 1)
  })
})
