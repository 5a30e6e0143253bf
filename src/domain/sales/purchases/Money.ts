import type { BilledLine } from "../providers/Fact.ts"
import { byText, earliest, latest, minuteAfter } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import { billsOf, isForSlot, periodLines } from "./Ledger.ts"
import type { Bill, MoneyFacts } from "./Ledger.ts"
import { definedOf } from "./PurchaseState.ts"
import type { PurchaseState, Slot, SlotMoney } from "./PurchaseState.ts"
import { paidAs, restOf } from "./Rest.ts"
import type { Rest } from "./Rest.ts"
import { beganAt, heldSlots, renewedAt, slotAt, slotsBefore, slotUntil } from "./Slots.ts"
import type { SlotsSince } from "./Slots.ts"

type Money = Pick<
  PurchaseState,
  "paid_through" | "refund" | "refunded_at" | "dispute" | "disputed_at" | "paid" | "refunded"
>

/** What money of some bills means for what rests on them. */
const moneyOfBills = (
  { bills, through }: Pick<Rest, "bills" | "through">
): Pick<Money, "paid_through" | "refund" | "refunded_at"> & { readonly lost: SourceTime | undefined } => {
  const full = bills.filter(({ back }) => back.extent === "full")
  const partial = bills.filter(({ back }) => back.extent === "partial")
  const back = full.length > 0 ? full : partial
  return {
    paid_through: through,
    refund: full.length > 0 ? "full" : partial.length > 0 ? "partial" : "none",
    refunded_at: earliest(back.map((bill) => bill.back.at)),
    lost: earliest(bills.map((bill) => bill.lost))
  }
}

/** Whether a bill came after the payment of what is paid for by now: a debt of before counts no more. */
const isSincePaid = ({ paid_at }: Rest) => ({ since }: Bill): boolean => paid_at === undefined || since > paid_at

/** The debts for a slot that are not settled: those of periods before what is paid count no more. */
const debtsOf = (bills: ReadonlyArray<Bill>, slot: Slot, rest: Rest) => {
  const { through } = rest
  const open = bills.filter(({ state }) => state === "failed")
  const lines = periodLines(open.filter(({ isAside }) => !isAside))
  const own = lines.filter(({ line }) => isForSlot(line, slot))
  const isOver = ({ end }: BilledLine) => through !== undefined && end !== undefined && end <= through
  const starts = (own.length > 0 ? own : lines).flatMap(({ line }) => isOver(line) ? [] : [line.start])
  // A bill that names no period is as old as what was first told of it.
  const unnamed = open.filter((bill) => !bill.isAside && bill.lines.length === 0 && isSincePaid(rest)(bill))
    .map(({ since }) => since)
  return [...starts, ...unnamed]
}

/** Facts of a subscription that say since when it is not paid. */
interface Dueness {
  readonly state: PurchaseState["state"]
  /** Whether its provider begins the next period before it is paid. */
  readonly isAdvancing: boolean
  /** Since when it is past due, by its own word. */
  readonly due_since: SourceTime | undefined
}

const isDueState = (state: PurchaseState["state"]): boolean => state === "past_due" || state === "unpaid"

/**
 * Since when a slot is not paid, while it is not: from where the period begins that is not paid, and never before the end of what
 * is. A debt beside a paid period, such as for more seats, begins where that ends.
 */
