import { unitsFor } from "../matching/UnitMapping.ts"
import type { UnitMapping } from "../matching/UnitMapping.ts"
import type { BilledLine, Item, PurchaseName } from "../providers/Fact.ts"
import type { TellingEvent } from "../providers/ProviderEvent.ts"
import { byText, earliest } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import { inOrder } from "../purchases/FactOrder.ts"
import { factsAbout, slotsSince } from "../purchases/Fold.ts"
import { billsOf } from "../purchases/Ledger.ts"
import type { Bill } from "../purchases/Ledger.ts"
import { choicesOf } from "../purchases/Mapping.ts"
import type { Mapping } from "../purchases/Mapping.ts"
import type { PurchaseState, Slot } from "../purchases/PurchaseState.ts"
import { slotAt } from "../purchases/Slots.ts"
import type { SlotsSince } from "../purchases/Slots.ts"

/** Units of one feature that one payment has bought. */
export interface SoldUnits {
  /** The name of what was paid: the bill or, where bills say no period, the purchase. With `part` and the feature it is what the units are known by. */
  readonly bill: string
  /** The part of it: the price of a line, the number of an item, or the end of a period. */
  readonly part: string
  readonly item: Item
  readonly entry: UnitMapping
  readonly amount: number
  readonly paid_at: SourceTime
  /** When the period begins and ends that is paid for; undefined of what has none, or whose units do not end with it. */
  readonly starts_at: SourceTime | undefined
  readonly ends_at: SourceTime | undefined
  /** Whether the money is back, so that what is left of the units is taken back. */
  readonly is_back: boolean
  /** Whether the money is disputed: nothing is given until that is decided. */
  readonly is_open: boolean
}

/** An item that a payment is for: the item, its period, and what it is known by. */
interface PaidItem extends Pick<SoldUnits, "bill" | "part" | "item" | "paid_at" | "is_back" | "is_open"> {
  readonly start: SourceTime | undefined
  readonly end: SourceTime | undefined
}

/** A payment that comes so long before a period ends is for the next one, in milliseconds. */
const ahead = 3_600_000

const isBack = ({ back, lost }: Bill, mapping: Mapping): boolean =>
  back.extent === "full" || (back.extent === "partial" && choicesOf(mapping).partial_refund === "end") ||
  lost !== undefined

/** An item of a bill, with what became of its money. */
const billed = (
  bill: Bill,
  mapping: Mapping,
  of: Pick<PaidItem, "bill" | "part" | "item" | "start" | "end">
): PaidItem => ({ ...of, paid_at: bill.since, is_back: isBack(bill, mapping), is_open: bill.open !== undefined })

/** The items of what is paid once, each once, whatever number of payments tell of it. */
const paidOnce = (state: PurchaseState, bills: ReadonlyArray<Bill>, mapping: Mapping): ReadonlyArray<PaidItem> => {
  if (state.state !== "paid") return []
  const paid_at = earliest(bills.filter((bill) => bill.state === "paid").map(({ since }) => since))
  const isPart = state.refund === "partial" && choicesOf(mapping).partial_refund === "end"
  return state.slots.map((slot) => ({
    bill: state.purchase,
    part: String(slot.slot),
    item: slot,
    paid_at: paid_at ?? state.source_updated_at,
    is_back: state.refund === "full" || isPart || state.dispute === "lost",
    is_open: state.dispute === "open",
    start: undefined,
    end: undefined
  }))
}

const nameOf = ({ price, product }: BilledLine): string | undefined => price ?? product

