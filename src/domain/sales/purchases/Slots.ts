import type { BilledLine, Item } from "../providers/Fact.ts"
import { minuteAfter } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { Slot } from "./PurchaseState.ts"

/** What an item is sold as. A variant comes first: in a trial, its price is not told. */
const soldAs = ({ price, product, variant }: Item): string | undefined => variant ?? price ?? product

/** An item in a slot: what an event does not say of it stays, for some providers leave out periods when nothing runs. */
const inSlot = (slot: Slot, item: Item, position: number, at: SourceTime): Slot => {
  const { dropped_at: _, ...kept } = slot
  // Its price may be another one, of which the variant or the product of the old one say nothing.
  const isOther = soldAs(item) !== soldAs(slot)
  const before = isOther ? slot.price ?? slot.variant ?? slot.product : undefined
  return {
    ...kept,
    id: item.id ?? slot.id,
    price: isOther ? item.price : item.price ?? slot.price,
    // It comes first in what an item is sold as, so an event that leaves it out sells something else.
    variant: item.variant,
    product: isOther ? item.product : item.product ?? slot.product,
    name: isOther ? item.name : item.name ?? slot.name,
    quantity: item.quantity,
    period_start: item.period_start ?? slot.period_start,
    period_end: item.period_end ?? slot.period_end,
    sold_since: isOther ? at : slot.sold_since,
    ...(before === undefined ? {} : { sold_before: [...new Set(slot.sold_before).add(before)] }),
    ...(slot.dropped_at === undefined ? {} : { taken_up_at: at }),
    position
  }
}

/**
 * The slots of a purchase after an event that names all of its items. A slot continues with the item of the same id, else
 * with one of the same price, else of the same product, and never by its place in the list. One slot and one item that are left
 * are an upgrade; of more, nobody can say which became which: those slots are dropped, and those items begin slots. A dropped slot is
 * taken up again by its id or price.
 */
export const slotsAfter = (
  slots: ReadonlyArray<Slot>,
  items: ReadonlyArray<Item>,
  at: SourceTime
): ReadonlyArray<Slot> => {
  const taken = new Map<number, number>()
  const free = (slot: Slot) => !taken.has(slot.slot)
  const isOpen = (position: number) => ![...taken.values()].includes(position)
  const take = (isSame: (slot: Slot, item: Item) => boolean, isDropped: boolean) => {
    for (const [position, item] of items.entries()) {
      if (!isOpen(position)) continue
      const slot = slots.find((slot) =>
        free(slot) && (slot.dropped_at !== undefined) === isDropped && isSame(slot, item)
      )
      if (slot !== undefined) taken.set(slot.slot, position)
    }
  }
  const isSameId = (slot: Slot, item: Item) => item.id !== undefined && item.id === slot.id
  const isSamePrice = (slot: Slot, item: Item) => soldAs(item) !== undefined && soldAs(item) === soldAs(slot)
  take(isSameId, false)
  take(isSamePrice, false)
  take(isSameId, true)
  take(isSamePrice, true)
  take((slot, item) => item.product !== undefined && item.product === slot.product, false)
  const isLast = slots.filter((slot) => free(slot) && slot.dropped_at === undefined).length === 1 &&
    items.length - taken.size === 1
  take(() => isLast, false)
  const begun = items.flatMap((item, position) => isOpen(position) ? [{ item, position }] : [])
  return [
    ...slots.map((slot) => {
      const position = taken.get(slot.slot)
      return position === undefined ? droppedAt(slot, at) : inSlot(slot, items[position]!, position, at)
    }),
    ...begun.map(({ item, position }, index) => newSlot(item, slots.length + index, position, at))
  ]
}

const droppedAt = (slot: Slot, at: SourceTime): Slot =>
  slot.dropped_at === undefined ? { ...slot, dropped_at: at } : slot

const newSlot = (item: Item, slot: number, position: number, since: SourceTime): Slot => ({
  ...item,
  slot,
  position,
  since,
  sold_since: since
})

/** Whether a slot is sold by an ID, or was before. */
export const isSoldBy = ({ price, product, sold_before, variant }: Slot, id: string): boolean =>
  id === price || id === variant || id === product || sold_before?.includes(id) === true

/** When a slot began, or was taken up again after it had been dropped. */
export const beganAt = ({ since, taken_up_at }: Slot): SourceTime => taken_up_at ?? since

/** The slots that an item holds. */
export const heldSlots = (slots: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  slots.filter(({ dropped_at }) => dropped_at === undefined)

/** The slots that are held from each instant on at which something was told of them. */
export type SlotsSince = ReadonlyArray<{ readonly at: SourceTime; readonly slots: ReadonlyArray<Slot> }>

/** A slot as it was at an instant, by what was told until then; before anything was, by the first. Undefined where it was not sold then. */
export const slotAt = (since: SlotsSince, time: SourceTime, { slot }: Slot): Slot | undefined =>
  (since.findLast(({ at }) => at <= time) ?? since[0])?.slots.find((other) => other.slot === slot)

/** When a slot was last sold as something else for another period: a change that begins one. */
export const renewedAt = (since: SlotsSince, { slot }: Slot): SourceTime | undefined =>
  since.findLast(({ slots }, index) => {
    const [now, before] = [slots, since[index - 1]?.slots ?? []].map((all) => all.find((one) => one.slot === slot))
    return now !== undefined && before !== undefined && soldAs(now) !== soldAs(before) &&
      now.period_end !== before.period_end
  })?.at

/** A slot as it was before what a bill asks for was told, which is within a minute of the bill. Undefined where nothing was told before. */
export const slotUntil = (since: SlotsSince, billed: SourceTime, slot: Slot): Slot | undefined =>
  slotAt(since.filter(({ at }) => minuteAfter(at) < billed), billed, slot)

/**
 * The slots as they were before the change that a bill asks for: before those were told of that are as its lines ask for. Undefined where
 * that is not known.
 */
export const slotsBefore = (
  since: SlotsSince,
  { lines, since: billed }: { readonly lines: ReadonlyArray<BilledLine>; readonly since: SourceTime }
): ReadonlyArray<Slot> | undefined => {
  const asked = lines.filter(({ once, price, quantity }) =>
    once !== true && price !== undefined && quantity !== undefined
  )
  const told = since.filter(({ at }) => at <= billed)
  // A bill that names nothing asks for what is told with it, be that a moment later.
  const until = asked.length > 0 || told.length === 0 ? told : since.filter(({ at }) => at <= minuteAfter(billed))
  const last = until.at(-1)
  if (last === undefined) return undefined
  const isAsked = (slots: ReadonlyArray<Slot>) =>
    asked.length === 0
      ? slots.every((slot) => last.slots.some((other) => isSameSold(slot, other))) && slots.length === last.slots.length
      : asked.every((line) => slots.some(({ price, quantity }) => price === line.price && quantity === line.quantity))
  return until.findLast(({ slots }) => !isAsked(slots))?.slots
}

const isSameSold = (one: Slot, other: Slot): boolean =>
  one.slot === other.slot && one.price === other.price && one.quantity === other.quantity