const unpaidSince = (
  bills: ReadonlyArray<Bill>,
  slot: Slot,
  rest: Rest,
  { dueness: { due_since, isAdvancing, state }, since }: Known,
  until: SourceTime | undefined
): SourceTime | undefined => {
  const { period_end, period_start } = slot
  const isOwed = (bill: Bill) => bill.state === "failed" && isSincePaid(rest)(bill)
  const asked = earliest(bills.flatMap((bill) => bill.isAside && isOwed(bill) ? [bill.since] : []))
  const hasAside = asked !== undefined
  // A period whose bill the vendor gave up is not owed, where what is due is for something else.
  const paid = bills.some((bill) => bill.state === "failed") ? rest.clear : rest.through
  const isBehind = paid === undefined || period_end === undefined || paid < period_end
  if (!isDueState(state) && (state !== "canceled" || !isBehind)) return undefined
  const first = earliest(debtsOf(bills, slot, rest))
  if (state === "canceled" && paid === undefined && first === undefined) return undefined
  const begun = first ?? (isAdvancing ? period_start : undefined)
  if (paid !== undefined) return latest([begun, paid])
  // A change that is not paid for may have announced a period of its own.
  if (hasAside && begun === undefined) return slotUntil(since, asked, slot)?.period_end ?? period_end ?? due_since
  // Where bills name no period, what is paid for ends where the last period does that was announced, unless another one was paid since.
  const isKnown = period_end !== undefined && rest.bills.every((bill) => bill.since < period_end)
  const owed = latest([begun ?? due_since, until])
  return earliest([owed, isKnown || begun === undefined ? period_end : undefined])
}

/**
 * Until when what is paid for goes on, whatever is not paid beside it: where bills name no period, to the end of the one that was announced with
 * the last payment, or of the one of another price that began for nothing since, before anything was due.
 */
const paidUntil = ({ bills, paid_at, through }: Rest, slot: Slot, { dueness, since }: Known) => {
  if (through !== undefined || paid_at === undefined) return through
  const begun = bills.length === 0 ? renewedAt(since, slot) : undefined
  const isForNothing = begun !== undefined && dueness.due_since !== undefined && begun < dueness.due_since
  const announced = minuteAfter(isForNothing ? begun : paid_at)
  return slotAt(since.filter(({ at }) => at <= announced), announced, slot)?.period_end
}

/**
 * Whether a bill is for a period of another price of one of the slots, which begins before the one that is paid is over: a change to another
 * interval, with all that it asks for beside that.
 */
const isOfOtherPeriod = (bills: ReadonlyArray<Bill>, rests: Rests, { held, since }: Known) => {
  const others = [...rests].filter(([slot]) => {
    const paid = paidAs(bills, slot, held, since)
    return paid !== undefined && paid !== null && paid.price !== slot.price
  })
  return (bill: Bill): boolean =>
    others.some(([slot, { clear }]) =>
      clear !== undefined && periodLines([bill]).some(({ line, start }) => isForSlot(line, slot) && start < clear)
    )
}

/** Whether a bill is for nothing but what is sold once: no change of the subscription waits for that. */
const isOfOnce = ({ lines }: Bill): boolean => lines.length > 0 && lines.every(({ once }) => once === true)

/**
 * The bill for a change that is not paid: one beside a period that failed, or one within the period that is paid, or for another one. A period that
 * was paid after it was paid with the change. One that says nothing of what it is for is for a change where it failed within what is paid.
 */
const unpaidChange = (
  bills: ReadonlyArray<Bill>,
  { begun, clear, paid_at }: Rest,
  isOther: (bill: Bill) => boolean,
  until: SourceTime | undefined
): Bill | undefined =>
  bills.filter((bill) => {
    // One that failed at the instant of a payment was not paid by that.
    if (bill.state !== "failed" || isOfOnce(bill) || (paid_at !== undefined && bill.since < paid_at)) return false
    const ends = periodLines([bill]).flatMap(({ line }) => line.end ?? [])
    return bill.isAside || isOther(bill) || (bill.isUnsaid && until !== undefined && bill.since < until) ||
      (clear !== undefined && ends.length > 0 &&
        ends.every((end) => end <= clear && (begun === undefined || end > begun)))
  }).toSorted((a, b) => byText(a.since, b.since))[0]

/** What is said of a slot by what it is sold as. */
const soldOf = ({ price, product, quantity, variant }: Slot): NonNullable<SlotMoney["paid_as"]> =>
  definedOf({ price, product, quantity, variant })

/** What a slot is sold as by what was paid for last; null where it was not sold then. */
const paidAsLast = (bills: ReadonlyArray<Bill>, slot: Slot, { held, since }: Known): SlotMoney["paid_as"] => {
  const told = paidAs(bills, slot, held, since)
  const paid = latest(bills.filter(({ state }) => state === "paid").map((bill) => bill.since))
  if (told !== undefined || paid === undefined) return told
  const then = slotAt(since, paid, slot)
  return then === undefined ? null : soldOf(then)
}

