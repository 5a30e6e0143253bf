import { assert, describe, it } from "@effect/vitest"
import { closedBreaker } from "../../../src/domain/delivery/Breaker.ts"
import { LaneProgress } from "../../../src/domain/delivery/LaneProgress.ts"

const ledger = () =>
  new LaneProgress("whk_a", { cursor: 5, failing: false, failingDeliveries: 0, failingSequences: [] })

const retry = (sequence: number) => ({ sequence, attempt: 1, delay: 5000, outcome: "500" })

describe("LaneLedger", () => {
  it("has nothing to write until something happens or the cursor moves", () => {
    const one = ledger()
    assert.isUndefined(one.take(5, closedBreaker, 0))
    assert.strictEqual(one.take(6, closedBreaker, 0)?.cursor, 6)
    assert.isUndefined(one.take(6, closedBreaker, 0))
  })

  it("counts different deliveries that failed since the last success, however often each failed", () => {
    const one = ledger()
    for (const sequence of [6, 7, 6, 6]) one.failed(retry(sequence))
    assert.deepInclude(one.take(5, closedBreaker, 0), { failed: 4, failing: true, failingDeliveries: 2 })
    one.delivered(8, false)
    one.failed(retry(9))
    assert.deepInclude(one.take(5, closedBreaker, 0), { succeeded: true, failing: true, failingDeliveries: 1 })
    one.delivered(10, false)
    assert.deepInclude(one.take(5, closedBreaker, 0), { succeeded: true, failing: false, failingDeliveries: 0 })
  })

  it("remembers which rows the retry table does not show yet", () => {
    const one = ledger()
    one.failed(retry(6))
    one.delivered(7, true)
    one.delivered(8, false)
    assert.sameMembers([...one.pending()], [6, 7])
    const change = one.take(8, closedBreaker, 0)!
    assert.deepStrictEqual(change.settled, [7])
    one.failed(retry(9))
    one.written(change)
    assert.sameMembers([...one.pending()], [9])
  })
})
