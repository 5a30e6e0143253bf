import { assert, describe, it } from "@effect/vitest"
import { makeLanes, makeLoopTurns } from "../../../../src/domain/ground/admission/LoopTurns.ts"
import { manualLoop } from "../../../fixtures/ManualLoop.ts"

describe("lanes", () => {
  it("take turns, one item each, and keep the order of their own", () => {
    const lanes = makeLanes<string>()
    for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) lanes.add(item[0]!, item)
    assert.deepStrictEqual([lanes.size(), lanes.count()], [6, 3])
    const taken = Array.from({ length: 7 }, () => lanes.next())
    assert.deepStrictEqual(taken, ["a1", "b1", "c1", "a2", "b2", "a3", undefined])
    assert.deepStrictEqual([lanes.size(), lanes.count()], [0, 0])
  })

  it("know who waits", () => {
    const lanes = makeLanes<string>()
    lanes.add("a", "a1")
    assert.deepStrictEqual([lanes.has("a"), lanes.has("b"), [...lanes.names()]], [true, false, ["a"]])
    lanes.next()
    assert.isFalse(lanes.has("a"))
  })
})

/** Turns on a loop that goes on by hand, and what they have done. */
const desk = () => {
  const { loop, pass, turn } = manualLoop()
  const turns = makeLoopTurns(loop)
  const done: Array<string> = []
  const add = (lane: string, ...names: ReadonlyArray<string>) => {
    for (const name of names) turns.add(lane, () => done.push(name))
  }
  /** What the next turn of the loop does. */
  const next = (): ReadonlyArray<string> => {
    done.length = 0
    turn()
    return [...done]
  }
  return { add, done, next, pass, turns }
}

describe("turns on the event loop", () => {
  it("an address that is alone has all done at once", () => {
    const { add, next } = desk()
    add("a", "a1", "a2", "a3")
    assert.deepStrictEqual(next(), ["a1", "a2", "a3"])
    assert.deepStrictEqual(next(), [])
  })

  it("who asks for little waits for one task of who asks for much", () => {
    const { add, next } = desk()
    add("a", "a1", "a2", "a3", "a4", "a5")
    add("b", "b1")
    assert.deepStrictEqual(next(), ["a1", "b1"])
    add("b", "b2")
    assert.deepStrictEqual(next(), ["a2", "b2"])
    assert.deepStrictEqual(next(), ["a3"], "the sockets are read after each, because b may have come back")
  })

  it("who was there within the last second is kept in mind, and nobody for longer", () => {
    const { add, next, pass } = desk()
    add("b", "b1")
    add("a", "a1", "a2", "a3", "a4")
    assert.deepStrictEqual(next(), ["b1", "a1"])
    pass(999)
    assert.deepStrictEqual(next(), ["a2"])
    pass(1)
    assert.deepStrictEqual(next(), ["a3", "a4"])
  })

  it("tasks before and after the lanes run once, and those before may add to the lanes", () => {
    const { add, done, next, turns } = desk()
    turns.after(() => done.push("after"))
    turns.before(() => add("a", "a1"))
    assert.deepStrictEqual(next(), ["a1", "after"])
    assert.deepStrictEqual(next(), [])
  })

  it("what a task adds waits for the next turn, where somebody else waits too", () => {
    const { add, next, turns } = desk()
    add("b", "b1")
    turns.add("a", () => add("a", "a1"))
    assert.deepStrictEqual(next(), ["b1"])
    assert.isTrue(turns.waits("a"))
    assert.deepStrictEqual(next(), ["a1"])
    assert.isFalse(turns.waits("a"))
  })
})
