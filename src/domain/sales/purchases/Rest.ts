import type { BilledLine } from "../providers/Fact.ts"
import { byText, earliest, latest, minuteAfter } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import { isForSlot, periodLines, summed } from "./Ledger.ts"
import type { Bill, PeriodLine } from "./Ledger.ts"
import type { Slot, SlotMoney } from "./PurchaseState.ts"
import { beganAt, renewedAt, slotAt, slotUntil } from "./Slots.ts"
import type { SlotsSince } from "./Slots.ts"

/** Whether a line of a bill is for a slot: by its item, else by its price, as these are now or were when the bill was told of. */
const isLineOf = (slot: Slot, since: SlotsSince) => ({ bill, line: { item, price } }: OfBill): boolean => {
  const states = [slot, slotAt(since, bill.since, slot)].filter((state) => state !== undefined)
  return item !== undefined && states.some(({ id }) => id !== undefined)
    ? states.some(({ id }) => id === item)
    : price !== undefined && states.some((state) => state.price === price)
}

/** A line, and the bill that it is of. */
type OfBill = Omit<PeriodLine, "start">

/** What a slot is sold as by what was last paid for or given up; null where it is part of no such bill, undefined where no bill tells. */
export const paidAs = (
  bills: ReadonlyArray<Bill>,
  slot: Slot,
  held: ReadonlyArray<Slot>,
  since: SlotsSince
): SlotMoney["paid_as"] => {
  const settled = bills.filter(({ state }) => state !== "failed").toSorted((a, b) => byText(a.since, b.since))
  const lines = settled.flatMap((bill): ReadonlyArray<OfBill> => bill.lines.map((line) => ({ bill, line })))
    .filter(({ line }) => line.once !== true && (line.price ?? line.quantity) !== undefined)
  if (lines.length === 0) return undefined
  // What one slot alone was before is paid for by whatever line there is, also where the event that began it is not known.
  const line = (lines.findLast(isLineOf(slot, since)) ?? (held.length === 1 ? lines.at(-1) : undefined))?.line
  if (line === undefined) return null
  const { price = slot.price, quantity } = line
  if (quantity === undefined) return undefined
  return price === slot.price
    ? { price, product: slot.product, variant: slot.variant, quantity }
    : { price, product: line.product, quantity }
}

/** The bills that something rests on, and until when they pay for it. */
export interface Rest {
  readonly bills: ReadonlyArray<Bill>
  /** Where the period begins that they are for. */
  readonly begun: SourceTime | undefined
  readonly through: SourceTime | undefined
  /** Until when nothing is owed: a later period whose bill the vendor gave up is not. */
  readonly clear: SourceTime | undefined
  /** When what is paid was, be that for a period before one whose bill the vendor gave up. */
  readonly paid_at: SourceTime | undefined
}

/** The rest on bills that name no period, or on one bill of a period alone. */
const restingOn = (bills: ReadonlyArray<Bill>, { end: through, start: begun }: Partial<BilledLine> = {}): Rest => ({
  bills,
  begun,
  through,
  clear: through,
  paid_at: latest(bills.map(({ since }) => since))
})

/** Whether a line has a period that a slot has or had: a change may begin a new one, and pays for it. */
const isPeriodOf = (slot: Slot, since: SlotsSince, { line: { end, price, start } }: PeriodLine): boolean =>
  start !== undefined && price !== undefined &&
  since.flatMap(({ slots }) => slots).concat(slot).some((one) =>
    one.slot === slot.slot && start === one.period_start && end === one.period_end && price === one.price
  )

/** Whether a line is for another slot, which has another period than this one. */
const isOfOther = (slot: Slot, held: ReadonlyArray<Slot>, { line }: PeriodLine): boolean =>
  !isForSlot(line, slot) &&
  held.some((other) => other.period_end !== slot.period_end && isForSlot(line, other))