/**
 * What a slot is sold as by what is paid for, while a change is billed that is not paid: what it was before that. Undefined while there is
 * none. What is due while the period that it is in is paid is for such a change, though nobody told of a bill.
 */
const paidFor = (
  bills: ReadonlyArray<Bill>,
  slot: Slot,
  rest: Rest,
  known: Known,
  { change, until }: { readonly change: Bill | undefined; readonly until: SourceTime | undefined }
): SlotMoney["paid_as"] => {
  if (!isDueState(known.dueness.state)) return undefined
  const { due_since } = known.dueness
  const isToldOf = (bill: Bill) => bill.state === "failed" || (bill.state === "closed" && isSincePaid(rest)(bill))
  const isToldOfNone = !bills.some(isToldOf) && until !== undefined && due_since !== undefined && due_since < until
  const asked = change ?? (isToldOfNone ? { lines: [], since: due_since } : undefined)
  if (asked === undefined) return undefined
  const before = slotsBefore(known.since, asked)
  if (before === undefined) return paidAsLast(bills, slot, known)
  const then = before.find((other) => other.slot === slot.slot)
  return then === undefined ? null : soldOf(then)
}

/** The money of each slot of a subscription, by what it rests on. */
const moneyOfSlots = (bills: ReadonlyArray<Bill>, rests: Rests, known: Known): ReadonlyMap<Slot, SlotMoney> => {
  // The same for all of them: a change of one is not paid by the bill of another.
  const isOther = isOfOtherPeriod(bills, rests, known)
  const moneyOf = (slot: Slot, rest: Rest): SlotMoney => {
    const { lost, ...money } = moneyOfBills(rest)
    const until = paidUntil(rest, slot, known)
    const change = unpaidChange(bills, rest, isOther, until)
    return definedOf<SlotMoney>({
      ...money,
      lost_at: lost,
      unpaid_since: unpaidSince(bills, slot, rest, known, until),
      paid_as: paidFor(bills, slot, rest, known, { change, until })
    })
  }
  return new Map([...rests].map(([slot, rest]) => [slot, moneyOf(slot, rest)]))
}

const amountsOf = (bills: ReadonlyArray<Bill>): PurchaseState["refunded"] => {
  const amounts = bills.flatMap(({ back }) => back.amount ?? [])
  return amounts.length === 0
    ? undefined
    : { value: amounts.reduce((total, { value }) => total + value, 0), currency: amounts[0]!.currency }
}

/** The money of a purchase as a whole, where its slots rest on these. */
const moneyOfAll = (bills: ReadonlyArray<Bill>, rests: ReadonlyArray<Pick<Rest, "bills" | "through">>): Money => {
  const each = rests.map(moneyOfBills)
  const full = each.every(({ refund }) => refund === "full")
  const some = each.filter(({ refund }) => refund !== "none")
  const isLost = each.every(({ lost }) => lost !== undefined)
  const open = earliest(bills.map((bill) => bill.open))
  // The amount of a bill is known once it is paid.
  const paid = bills.filter(({ isAside }) => !isAside).toSorted((a, b) => byText(a.since, b.since))
  return {
    paid_through: latest(each.map(({ paid_through }) => paid_through)),
    refund: full ? "full" : some.length > 0 ? "partial" : "none",
    refunded_at: earliest(some.map(({ refunded_at }) => refunded_at)),
    dispute: isLost ? "lost" : open !== undefined ? "open" : "none",
    disputed_at: isLost ? earliest(each.map(({ lost }) => lost)) : open,
    paid: paid.flatMap(({ amount }) => amount ?? []).at(-1),
    refunded: amountsOf([...new Set(rests.flatMap((rest) => rest.bills))])
  }
}

/** What is known of a subscription beside its bills. */
interface SubscriptionMoney {
  readonly slots: ReadonlyArray<Slot>
  readonly held: ReadonlyArray<Slot>
  readonly dueness: Dueness
  readonly since: SlotsSince
}