/** The slots that were held when a bill was told of. */
const heldAt = (since: SlotsSince, time: SourceTime, slots: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  slots.flatMap((slot) => slotAt(since, time, slot) ?? [])

/** The lines of a bill that name what they are for, those of one price together. */
const namedItems = (bill: Bill, held: ReadonlyArray<Slot>, mapping: Mapping): ReadonlyArray<PaidItem> => {
  const named = bill.lines.filter((line) => line.proration !== true && nameOf(line) !== undefined)
  return [...Map.groupBy(named, (line) => nameOf(line)!)].map(([part, lines]) => {
    const [first] = lines
    const slot = held.find(({ price, product }) => (price ?? product) === part)
    const quantity = lines.reduce((sum, line) => sum + (line.quantity ?? slot?.quantity ?? 1), 0)
    const item: Item = {
      ...slot,
      ...first,
      id: first!.item ?? slot?.id,
      product: first!.product ?? slot?.product,
      quantity
    }
    return billed(bill, mapping, { bill: bill.about, part, item, start: first!.start, end: first!.end })
  })
}

/** The items that a bill is for whose lines name a period and nothing else: those that were held then. */
const unnamedItems = (bill: Bill, held: ReadonlyArray<Slot>, mapping: Mapping): ReadonlyArray<PaidItem> => {
  const line = bill.lines.find((one) => one.proration !== true && one.end !== undefined)
  return line === undefined ? [] : held.map((slot, index) => {
    const item = { ...slot, quantity: line.quantity ?? slot.quantity }
    return billed(bill, mapping, { bill: bill.about, part: String(index), item, start: line.start, end: line.end })
  })
}

const millisOf = (time: SourceTime): number => Date.parse(`${time.slice(0, 23)}Z`)

/**
 * The periods that bills pay for which say none: each period once, by its first bill, so that what is charged for a change within it gives
 * nothing more. Undefined where a bill is of a period whose end nobody has told.
 */
const periodItems = (
  state: PurchaseState,
  bills: ReadonlyArray<Bill>,
  since: SlotsSince,
  mapping: Mapping
): ReadonlyArray<PaidItem | undefined> => {
  const ends = [...new Set(since.flatMap(({ slots }) => slots.flatMap(({ period_end }) => period_end ?? [])))]
    .toSorted()
  const endOf = ({ since: paid }: Bill) => ends.find((end) => millisOf(end) > millisOf(paid) + ahead)
  const sorted = bills.toSorted((a, b) => byText(a.since, b.since))
  return [...Map.groupBy(sorted, endOf)].flatMap(([end, [first]]): ReadonlyArray<PaidItem | undefined> =>
    end === undefined ? [undefined] : heldAt(since, first!.since, state.slots).map((slot, index) => {
      const part = index === 0 ? end : `${end} ${index}`
      return billed(first!, mapping, { bill: state.purchase, part, item: slot, start: undefined, end })
    })
  )
}

/** The items of a subscription that are paid for, period by period. A trial is not paid for, and a change within a period gives no units. */
const paidPeriods = (
  state: PurchaseState,
  { bills, since }: { readonly bills: ReadonlyArray<Bill>; readonly since: SlotsSince },
  mapping: Mapping
) => {
  const paid = bills.filter((bill) => bill.state === "paid" && !bill.isAside)
  const isTrial = ({ since: at }: Bill, end: SourceTime | undefined) =>
    state.trial_end !== undefined && at < state.trial_end && (end === undefined || end <= state.trial_end)
  const hasLines = ({ lines }: Bill) => lines.some((line) => nameOf(line) !== undefined || line.end !== undefined)
  const bare = paid.filter((bill) => !hasLines(bill) && !isTrial(bill, undefined))
  const byLine = paid.flatMap((bill) => {
    const held = heldAt(since, bill.since, state.slots)
    const named = namedItems(bill, held, mapping)
    const items = named.length > 0 ? named : unnamedItems(bill, held, mapping)
    return items.filter(({ end }) => !isTrial(bill, end))
  })
  return [...byLine, ...periodItems(state, bare, since, mapping)]
}

/** The units that a payment of an item gives by an entry. */
const soldBy = ({ end, start, ...paid }: PaidItem, entry: UnitMapping): SoldUnits => ({
  ...paid,
  entry,
  amount: entry.amount * paid.item.quantity,
  starts_at: start,
  ends_at: entry.ends_with_period === true ? end : undefined
})

/** Units that a purchase has bought by now, by payment. */
export interface UnitsOfPurchase {
  readonly sold: ReadonlyArray<SoldUnits>
  /** Whether units are ordered that are not paid yet. */
  readonly awaitsPayment: boolean
  /** Whether something is paid for whose period nobody has told. */
  readonly awaitsPeriod: boolean
}

const noUnits: UnitsOfPurchase = { sold: [], awaitsPayment: false, awaitsPeriod: false }

/**
 * The units that a purchase has bought by now: the same for every order in which its events arrived. What was given of them before is not
 * looked at here.
 */
export const unitsSold = (
  state: PurchaseState,
  purchase: PurchaseName,
  events: ReadonlyArray<TellingEvent>,
  mapping: Mapping
): UnitsOfPurchase => {
  if ((mapping.units ?? []).length === 0 || state.is_beginning === true || state.kind === undefined) return noUnits
  const { links, ofKind } = factsAbout(purchase, events)
  const ordered = inOrder(ofKind("subscription").filter(({ fact }) => fact.about === purchase))
  const bills = billsOf({
    payments: ofKind("payment"),
    orders: ofKind("order"),
    refunds: ofKind("refund"),
    disputes: ofKind("dispute"),
    links
  })
  const items = state.kind === "order"
    ? paidOnce(state, bills, mapping)
    : paidPeriods(state, { bills, since: slotsSince(ordered.facts) }, mapping)
  const known = items.filter((item) => item !== undefined)
  const sold = known.flatMap((paid) =>
    paid.item.quantity < 1
      ? []
      : unitsFor(mapping.units, paid.item, state.origin).map((entry) => soldBy(paid, entry))
  )
  const sellsUnits = state.slots.some((slot) => unitsFor(mapping.units, slot, state.origin).length > 0)
  return {
    sold,
    awaitsPayment: sellsUnits && state.state === "pending",
    awaitsPeriod: sellsUnits && known.length < items.length
  }
}
