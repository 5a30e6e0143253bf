import { assert, describe, it } from "@effect/vitest"
import { DeliveryWindow, windowCharacters, windowEvents } from "../../../src/domain/delivery/DeliveryWindow.ts"

const event = (sequence: number, size = 1) => ({ sequence, body: "x".repeat(size) })
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => event(from + index))

/** A small generator with a fixed seed, so that a failure can be repeated. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return seed / 2 ** 32
}

describe("DeliveryWindow", () => {
  it("moves the cursor to the highest place below which everything is settled", () => {
    const window = new DeliveryWindow(10)
    window.offer(events(11, 14), 14)
    assert.strictEqual(window.cursor, 10)
    for (let index = 0; index < 4; index++) window.take()
    window.settle(12)
    window.settle(13)
    assert.strictEqual(window.cursor, 10)
    window.settle(11)
    assert.strictEqual(window.cursor, 13)
    window.settle(14)
    assert.strictEqual(window.cursor, 14)
    window.offer([], 99)
    assert.strictEqual(window.cursor, 99)
  })

  it("passes places that hold nothing for the lane, and stays before what it left out", () => {
    const window = new DeliveryWindow(0)
    window.offer([event(5)], 9)
    assert.strictEqual(window.position, 9)
    assert.strictEqual(window.cursor, 4)
    window.offer(events(10, 10 + windowEvents + 50), 1000)
    assert.strictEqual(window.room, 0)
    assert.strictEqual(window.position, 10 + windowEvents - 2)
  })

  it("holds at most 4 MiB, and at least one event whatever its size", () => {
    const window = new DeliveryWindow(0)
    window.offer([event(1, windowCharacters + 1), event(2)], 2)
    assert.strictEqual(window.position, 1)
    assert.strictEqual(window.take()?.sequence, 1)
    window.settle(1)
    assert.strictEqual(window.room, windowEvents)
  })

  it("gives out again what was put back, in order", () => {
    const window = new DeliveryWindow(0)
    window.offer(events(1, 3), 3)
    window.take()
    window.take()
    window.putBack(1)
    assert.strictEqual(window.take()?.sequence, 1)
    assert.strictEqual(window.take()?.sequence, 3)
    window.putBack(3)
    window.settle(3)
    assert.isTrue(window.hasWaiting, "what waits cannot be settled")
  })

  it("never lets the cursor pass what is not settled, whatever happens in whatever order", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seeded(seed)
      let window = new DeliveryWindow(0)
      let next = 1
      let durable = 0
      let checked = 0
      const settled = new Set<number>()
      const underWay = new Set<number>()
      const matching = (sequence: number) => sequence % 3 !== 0
      for (let step = 0; step < 400; step++) {
        const choice = random()
        if (choice < 0.2) {
          const to = next + Math.floor(random() * 40)
          const from = window.position + 1
          window.offer(events(from, to).filter(({ sequence }) => matching(sequence)), Math.max(to, from - 1))
          next = Math.max(next, to)
        } else if (choice < 0.55) {
          const taken = window.take()
          if (taken !== undefined) underWay.add(taken.sequence)
        } else if (choice < 0.9) {
          const [one] = [...underWay].toSorted(() => random() - 0.5)
          if (one === undefined) continue
          underWay.delete(one)
          if (random() < 0.1) window.putBack(one)
          else {
            window.settle(one)
            settled.add(one)
          }
        } else if (choice < 0.97) {
          durable = Math.max(durable, window.cursor)
        } else {
          // A crash: only what was written is left, and whoever takes over starts there.
          window = new DeliveryWindow(durable)
          underWay.clear()
        }
        while (checked < window.cursor) {
          checked += 1
          if (matching(checked)) assert.isTrue(settled.has(checked), `seed ${seed}: ${checked} was passed`)
        }
      }
    }
  })
})