/** What each slot that is held rests on. */
type Rests = ReadonlyMap<Slot, Rest>

/** What is known of a subscription beside its bills and slots. */
type Known = Omit<SubscriptionMoney, "slots">

const restsOf = (bills: ReadonlyArray<Bill>, { held, since }: Known): Rests =>
  new Map(held.map((slot) => [slot, restOf(bills, slot, held, since)]))

/**
 * The money of what is paid once, or of what is not known to be paid: money that comes back is that of the purchase then.
 */
const moneyOfWhole = (bills: ReadonlyArray<Bill>): Money =>
  moneyOfAll(bills, [{ bills, through: restOf(bills).through }])

/** The money of an order. */
export const moneyOfOrder = (facts: MoneyFacts): Money => moneyOfWhole(billsOf(facts))

/**
 * The money of a subscription: until when it is paid, and what of the bills that it rests on was given back or is disputed. What was
 * given back of an earlier period ends nothing; the end of one dispute does not end another. Each slot that is held has its own.
 */
export const moneyOfSubscription = (
  facts: MoneyFacts,
  { slots, ...of }: SubscriptionMoney
): Money & Pick<PurchaseState, "slots" | "unpaid_since"> => {
  const bills = billsOf(facts)
  const rests = restsOf(bills, of)
  const moneys = moneyOfSlots(bills, rests, of)
  const unpaid = of.held.filter((slot) => moneys.get(slot)!.paid_as === null)
  const left = slots.filter(({ dropped_at }) => unpaid.some((slot) => beganAt(slot) === dropped_at))
  if (left.length === 0) return moneyOfHeld(bills, rests, moneys, { slots, ...of })
  // What came in the place of these is not paid for, so they are not gone yet.
  const kept = slots.map((slot) => left.includes(slot) ? { ...slot, dropped_at: undefined } : slot)
  const held = heldSlots(kept)
  const others = { ...of, held }
  const restsOfAll = restsOf(bills, others)
  return moneyOfHeld(bills, restsOfAll, moneyOfSlots(bills, restsOfAll, others), { ...others, slots: kept })
}

/** The period after the one that a slot is known to have, where that is paid and no event has announced it. */
const paidPeriod = ({ period_end }: Slot, { begun, through }: Rest): Pick<Slot, "period_start" | "period_end"> =>
  period_end !== undefined && begun !== undefined && through !== undefined && begun >= period_end && through > begun
    ? { period_start: begun, period_end: through }
    : {}

/** The money of a subscription, by what each of its slots rests on that is held, and by the money of each. */
const moneyOfHeld = (
  bills: ReadonlyArray<Bill>,
  rests: Rests,
  moneys: ReadonlyMap<Slot, SlotMoney>,
  { held, slots }: Pick<SubscriptionMoney, "held" | "slots">
): Money & Pick<PurchaseState, "slots" | "unpaid_since"> => {
  const isPaid = bills.some(({ isAside, state }) => state === "paid" && !isAside)
  const money = isPaid
    ? moneyOfAll(bills, held.length === 0 ? [restOf(bills)] : [...rests.values()])
    : moneyOfWhole(bills)
  const each = slots.map((slot) => {
    const rest = rests.get(slot)
    return rest === undefined
      ? slot
      : { ...slot, ...paidPeriod(slot, rest), money: moneys.get(slot)! }
  })
  return {
    ...money,
    slots: isPaid ? each : each.map(({ money: own, ...slot }) => own === undefined ? slot : withoutBack(slot, own)),
    unpaid_since: earliest(each.map((slot) => slot.money?.unpaid_since))
  }
}

/** A slot of what is not known to be paid: money that comes back is that of the purchase. */
const withoutBack = (slot: Slot, { paid_as, unpaid_since }: SlotMoney): Slot => ({
  ...slot,
  ...(paid_as === undefined && unpaid_since === undefined
    ? {}
    : { money: definedOf<SlotMoney>({ paid_as, unpaid_since }) })
})
