import { assert, describe, it } from "@effect/vitest"
import { RetryList } from "../../../src/domain/delivery/RetryList.ts"

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