/** The lines that pay for periods: those of bills for periods, and of a change that begins one of a slot. */
const payingLines = (
  lines: ReadonlyArray<PeriodLine>,
  slot: Slot | undefined,
  since: SlotsSince
): ReadonlyArray<PeriodLine> => {
  const regular = lines.filter((one) => !one.bill.isAside)
  if (slot === undefined) return regular
  const ends = new Set(regular.map(({ line }) => line.end))
  return regular.concat(lines.filter((one) => !ends.has(one.line.end) && isPeriodOf(slot, since, one)))
}

/** Of some lines, those that a slot may rest on: for its own price where they reach its period, else for no other slot. */
const linesFor = (
  lines: ReadonlyArray<PeriodLine>,
  slot: Slot | undefined,
  held: ReadonlyArray<Slot>,
  since: SlotsSince
): ReadonlyArray<PeriodLine> => {
  if (slot === undefined) return lines
  // Another item may have had this price before.
  const isOfItem = ({ item }: BilledLine) =>
    item === undefined || item === slot.id || !held.some((other) => other.id === item)
  // It may have been sold as something else in between, and come back to this price without being paid for it again.
  const isOver = ({ line, start }: PeriodLine) =>
    lines.some((other) => other.start > start && other.line.price !== line.price && isLineOf(slot, since)(other))
  const own = lines.filter((one) =>
    isForSlot(one.line, slot) && isOfItem(one.line) && !isOver(one) &&
    (slot.period_start === undefined || one.line.end === undefined || one.line.end > slot.period_start)
  )
  return own.length > 0 ? own : lines.filter((one) => !isOfOther(slot, held, one))
}

/** The lines that a slot rests on, of what is paid: where all are for other slots, these. */
const restingLines = (
  settled: ReadonlyArray<Bill>,
  slot: Slot | undefined,
  held: ReadonlyArray<Slot>,
  since: SlotsSince
): ReadonlyArray<PeriodLine> => {
  const added = slot === undefined ? undefined : addedBy(settled, slot, held)
  if (added !== undefined) return [{ ...added, start: added.line.start ?? added.bill.since }]
  const all = payingLines(periodLines(settled), slot, since)
  const own = linesFor(all, slot, held, since)
  return (own.length > 0 ? own : all).filter(({ line }) => line.end !== undefined)
}

/** Whether a period is the rest of one that began before: what is billed for a change in its middle, without saying so. */
const isRest = (one: PeriodLine, others: ReadonlyArray<PeriodLine>): boolean =>
  others.some((other) => other.line.end === one.line.end && other.start < one.start)

/** The line that a slot was added by in the middle of a period, until the next period is billed; what is billed later is for more of it. */
const addedBy = (settled: ReadonlyArray<Bill>, slot: Slot, held: ReadonlyArray<Slot>): OfBill | undefined => {
  const began = beganAt(slot)
  if (began === earliest(held.map(beganAt)) || slot.sold_since > began) return undefined
  const later = settled.filter((bill) => bill.since >= began)
  const all = periodLines(settled)
  const whole = all.filter((one) => !isRest(one, all))
  if (whole.some(({ bill }) => later.includes(bill))) return undefined
  const isOwn = ({ line }: OfBill) => line.price !== undefined && isForSlot(line, slot)
  const partOf = (bills: ReadonlyArray<Bill>) =>
    bills.toSorted((a, b) => byText(a.since, b.since))
      .flatMap((bill) => bill.lines.map((line) => ({ bill, line })))
      .find((one) =>
        isOwn(one) && one.line.end !== undefined && (slot.period_end === undefined || one.line.end <= slot.period_end)
      )
  const part = partOf(later)
  // The event that added it may be lost: what is told of it is later than its bill then, and no period of its own is billed yet.
  return part ?? (slot.taken_up_at !== undefined || whole.some(isOwn) ? undefined : partOf(settled))
}

