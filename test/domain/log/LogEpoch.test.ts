import { assert, describe, it } from "@effect/vitest"
import {
  commonUpTo,
  currentEpoch,
  cursorOf,
  epochAt,
  originOf,
  readCursor,
  readOrigin
} from "../../../src/domain/log/EpochPlace.ts"

const log = "licenses.example.com/events/6d1f0a2b3c4d5e6f"

describe("an origin", () => {
  it("is the log's own in epoch 1, and says the epoch in later ones", () => {
    assert.strictEqual(originOf(log, 1), log)
    assert.strictEqual(originOf(log, 12), `${log}/epoch/12`)
    for (const epoch of [1, 2, 12, 999_999_999]) {
      assert.deepStrictEqual(readOrigin(originOf(log, epoch)), { log, epoch })
    }
    for (const other of [`${log}/epoch/0`, `${log}/epoch/01`, `${log}/epoch/`, "/epoch/2", "epoch/2"]) {
      assert.deepStrictEqual(readOrigin(other), { log: other, epoch: 1 })
    }
  })
})

describe("a cursor", () => {
  it("is the sequence in epoch 1, and a larger whole number in each later one", () => {
    assert.strictEqual(cursorOf({ epoch: 1, sequence: 42 }), 42)
    assert.strictEqual(cursorOf({ epoch: 2, sequence: 42 }), 10_000_000_000_042)
    for (const epoch of [1, 2, 3, 900]) {
      for (const sequence of [0, 1, 9_999_999_999_999]) {
        const cursor = cursorOf({ epoch, sequence })
        assert.isTrue(Number.isSafeInteger(cursor))
        assert.deepStrictEqual(readCursor(cursor), { epoch, sequence })
      }
    }
  })
})

describe("the epochs of a log", () => {
  // Restored to event 50; then to event 80 of epoch 2, when it had been in epoch 3 already; then noticed late.
  const starts = [
    { epoch: 2, first_sequence: 51, restored_sequence: 50 },
    { epoch: 4, first_sequence: 81, restored_sequence: 80 },
    { epoch: 5, first_sequence: 121, restored_sequence: 100 }
  ]

  it("say which epoch an event is of", () => {
    const expected = [[1, 1], [50, 1], [51, 2], [80, 2], [81, 4], [120, 4], [121, 5], [1000, 5]] as const
    for (const [sequence, epoch] of expected) assert.strictEqual(epochAt(starts, sequence), epoch)
    assert.strictEqual(epochAt([], 1000), 1)
    assert.deepStrictEqual([currentEpoch(starts), currentEpoch([])], [5, 1])
  })

  it("say up to where an earlier log and this one are the same", () => {
    const expected = [[1, 50], [2, 80], [4, 100], [5, Number.POSITIVE_INFINITY]] as const
    for (const [epoch, upTo] of expected) assert.strictEqual(commonUpTo(starts, epoch), upTo)
    // Of an epoch that this log was never in, and of one that is still to come, nothing is known.
    for (const epoch of [3, 6]) assert.isUndefined(commonUpTo(starts, epoch))
    assert.strictEqual(commonUpTo([], 1), Number.POSITIVE_INFINITY)
    assert.isUndefined(commonUpTo([], 2))
  })
})
