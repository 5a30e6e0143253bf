import { assert, describe, it } from "@effect/vitest"
import type { Item } from "../../../../src/domain/sales/providers/Fact.ts"
import {
  beganAt,
  heldSlots,
  isSoldBy,
  slotAt,
  slotsAfter,
  slotsBefore,
  slotUntil
} from "../../../../src/domain/sales/purchases/Slots.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

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

  it("go on with the item of the same product, then as the only one that is left with the only item that is", () => {
    const of = (price: string, product: string) => item(price, undefined, { product })
    const [a, b] = [item("a"), item("b")]
    assert.deepStrictEqual(shown([of("a", "p"), of("b", "q")], [of("c", "q"), of("d", "p")]), ["0 d at 1", "1 c at 0"])
    assert.deepStrictEqual(shown([a, b], [item("c"), a]), ["0 a at 1", "1 c at 0"])
    assert.deepStrictEqual(shown([a, b], [a], [item("c")]), ["0 c at 0", "1 b dropped"])
    // Of more than one, nobody can say which became which.
    assert.deepStrictEqual(shown([a, b], [item("c"), item("d")]), [
      "0 a dropped",
      "1 b dropped",
      "2 c at 0",
      "3 d at 1"
    ])
    assert.deepStrictEqual(shown([a], [b, item("c")]), ["0 a dropped", "1 b at 0", "2 c at 1"])
    assert.deepStrictEqual(shown([a, b], [item("c")]), ["0 a dropped", "1 b dropped", "2 c at 0"])
    // An item that names nothing is like no other.
    const unnamed = [{ id: "li_1", quantity: 1 }, { id: "li_2", quantity: 1 }, { id: "li_3", quantity: 1 }]
    assert.lengthOf(heldSlots(after(unnamed.slice(0, 1), unnamed.slice(1))), 2)
    assert.deepStrictEqual(after(unnamed.slice(0, 1), unnamed.slice(1))[0]!.dropped_at, day(1))
  })

  it("are one each for items of the same price, the first of which goes on where one is left", () => {
    assert.deepStrictEqual(shown([item("a")], [item("a"), item("a")]), ["0 a at 0", "1 a at 1"])
    assert.deepStrictEqual(shown([item("a"), item("a")], [item("a")]), ["0 a at 0", "1 a dropped"])
  })

  it("are taken up again by the ID or the price of their item, and no other item takes one that was dropped", () => {
    const [a, b] = [item("a", "si_1"), item("b", "si_2")]
    assert.deepStrictEqual(shown([a, b], [a]), ["0 a at 0", "1 b dropped"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("b", "si_3")]), ["0 a at 0", "1 b at 1"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("c", "si_2")]), ["0 a at 0", "1 c at 1"])
    assert.deepStrictEqual(shown([a, b], [a], [a, item("c", "si_3")]), ["0 a at 0", "1 b dropped", "2 c at 1"])
    const of = (price: string) => ({ ...item(price), product: "p" })
    assert.deepStrictEqual(shown([a, of("b")], [a], [a, of("c")]), ["0 a at 0", "1 b dropped", "2 c at 1"])
    // The instant counts from which it began again.
    const again = after([a, b], [a], [a, b])
    assert.deepStrictEqual(again.map(({ since }) => since), [day(0), day(0)])
    assert.deepStrictEqual(again.map(beganAt), [day(0), day(2)])
    assert.deepStrictEqual(again.map(({ taken_up_at }) => taken_up_at), [undefined, day(2)])
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

  it("were sold by the IDs that came before, each once, and are found by these", () => {
    const [price, variant, product] = ["a", "12", "p"]
    const soldBefore = (...items: ReadonlyArray<Partial<Item>>) =>
      after(...items.map((one) => [{ id: "si_1", quantity: 1, ...one }]))[0]!.sold_before
    const other = { price: "b", variant: "34", product: "q" }
    assert.deepStrictEqual(soldBefore({ price, variant, product }, other), ["a"])
    assert.deepStrictEqual(soldBefore({ variant, product }, other), ["12"])
    assert.deepStrictEqual(soldBefore({ product }, { product: "q" }), ["p"])
    assert.deepStrictEqual(soldBefore({ price }, { price: "b" }, { price }, { price: "b" }), ["a", "b"])
    assert.isFalse("sold_before" in after([item("a")], [item("a")])[0]!)
    const slot = after([item("a", "si_1")], [{ id: "si_1", quantity: 1, ...other }])[0]!
    assert.deepStrictEqual(["a", "b", "34", "q", "c"].map((id) => isSoldBy(slot, id)), [true, true, true, true, false])
    assert.isFalse(isSoldBy(after([item("a")])[0]!, "b"))
  })

  it("have what an event says of them now", () => {
    const [slot] = after(
      [item("a", "si_1", { product: "p", name: "Pro", period_start: day(0), period_end: day(30) })],
      [item("a", "si_2", { product: "q", name: "Pro 2", period_start: day(30), period_end: day(60) })]
    )
    assert.deepInclude(slot, {
      id: "si_2",
      product: "q",
      name: "Pro 2",
      period_start: day(30),
      period_end: day(60)
    })
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
    const [changed] = after([{ ...tried, price: "34" }], [{ variant: "13", quantity: 1 }])
    assert.deepInclude(changed, { variant: "13", price: undefined, sold_since: day(1) })
  })

  it("were before a change what was told before the minute of its bill, be the change told a moment later", () => {
    const told = [[0, 0, 1], [1, 0, 6], [2, 2, 9]] as const
    const since = told.map(([at, seconds, quantity]) => ({
      at: day(at, seconds),
      slots: slotsAfter([], [item("a", "si_1", { quantity })], day(0))
    }))
    const quantityBefore = (seconds: number) =>
      slotsBefore(since, { lines: [], since: day(2, seconds) })?.map(({ quantity }) => quantity)
    assert.deepStrictEqual([1, 2, 3, -58, -59].map(quantityBefore), [[6], [6], [6], [6], [1]])
    const lines = [{ price: "a", quantity: 9 }]
    assert.deepStrictEqual(slotsBefore(since, { lines, since: day(2, 1) })?.map(({ quantity }) => quantity), [6])
    const [slot] = since[2]!.slots
    assert.deepStrictEqual(
      [1, 61, 62, 63].map((seconds) => slotUntil(since, day(2, seconds), slot!)?.quantity),
      [6, 6, 6, 9]
    )
  })

  it("were at an instant what was told by then, and before anything was what was told first", () => {
    const since = [1, 2].map((at) => ({ at: day(at), slots: after([item("a", "si_1", { quantity: at })]) }))
    const [slot] = since[0]!.slots
    assert.deepStrictEqual(
      [0, 1, 2].map((at) => slotAt(since, day(at), slot!)?.quantity),
      [1, 1, 2]
    )
    assert.isUndefined(slotAt(since, day(2), { ...slot!, slot: 1 }))
    assert.isUndefined(slotAt([], day(2), slot!))
  })

  describe("before a change that is billed", () => {
    /** The slots before a bill, which names some lines, in short: what was told is a list of items for each second. */
    const before = (told: ReadonlyArray<string>, billed: number, ...asked: ReadonlyArray<string>) => {
      const itemsOf = (text: string) =>
        text.split(" ").filter((one) => one !== "").map((one) =>
          item(one.slice(0, 1), undefined, {
            quantity: Number(one.slice(1))
          })
        )
      let slots: ReturnType<typeof slotsAfter> = []
      const since = told.map((text, at) => {
        slots = slotsAfter(slots, itemsOf(text), day(0, at))
        return { at: day(0, at), slots: heldSlots(slots) }
      })
      return slotsBefore(since, { lines: asked.flatMap(itemsOf), since: day(0, billed) })
        ?.map(({ price, quantity, slot }) => `${slot} ${price}${quantity}`)
    }

    it("are those that were told before these that the lines ask for, whatever is told after the bill", () => {
      assert.deepStrictEqual(before(["a1", "a6", "a9"], 1, "a6"), ["0 a1"])
      assert.deepStrictEqual(before(["a1", "a6", "a9", "a9 b1"], 3, "a9"), ["0 a6"])
      assert.deepStrictEqual(before(["a1 b1", "a5 b1", "a5 b5"], 2, "a5", "b5"), ["0 a5", "1 b1"])
      assert.deepStrictEqual(before(["a5 b1", "a1 b5"], 1, "b5"), ["0 a5", "1 b1"])
      assert.deepStrictEqual(before(["a1", "a6"], 1, "a7"), ["0 a6"])
      assert.isUndefined(before(["a1"], 1, "a1"))
    })

    it("are those before the last that are others, where the bill does not say what it asks for", () => {
      assert.deepStrictEqual(before(["a1", "a1 b1"], 1), ["0 a1"])
      assert.deepStrictEqual(before(["a1 b1", "a1 b5"], 1), ["0 a1", "1 b1"])
      assert.deepStrictEqual(before(["a1", "a1 b1", "b1 a1"], 2), ["0 a1"])
      assert.deepStrictEqual(before(["a1", "c1"], 1), ["0 a1"])
      assert.deepStrictEqual(before(["a1 b1", "a1", "b1"], 2), ["0 a1"])
      // A moment before the change is told, which is the first of two.
      assert.deepStrictEqual(before(["a1", "", "a6"], 1), [])
    })

    it("are others where two have changed their prices, as their IDs tell", () => {
      const slots = after([item("a", "si_1"), item("b", "si_2")])
      const changed = slotsAfter(slots, [item("b", "si_1"), item("a", "si_2")], day(1))
      const since = [{ at: day(0), slots }, { at: day(1), slots: changed }]
      assert.strictEqual(slotsBefore(since, { lines: [], since: day(1) }), slots)
    })

    it("are not known where nothing was told before it", () => {
      assert.isUndefined(before(["a1", "a6"], -1))
      assert.deepStrictEqual(before(["a1", "a6"], 0), ["0 a1"])
      assert.isUndefined(before([], 0))
    })

    it("are told by lines that have a price and a quantity alone", () => {
      const since = [1, 6, 9].map((quantity, at) => ({
        at: day(at),
        slots: after([item("a", "si_1", { quantity })])
      }))
      for (const lines of [[{ price: "a" }], [{ quantity: 9 }], [{ price: "b" }, { quantity: 5 }]]) {
        assert.deepStrictEqual(slotsBefore(since, { lines, since: day(3) })?.map(({ quantity }) => quantity), [6])
      }
    })
  })

  it("hold an item while they are not dropped", () => {
    const [a, b] = [item("a", "si_1"), item("b", "si_2")]
    assert.deepStrictEqual(heldSlots(after([a, b], [b])).map(({ slot }) => slot), [1])
  })
})
