import { assert, describe, it } from "@effect/vitest"
import type { LaneChange, LaneItem, StoredRetry } from "../../../src/domain/delivery/LaneChange.ts"
import { retriesInMemory } from "../../../src/domain/delivery/LaneRetries.ts"
import { LaneState } from "../../../src/domain/delivery/LaneState.ts"
import { heldDelay, nextDelay } from "../../../src/domain/delivery/RetryPolicy.ts"
import { freshLane, laneEvents, verdict } from "../../fixtures/Lane.ts"
import type { LaneEvent } from "../../fixtures/Lane.ts"
import { seeded } from "../../fixtures/Seeded.ts"

const inOrder = (stored = freshLane, known: ReadonlyArray<StoredRetry> = [], now = 0) =>
  new LaneState<LaneEvent>("whk_a", stored, known, now, true)

describe("a lane in order", () => {
  it("has one delivery under way, and sends the next one once it was accepted", () => {
    const lane = inOrder()
    lane.window.offer(laneEvents(1, 3), 3)
    const first = lane.next(0)!
    assert.isUndefined(lane.next(0))
    lane.settle(first, verdict("failed"), 0, 0)
    assert.isUndefined(lane.next(0), "the failure is not written")
    lane.changeWritten(lane.takeChange(0)!)
    assert.isUndefined(lane.next(4_999), "it waits, and the others with it")
    assert.strictEqual(lane.opensAt, 5_000)
    assert.isFalse(lane.allows(4_999))
    assert.deepStrictEqual(lane.missingEvents(5_000, 10), [1])
    lane.supplyEvents([1], laneEvents(1, 1))
    const again = lane.next(5_000)!
    assert.deepInclude(again, { attempt: 2, fromTable: true })
    lane.settle(again, verdict("throttled", 429), 5_000, 0)
    assert.strictEqual(lane.next(lane.opensAt)!.event.sequence, 1, "no other goes before one refused for its pace")
  })

  it("gives nothing up, and tries at least every five minutes", () => {
    const lane = inOrder()
    lane.window.offer(laneEvents(1, 2), 2)
    let now = 0
    for (let attempt = 1; attempt <= 60; attempt++) {
      now = Math.max(now, lane.opensAt)
      lane.supplyEvents(lane.missingEvents(now, 10), laneEvents(1, 1))
      const item = lane.next(now)!
      assert.deepInclude(item, { attempt })
      lane.settle(item, verdict("failed"), now, 0.99)
      const change = lane.takeChange(now)!
      assert.isEmpty(change.exhausted)
      assert.isAtMost(change.retries[0]!.delay, 375_000)
      lane.changeWritten(change)
    }
    assert.strictEqual(lane.takeChange(now)?.failingDeliveries ?? 10, 10, "after ten it may count as hopeless")
    assert.isUndefined(nextDelay(60, 0))
    assert.strictEqual(heldDelay(60, 0), 300_000)
    assert.strictEqual(heldDelay(1, 0, 3_600_000), 3_600_000, "the receiver may ask for longer")
  })

  it("sends nothing before it knows which one comes first, when it is asked for order among many retries", () => {
    const row = (sequence: number, dueIn: number) => ({ sequence, attempt: 1, dueIn, recent: true })
    const many = Array.from({ length: 300 }, (_, index) => row(300 - index, index))
    const lane = new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: 300 }, many.slice(0, retriesInMemory), 0)
    lane.window.offer(laneEvents(301, 310), 310)
    lane.setInOrder(true, 1_000)
    assert.isUndefined(lane.next(1_000))
    lane.learn(Array.from({ length: retriesInMemory }, (_, index) => row(index + 1, 0)), lane.inHand(), 1_000)
    lane.supplyEvents([1], laneEvents(1, 1))
    assert.strictEqual(lane.next(1_000)!.event.sequence, 1)
  })

  it("forgets what is skipped", () => {
    const known = [1, 2, 9].map((sequence) => ({ sequence, attempt: 1, dueIn: 0, recent: true }))
    const lane = inOrder({ ...freshLane, cursor: 10 }, known)
    lane.skip(5)
    assert.deepStrictEqual([...lane.retries.sequences()], [9])
    assert.deepInclude(lane.takeChange(0)!, { settled: [1, 2], dropped: 0, failed: 0 })
  })

  it("accepts at least once and in order, with two workers, whatever fails, crashes and is taken over", () => {
    const total = 60
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed)
      /** The rows, written as the service writes them. */
      const rows = { cursor: 0, retries: new Map<number, number>() }
      const write = (change: LaneChange) => {
        rows.cursor = Math.max(rows.cursor, change.cursor)
        for (const sequence of change.settled) rows.retries.delete(sequence)
        for (const { attempt, sequence } of change.retries) {
          rows.retries.set(sequence, Math.max(attempt, rows.retries.get(sequence) ?? 0))
        }
        assert.isEmpty(change.exhausted)
      }
      let now = 0
      const open = () => {
        const known = [...rows.retries].map(([sequence, attempt]) => ({ sequence, attempt, dueIn: 0, recent: true }))
        const lane = inOrder(
          { ...freshLane, cursor: rows.cursor },
          known.toSorted((a, b) => a.sequence - b.sequence),
          now
        )
        return { lane, items: [] as Array<LaneItem<LaneEvent>> }
      }
      const owners = [open()]
      const accepted = new Set<number>()
      /** The receiver takes one: all before it were taken before. */
      const accept = (sequence: number) => {
        if (!accepted.has(sequence) && accepted.size !== sequence - 1) {
          assert.fail(`seed ${seed}: ${sequence} was accepted after ${[...accepted].at(-1)}`)
        }
        accepted.add(sequence)
      }
      const act = (faults: boolean) => {
        const index = Math.floor(random() * owners.length)
        const owner = owners[index]!
        const { lane } = owner
        const choice = random()
        now += Math.floor(random() * 20_000)
        if (choice < 0.25) {
          const from = lane.window.position + 1
          const to = Math.min(total, from + Math.floor(random() * 20))
          if (from <= to) lane.window.offer(laneEvents(from, to), to)
          const missing = lane.missingEvents(now, 32)
          lane.supplyEvents(missing, missing.map((sequence) => ({ sequence, body: "{}" })))
        } else if (choice < 0.5) {
          const item = lane.next(now)
          if (item === undefined) return
          assert.isEmpty(owner.items, `seed ${seed}: two at a time`)
          owner.items.push(item)
        } else if (choice < 0.8) {
          const item = owner.items.pop()
          if (item === undefined) return
          const answer = random()
          if (faults && answer < 0.1) lane.settle(item, verdict("throttled", 429), now, random())
          else if (faults && answer < 0.4) {
            // It may have been accepted, and the answer lost.
            if (random() < 0.3) accept(item.event.sequence)
            lane.settle(item, verdict("failed"), now, random())
          } else if (faults && answer < 0.5) {
            if (random() < 0.5) accept(item.event.sequence)
            lane.withdraw(item, now)
          } else {
            accept(item.event.sequence)
            lane.settle(item, verdict("delivered", 200), now, 0)
          }
        } else if (choice < 0.96) {
          const change = lane.takeChange(now)
          if (change === undefined) return
          if (faults && random() < 0.1) owners.splice(index, 1)
          else {
            write(change)
            lane.changeWritten(change)
          }
        } else if (faults) {
          if (random() < 0.5) owners.splice(index, 1)
          else if (owners.length < 2) owners.push(open())
        }
        if (owners.length === 0) owners.push(open())
      }
      for (let step = 0; step < 800; step++) act(true)
      owners.splice(0, owners.length, open())
      for (let step = 0; step < 20_000 && (accepted.size < total || rows.retries.size > 0); step++) act(false)
      assert.strictEqual(accepted.size, total, `seed ${seed}: not all accepted in the end`)
      assert.strictEqual(rows.retries.size, 0, `seed ${seed}: a row is left behind`)
    }
  })
})
