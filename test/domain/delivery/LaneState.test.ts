import { assert, describe, it } from "@effect/vitest"
import { windowEvents } from "../../../src/domain/delivery/DeliveryWindow.ts"
import type { LaneChange, LaneItem } from "../../../src/domain/delivery/LaneChange.ts"
import { LaneState } from "../../../src/domain/delivery/LaneState.ts"
import { freshLane, laneEvents, verdict } from "../../fixtures/Lane.ts"
import type { LaneEvent } from "../../fixtures/Lane.ts"
import { seeded } from "../../fixtures/Seeded.ts"

/** The rows of a lane, written as the service writes them: only forward. */
class Rows {
  cursor = 0
  readonly retries = new Map<number, number>()

  write(change: LaneChange): void {
    this.cursor = Math.max(this.cursor, change.cursor)
    for (const sequence of change.settled) this.retries.delete(sequence)
    for (const { sequence } of change.exhausted) this.retries.delete(sequence)
    for (const { attempt, sequence } of change.retries) {
      this.retries.set(sequence, Math.max(attempt, this.retries.get(sequence) ?? 0))
    }
  }

  open(now: number): LaneState<LaneEvent> {
    const known = [...this.retries].map(([sequence, attempt]) => ({ sequence, attempt, dueIn: 0, recent: true }))
    return new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: this.cursor }, known, now)
  }
}

