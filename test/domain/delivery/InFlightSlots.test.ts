import { assert, describe, it } from "@effect/vitest"
import type { SlotUser } from "../../../src/domain/delivery/InFlightSlots.ts"
import { InFlightSlots } from "../../../src/domain/delivery/InFlightSlots.ts"

/** A lane that counts how often it is woken. */
const lane = (): SlotUser & { woken: number } => {
  const made = { woken: 0, wake: () => void made.woken++ }
  return made
}

/** Takes as many slots as it gets, at most `limit`; answers how many. */
const fill = (slots: InFlightSlots, user: SlotUser, limit = 10, doubtful = false): number => {
  let taken = 0
  while (taken < limit && slots.take(user, doubtful)) taken += 1
  return taken
}

describe("NodeSlots", () => {
  it("gives a lane all it wants while there is room", () => {
    const slots = new InFlightSlots(512)
    for (let index = 0; index < 10; index++) assert.strictEqual(fill(slots, lane()), 10)
    assert.strictEqual(slots.free, 512 - 100)
  })

  it("leaves room for the others, however many lanes hang", () => {
    const slots = new InFlightSlots(512)
    for (let index = 0; index < 200; index++) assert.isAtLeast(fill(slots, lane()), 1, `hanging lane ${index}`)
    for (let index = 0; index < 20; index++) assert.isAtLeast(fill(slots, lane(), 1), 1, `healthy lane ${index}`)
  })

  it("gives lanes in doubt at most half of it", () => {
    const slots = new InFlightSlots(512)
    let doubtful = 0
    for (let index = 0; index < 1000; index++) doubtful += fill(slots, lane(), 10, true)
    assert.strictEqual(doubtful, 256)
    for (let index = 0; index < 100; index++) assert.isAtLeast(fill(slots, lane(), 1), 1)
  })

  it("never gives more than there are, and gets back what it gave", () => {
    const slots = new InFlightSlots(8)
    const users = Array.from({ length: 20 }, lane)
    const holders = users.filter((user) => slots.take(user, false))
    assert.lengthOf(holders, 8)
    assert.strictEqual(slots.free, 0)
    for (const user of holders) slots.give(user, false)
    assert.strictEqual(slots.free, 8)
    slots.give(users[0]!, false)
    assert.strictEqual(slots.free, 8, "what was never taken cannot be given back")
  })

  it("wakes those that wait in their order, one for each slot, and nobody who has left", () => {
    const slots = new InFlightSlots(1)
    const [holder, first, gone, second] = [lane(), lane(), lane(), lane()]
    assert.isTrue(slots.take(holder, false))
    for (const user of [first, gone, second]) assert.isFalse(slots.take(user, false))
    slots.leave(gone)
    slots.give(holder, false)
    assert.deepStrictEqual([first, gone, second].map(({ woken }) => woken), [1, 0, 0])
    // Whoever comes in between is not served before one that waits.
    assert.isFalse(slots.take(holder, false))
    assert.isTrue(slots.take(first, false))
    slots.give(first, false)
    assert.deepStrictEqual([first, gone, second, holder].map(({ woken }) => woken), [1, 0, 1, 0])
    // One that does not want it any more passes it on.
    slots.leave(second)
    assert.strictEqual(holder.woken, 1)
    assert.isTrue(slots.take(holder, false))
  })

  it("does not have the others wait for a lane that wants more than its share", () => {
    const slots = new InFlightSlots(64)
    const greedy = lane()
    assert.strictEqual(fill(slots, greedy), 2)
    const others = Array.from({ length: 62 }, lane)
    for (const other of others) assert.isTrue(slots.take(other, false))
    assert.strictEqual(slots.free, 0)
    assert.isFalse(slots.take(others[0]!, false))
    const late = lane()
    assert.isFalse(slots.take(late, false))
    const woken = greedy.woken
    slots.give(others[1]!, false)
    assert.strictEqual(late.woken, 1)
    assert.strictEqual(greedy.woken, woken)
    assert.isTrue(slots.take(late, false))
  })
})
