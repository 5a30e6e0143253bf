import { assert, describe, it } from "@effect/vitest"
import type { Item } from "../../../src/domain/providers/Fact.ts"
import { heldSlots, slotsAfter, slotsBefore, slotUntil } from "../../../src/domain/purchases/Slots.ts"
import { day } from "../../fixtures/PurchaseLife.ts"

const item = (price: string, id?: string, more: Partial<Item> = {}): Item => ({
  price,
  quantity: 1,
  ...(id === undefined ? {} : { id }),
  ...more
})

/** The slots after some lists of items, one a day, in short. */
const after = (...lists: ReadonlyArray<ReadonlyArray<Item>>) =>
  lists.reduce<ReturnType<typeof slotsAfter>>((slots, items, at) => slotsAfter(slots, items, day(at)), [])
const shown = (...lists: ReadonlyArray<ReadonlyArray<Item>>) =>
  after(...lists).map(({ dropped_at, position, price, slot }) =>
    `${slot} ${price} ${dropped_at === undefined ? `at ${position}` : "dropped"}`
  )

describe("the slots of a purchase", () => {
  it("go on with the item of the same ID, else of the same price, in whatever order items are listed", () => {
    const [a, b] = [item("a", "si_1"), item("b", "si_2")]
    assert.deepStrictEqual(shown([a, b], [b, a]), ["0 a at 1", "1 b at 0"])
    assert.deepStrictEqual(shown([item("a"), item("b")], [item("b"), item("a")]), ["0 a at 1", "1 b at 0"])
    // Two prices change places: the IDs tell which is which.
    assert.deepStrictEqual(shown([a, b], [item("b", "si_1"), item("a", "si_2")]), ["0 b at 0", "1 a at 1"])
    assert.deepStrictEqual(shown([a, b], [item("b", "si_3"), item("a", "si_4")]), ["0 a at 1", "1 b at 0"])
  })

  it("are taken up again by the ID or the price of their item, and no other item takes one that was dropped", () => {
    const [a, b] = [item("a", "si_1"), item("b", "si_2")]
    assert.deepStrictEqual(shown([a, b], [a]), ["0 a at 0", "1 b dropped"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("b", "si_3")]), ["0 a at 0", "1 b at 1"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("c", "si_2")]), ["0 a at 0", "1 c at 1"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("c", "si_3")]), ["0 a at 0", "1 b dropped", "2 c at 1"])
  })

  it("are preferred to dropped ones of the same price, and keep the instant of their drop", () => {
    const [a, b] = [item("a", "si_1"), item("a", "si_2")]
    assert.deepStrictEqual(shown([a, b], [b], [item("a", "si_3")]), ["0 a dropped", "1 a at 0"])
    assert.deepStrictEqual(after([a, b], [b], [b]).map(({ dropped_at }) => dropped_at), [day(1), undefined])
  })

  it("have the instants since when they are there, and since when they are sold as what they are", () => {
    const [upgraded] = after([item("a", "si_1")], [item("b", "si_1")], [item("b", "si_1", { quantity: 3 })])
    assert.deepInclude(upgraded, { since: day(0), sold_since: day(1), quantity: 3, price: "b" })
  })

  it("keep what an event leaves out, unless they are sold as something else", () => {
    const whole = item("a", "si_1", { product: "p", name: "Pro", period_start: day(0), period_end: day(30) })
    const [same] = after([whole], [item("a")])
    assert.deepInclude(same, { id: "si_1", product: "p", name: "Pro", period_start: day(0), period_end: day(30) })
    const [other] = after([whole], [item("b", "si_1")])
    assert.deepInclude(other, { product: undefined, name: undefined, period_end: day(30) })
    const tried: Item = { variant: "12", quantity: 1 }
    const [named] = after([tried], [{ ...tried, price: "34" }], [tried])
    assert.deepInclude(named, { variant: "12", price: "34", sold_since: day(0) })
  })

  it("were before a change what was told before the minute of its bill, be the change told a moment later", () => {
    const told = [[0, 0, 1], [1, 0, 6], [2, 2, 9]] as const
    const since = told.map(([at, seconds, quantity]) => ({
      at: day(at, seconds),
      slots: slotsAfter([], [item("a", "si_1", { quantity })], day(0))
    }))
    const quantityBefore = (seconds: number) =>
      slotsBefore(since, { lines: [], since: day(2, seconds) })?.map(({ quantity }) => quantity)
    assert.deepStrictEqual([1, 2, 3, -59].map(quantityBefore), [[6], [6], [6], [1]])
    const lines = [{ price: "a", quantity: 9 }]
    assert.deepStrictEqual(slotsBefore(since, { lines, since: day(2, 1) })?.map(({ quantity }) => quantity), [6])
    const [slot] = since[2]!.slots
    assert.deepStrictEqual(
      [1, 61, 63].map((seconds) => slotUntil(since, day(2, seconds), slot!)?.quantity),
      [6, 6, 9]
    )
  })

  it("hold an item while they are not dropped", () => {
    const [a, b] = [item("a", "si_1"), item("b", "si_2")]
    assert.deepStrictEqual(heldSlots(after([a, b], [b])).map(({ slot }) => slot), [1])
  })
})