/** Whether a slot has another period since a bill was asked for, or paid: a change may begin a new one, which its bill pays for without saying so. */
const beginsPeriod = ({ asked, since: paidAt }: Bill, slot: Slot, since: SlotsSince): boolean =>
  [asked, paidAt].some((billed) => {
    const after = slotAt(since, minuteAfter(billed), slot)
    const before = slotUntil(since, billed, slot)
    return before !== undefined && after?.period_end !== before.period_end
  })

/**
 * The bills that a slot rests on: those of the period that began last, of its own price, for which nothing is owed. Another one that reaches
 * further was for something that is no longer sold. Where no bill names a period, the last one; what is told of it again makes it no later
 * one.
 */
export const restOf = (
  bills: ReadonlyArray<Bill>,
  slot?: Slot,
  held: ReadonlyArray<Slot> = [],
  since: SlotsSince = []
): Rest => {
  const settled = bills.filter(({ state }) => state === "paid")
  const lines = restingLines(settled, slot, held, since)
  const begun = lines.filter((one) => !isRest(one, lines))
  const start = latest(begun.map((one) => one.start))
  // A later period whose bill the vendor gave up is not owed: no money is behind it that could come back.
  const closed = bills.filter(({ state }) => state === "closed")
  const givenUp = linesFor(payingLines(periodLines(closed), slot, since), slot, held, since).filter((one) =>
    start === undefined || one.start > start
  )
  // It frees what it was for: what the slot is sold as, or was then.
  const freed = givenUp.flatMap((one) =>
    slot === undefined || isForSlot(one.line, slot) || isLineOf(slot, since)(one) ? [one.line.end] : []
  )
  if (start !== undefined) {
    const last = begun.filter((one) => one.start === start)
    const through = latest(last.map(({ line }) => line.end!))
    const paidFor = last.filter(({ line }) => line.end === through)
    const resting = (givenUp.length > 0 ? givenUp : paidFor).map(({ bill }) => bill)
    return {
      ...restingOn([...new Set(resting)], { start, end: through }),
      clear: latest([through, ...freed]),
      paid_at: latest(paidFor.map(({ bill }) => bill.since))
    }
  }
  const regular = settled.filter((bill) => !bill.isAside || (slot !== undefined && beginsPeriod(bill, slot, since)))
  const last = latest(regular.map((bill) => bill.since))
  const lasts = regular.filter((bill) => bill.since === last)
  if (slot === undefined || last === undefined) return { ...restingOn(lasts), clear: latest(freed) }
  if (isForNothing(bills, last, renewedAt(since, slot))) return { ...restingOn([]), paid_at: last }
  return restingOn(lasts.every(({ isUnsaid }) => isUnsaid) ? chargedFor(regular, slot, since) : lasts)
}

/** Whether another period of another price began after the last bill, and nothing is asked for that: no money is behind it that could come back. */
const isForNothing = (bills: ReadonlyArray<Bill>, last: SourceTime, begun: SourceTime | undefined): boolean =>
  begun !== undefined && last < begun &&
  !bills.some(({ asked }) => asked !== "" && minuteAfter(asked) >= begun && asked <= minuteAfter(begun))

/**
 * All that was charged for the period of the last charge, as one bill: where nobody says which charge was for the period, and which for a
 * change in it, what is paid for ends with all the money.
 */
const chargedFor = (charges: ReadonlyArray<Bill>, slot: Slot, since: SlotsSince): ReadonlyArray<Bill> => {
  const sorted = charges.toSorted((a, b) => byText(a.since, b.since) || byText(a.about, b.about))
  const endOf = (bill: Bill) => slotAt(since, minuteAfter(bill.since), slot)?.period_end
  const last = sorted.at(-1)!
  const end = endOf(last)
  // A charge after the end is for a period that nobody told.
  const isAfter = (bill: Bill) => end !== undefined && bill.since >= end
  const all = end === undefined
    ? [last]
    : sorted.filter((bill) => bill.isUnsaid && endOf(bill) === end && isAfter(bill) === isAfter(last))
  return all.length === 1 ? all : [summed(all)]
}
