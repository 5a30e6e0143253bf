import { assert, describe, it } from "@effect/vitest"
import { LaneRetries, retriesInMemory, RetryList } from "../../../src/domain/delivery/LaneRetries.ts"

interface Event {
  readonly sequence: number
}

const row = (sequence: number, dueIn = 0) => ({ sequence, attempt: 1, dueIn, recent: false })
const full = Array.from({ length: retriesInMemory }, (_, index) => row(index + 1, index))

const retriesOf = (rows = full, isInOrder = false) => new LaneRetries<Event>(rows, 0, isInOrder)

describe("what is known of the retry table", () => {
  it("is all of it where a reading took less than it could, and not where it took as much", () => {
    assert.isTrue(retriesOf(full.slice(1)).areAllKnown)
    assert.isFalse(retriesOf(full).areAllKnown)
  })

  it("ends, in order, with the last row of a reading that took as much as it could", () => {
    const retries = retriesOf(full, true)
    assert.isTrue(retries.isKnownUpTo(retriesInMemory))
    assert.isFalse(retries.isKnownUpTo(retriesInMemory + 1))
    retries.learn([row(300)], () => false, 0)
    assert.isTrue(retries.isKnownUpTo(1_000))
  })

  it("is nothing when order begins and not all rows are in memory, but for those that no table has yet", () => {
    const retries = retriesOf()
    retries.beginOrder(0, new Set([9]))
    assert.deepStrictEqual([...retries.sequences()], [9])
    assert.isFalse(retries.isKnownUpTo(1))
  })

  it("is less than all once one is dropped for want of memory", () => {
    const retries = retriesOf([])
    for (let sequence = 1; sequence <= 2 * retriesInMemory; sequence++) {
      retries.add({ sequence, attempt: 1, due: sequence })
    }
    retries.trim()
    assert.isTrue(retries.areAllKnown)
    retries.add({ sequence: 9_999, attempt: 1, due: 9_999 })
    retries.trim()
    assert.isFalse(retries.areAllKnown)
    assert.isFalse(retries.has(9_999))
  })

  it("passes over rows of which more is known", () => {
    const retries = retriesOf([])
    retries.learn([row(1), row(2)], (sequence) => sequence === 1, 0)
    assert.deepStrictEqual([...retries.sequences()], [2])
  })
})

describe("the next retry", () => {
  it("is the one that is due first, or in order the one that comes first, due or not", () => {
    const retries = retriesOf([row(1, 50), row(2, 10)])
    assert.isUndefined(retries.next(5, false))
    assert.strictEqual(retries.next(20, false)?.sequence, 2)
    assert.strictEqual(retries.next(5, true)?.sequence, 1)
  })
})

describe("events", () => {
  it("are asked for by those that come next and lack them", () => {
    const retries = retriesOf([row(1), row(2), row(3)])
    retries.supplyEvents([2], [{ sequence: 2 }])
    assert.deepStrictEqual(retries.missingEvents(0, false, 2), [1])
    assert.deepStrictEqual(retries.missingEvents(0, false, 3), [1, 3])
  })

  it("that the feed does not have end their retries", () => {
    const retries = retriesOf([row(1), row(2)])
    assert.deepStrictEqual(retries.supplyEvents([1, 2, 3], [{ sequence: 2 }, { sequence: 3 }]), [1])
    assert.deepStrictEqual([...retries.sequences()], [2])
    assert.isUndefined(retries.eventOf({ sequence: 3, attempt: 1, due: 0 }))
  })

  it("go with their retry", () => {
    const retries = retriesOf([])
    retries.addWith({ sequence: 1 }, { sequence: 1, attempt: 1, due: 0 })
    assert.deepStrictEqual(retries.eventOf({ sequence: 1, attempt: 1, due: 0 }), { sequence: 1 })
    retries.remove(1)
    assert.isUndefined(retries.eventOf({ sequence: 1, attempt: 1, due: 0 }))
  })
})

describe("RetryList", () => {
  it("gives what is due first, first", () => {
    const list = new RetryList()
    for (const [sequence, due] of [[1, 300], [2, 100], [3, 200], [4, 100]] as const) {
      list.add({ sequence, attempt: 1, due })
    }
    list.add({ sequence: 3, attempt: 9, due: 0 })
    assert.deepStrictEqual(list.due(200, 10).map(({ sequence }) => sequence), [2, 4, 3])
    assert.deepStrictEqual(list.due(200, 1).map(({ sequence }) => sequence), [2])
    assert.strictEqual(list.size, 4)
    list.remove(2)
    list.remove(2)
    assert.strictEqual(list.first()?.sequence, 4)
    list.dropLast()
    assert.isFalse(list.has(1))
    assert.deepStrictEqual([...list.sequences()].toSorted(), [3, 4])
  })
})