describe("LaneState", () => {
  it("holds the slot of a failure until the failure is written", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 20), 20)
    const items = Array.from({ length: 10 }, () => lane.next(0)!)
    assert.isUndefined(lane.next(0), "ten in flight")
    lane.settle(items[0]!, verdict("failed"), 0, 0)
    assert.isUndefined(lane.next(0), "not written yet")
    const change = lane.takeChange(0)!
    assert.deepStrictEqual(change.retries, [{ sequence: 1, attempt: 1, delay: 5000, outcome: "500" }])
    assert.strictEqual(change.cursor, 1)
    lane.changeWritten(change)
    assert.strictEqual(lane.next(0)?.event.sequence, 11)
  })

  it("begins no more than a window of what a crash would repeat, until it is written", () => {
    const known = [1, 2].map((sequence) => ({ sequence, attempt: 1, dueIn: -1, recent: false }))
    const lane = new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: 10 }, known, 0)
    const rows = new Rows()
    rows.cursor = 10
    const arrived = new Set<number>()
    const deliver = (item: LaneItem<LaneEvent>) => {
      arrived.add(item.event.sequence)
      lane.settle(item, verdict("delivered", 200), 0, 0)
    }
    const deliverAll = () => {
      for (let item = lane.next(0); item !== undefined; item = lane.next(0)) deliver(item)
    }
    const repeated = () => [...arrived].filter((sequence) => sequence > rows.cursor).length
    const write = () => {
      const change = lane.takeChange(0)
      if (change === undefined) return
      rows.write(change)
      lane.changeWritten(change)
    }
    lane.window.offer(laneEvents(11, 400), 1000)
    // The first one has no answer, so that the cursor stays before it however often the lane is written.
    const first = lane.next(0)!
    for (let round = 0; round < 3; round++) {
      deliverAll()
      write()
    }
    assert.strictEqual(rows.cursor, 10)
    assert.strictEqual(repeated(), windowEvents - 1)
    deliver(first)
    lane.window.offer(laneEvents(267, 700), 1000)
    assert.isUndefined(lane.next(0), "a whole window has arrived and is not written")
    assert.strictEqual(repeated(), windowEvents)
    write()
    assert.strictEqual(rows.cursor, 266)
    lane.supplyEvents([1, 2], laneEvents(1, 2))
    deliverAll()
    assert.strictEqual(lane.repeatable, windowEvents)
    assert.strictEqual(repeated() + 2, windowEvents, "retries count as well")
    write()
    assert.strictEqual(lane.repeatable, 0)
  })

  it("takes turns between retries that are due and freshLane events", () => {
    const known = [1, 2, 3].map((sequence) => ({ sequence, attempt: 2, dueIn: -1, recent: false }))
    const lane = new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: 10 }, known, 0)
    lane.window.offer(laneEvents(11, 13), 13)
    assert.deepStrictEqual(lane.missingEvents(0, 10), [1, 2, 3])
    lane.supplyEvents([1, 2, 3], laneEvents(1, 3))
    const sent = Array.from({ length: 6 }, () => lane.next(0)!)
    assert.sameMembers(sent.map(({ event }) => event.sequence), [1, 2, 3, 11, 12, 13])
    assert.sameMembers(sent.slice(0, 2).map(({ fromTable }) => fromTable), [true, false])
    assert.strictEqual(sent.find(({ event }) => event.sequence === 1)?.attempt, 3)
  })

  it("makes one attempt at a time while the breaker is open, and starts slowly afterwards", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 40), 40)
    for (let index = 0; index < 10; index++) lane.settle(lane.next(0)!, verdict("failed"), 0, 0)
    lane.changeWritten(lane.takeChange(0)!)
    assert.isUndefined(lane.next(4999))
    const probe = lane.next(5000)!
    assert.isTrue(probe.probe)
    assert.isUndefined(lane.next(5000))
    lane.settle(probe, verdict("delivered", 200), 5000, 0)
    assert.isDefined(lane.next(5000))
    assert.isUndefined(lane.next(5000), "one at first")
  })

  it("counts a 2xx that asks to be disabled as delivered, and keeps what a 410 refused", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 2), 2)
    const [first, second] = [lane.next(0)!, lane.next(0)!]
    assert.deepStrictEqual(lane.settle(first, verdict("disable", 204), 0, 0), {
      arrived: true,
      isThrottled: false,
      disable: "requested_by_receiver"
    })
    assert.deepStrictEqual(lane.settle(second, verdict("disable", 410), 0, 0), {
      arrived: false,
      isThrottled: false,
      disable: "gone"
    })
    const change = lane.takeChange(0)!
    assert.strictEqual(change.cursor, 2)
    assert.deepStrictEqual(change.retries.map(({ sequence }) => sequence), [2])
  })

  it("adds no row of the retry table that was settled while the table was read", () => {
    const known = [1, 2].map((sequence) => ({ sequence, attempt: 1, dueIn: -1, recent: false }))
    const lane = new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: 10 }, known, 0)
    lane.supplyEvents([1, 2], laneEvents(1, 2))
    const before = lane.inHand()
    const item = lane.next(0)!
    lane.settle(item, verdict("delivered", 200), 0, 0)
    lane.changeWritten(lane.takeChange(0)!)
    lane.learn([...known, { sequence: 3, attempt: 1, dueIn: 0, recent: false }], before, 0)
    assert.deepStrictEqual([...lane.retries.sequences()].toSorted(), [2, 3])
  })

  it("counts no refusal for pace as an attempt or a failure, writes no row, and keeps the cursor before it", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 40), 40)
    let now = 0
    for (let round = 0; round < 50; round++) {
      const items = Array.from({ length: 10 }, () => lane.next(now)).filter((item) => item !== undefined)
      assert.isAbove(items.length, 0)
      for (const item of items) {
        assert.strictEqual(item.attempt, 1)
        const settled = lane.settle(item, { ...verdict("throttled", 429), retryAfter: 60_000 }, now, 0)
        assert.deepStrictEqual(settled, { arrived: false, isThrottled: true, disable: undefined })
      }
      assert.isFalse(lane.mayStart(now + 59_999), "it rests as told")
      now = lane.opensAt
    }
    assert.strictEqual(lane.slots, 0)
    assert.strictEqual(lane.breaker.state, "closed")
    const change = lane.takeChange(now)!
    assert.deepInclude(change, { cursor: 0, failed: 0, failing: false, retries: [], exhausted: [] })
    assert.deepInclude(change.last, { class: "throttled", status: 429 })
    assert.strictEqual(change.rate.refusals, 50)
    const revived = new LaneState<LaneEvent>(
      "whk_a",
      { ...freshLane, rate: { ...change.rate, restUntil: 7_000 } },
      [],
      now
    )
    revived.window.offer(laneEvents(1, 40), 40)
    assert.isUndefined(revived.next(now + 6_999), "a restart keeps the rest")
    assert.isDefined(revived.next(now + 7_000))
    assert.isUndefined(revived.next(now + 7_000), "and goes on slowly")
  })

  it("takes a delivery for failed that is refused for its pace again and again while others arrive", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 200), 200)
    let now = 0
    let refusals = 0
    let allAt = 0
    const arrived = new Set<number>()
    for (let step = 0; step < 5_000 && (arrived.size < 199 || lane.retries.size === 0); step++) {
      const item = lane.next(now)
      if (item === undefined) {
        now = Math.max(now + 1, lane.opensAt)
        const change = lane.takeChange(now)
        if (change !== undefined) lane.changeWritten(change)
        continue
      }
      if (item.event.sequence === 1) {
        refusals += 1
        lane.settle(item, verdict("throttled", 429), now, 0)
      } else {
        arrived.add(item.event.sequence)
        allAt = now
        lane.settle(item, verdict("delivered", 200), now, 0)
      }
    }
    assert.strictEqual(arrived.size, 199, "it holds up no other")
    assert.isBelow(allAt, 60_000)
    assert.strictEqual(refusals, 20)
    assert.deepStrictEqual([...lane.retries.sequences()], [1])
  })

  it("tries at once after a change of its endpoint, and has everything due where the URL is another", () => {
    const lane = new LaneState<LaneEvent>("whk_a", freshLane, [], 0)
    lane.window.offer(laneEvents(1, 40), 40)
    for (let index = 0; index < 10; index++) lane.settle(lane.next(0)!, verdict("failed"), 0, 0)
    lane.changeWritten(lane.takeChange(0)!)
    assert.isUndefined(lane.next(1))
    lane.changed(1, false)
    const probe = lane.next(1)!
    assert.isTrue(probe.probe)
    lane.settle(probe, { ...verdict("throttled", 429), retryAfter: 600_000 }, 1, 0)
    lane.changed(2, false)
    assert.isUndefined(lane.next(2), "it is the same receiver, which asked for a rest")
    lane.changed(3, true)
    assert.strictEqual(lane.retries.due(3, 100).length, 10)
    assert.isTrue(lane.next(3)!.probe)
  })

  it("settles what the endpoint does not take any more, without an attempt", () => {
    const known = [{ sequence: 1, attempt: 3, dueIn: -1, recent: true }]
    const lane = new LaneState<LaneEvent>("whk_a", { ...freshLane, cursor: 10 }, known, 0)
    lane.supplyEvents([1], laneEvents(1, 1))
    lane.window.offer(laneEvents(11, 11), 11)
    lane.discard(lane.next(0)!)
    lane.discard(lane.next(0)!)
    assert.strictEqual(lane.slots, 0)
    assert.deepInclude(lane.takeChange(0)!, { cursor: 11, settled: [1], attempted: false, dropped: 0, failed: 0 })
  })

  it("loses nothing, whatever the interleaving of acks, failures, writes, crashes and takeovers", () => {
    const total = 120
    for (let seed = 1; seed <= 200; seed++) {
      const random = seeded(seed)
      const rows = new Rows()
      const settled = new Set<number>()
      let now = 0
      // Two owners now and then: a stale one that does not know, and the one that took over.
      const owners = [{ lane: rows.open(0), items: [] as Array<LaneItem<LaneEvent>>, changes: [] as Array<LaneChange> }]
      const check = () => {
        for (let sequence = 1; sequence <= rows.cursor; sequence++) {
          if (settled.has(sequence) || rows.retries.has(sequence)) continue
          assert.fail(`seed ${seed}: event ${sequence} is lost behind the cursor ${rows.cursor}`)
        }
      }
      const act = (faults: boolean) => {
        const index = Math.floor(random() * owners.length)
        const owner = owners[index]!
        const { lane } = owner
        const choice = random()
        now += Math.floor(random() * 2000)
        if (choice < 0.15) {
          const from = lane.window.position + 1
          const to = Math.min(total, from + Math.floor(random() * 30))
          if (from <= to) lane.window.offer(laneEvents(from, to), to)
          const missing = lane.missingEvents(now, 32)
          lane.supplyEvents(missing, missing.map((sequence) => ({ sequence, body: "{}" })))
        } else if (choice < 0.5) {
          const item = lane.next(now)
          if (item !== undefined) owner.items.push(item)
        } else if (choice < 0.85) {
          const item = owner.items.splice(Math.floor(random() * owner.items.length), 1)[0]
          if (item === undefined) return
          const answer = random()
          if (faults && answer < 0.1) lane.settle(item, verdict("throttled", 429), now, random())
          else if (faults && answer < 0.4) lane.settle(item, verdict("failed"), now, random())
          else if (faults && answer < 0.5) lane.withdraw(item, now)
          else {
            settled.add(item.event.sequence)
            lane.settle(item, verdict("delivered", 200), now, 0)
          }
        } else if (choice < 0.97) {
          const change = lane.takeChange(now)
          if (change === undefined) return
          // A crash, or a database that is away, may come between taking and writing.
          if (faults && random() < 0.1) {
            owners.splice(index, 1)
          } else {
            rows.write(change)
            lane.changeWritten(change)
          }
        } else if (faults) {
          if (random() < 0.5) owners.splice(index, 1)
          else if (owners.length < 2) owners.push({ lane: rows.open(now), items: [], changes: [] })
        }
        if (owners.length === 0) owners.push({ lane: rows.open(now), items: [], changes: [] })
        check()
      }
      for (let step = 0; step < 600; step++) act(true)
      owners.splice(0, owners.length, { lane: rows.open(now), items: [], changes: [] })
      for (let step = 0; step < 20_000 && (settled.size < total || rows.retries.size > 0); step++) act(false)
      assert.strictEqual(settled.size, total, `seed ${seed}: not all delivered in the end`)
      assert.strictEqual(rows.retries.size, 0, `seed ${seed}: a row is left behind`)
    }
  })
})
