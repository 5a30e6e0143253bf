import type { Amount, BilledLine, DisputeFact, Link, ObjectName, OrderFact } from "../providers/Fact.ts"
import type { PaymentFact, RefundFact } from "../providers/Fact.ts"
import { byText, earliest, latest, minuteAfter } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { DatedFact } from "./FactOrder.ts"
import { givenBackOf, standingDisputes, sumOfGivenBack } from "./GivenBack.ts"
import type { GivenBack } from "./GivenBack.ts"
import type { Slot, SlotMoney } from "./PurchaseState.ts"
import { beganAt, slotAt, slotUntil } from "./Slots.ts"
import type { SlotsSince } from "./Slots.ts"

/** What is known of the money of a purchase. */
export interface MoneyFacts {
  readonly payments: ReadonlyArray<DatedFact<PaymentFact>>
  readonly orders: ReadonlyArray<DatedFact<OrderFact>>
  readonly refunds: ReadonlyArray<DatedFact<RefundFact>>
  readonly disputes: ReadonlyArray<DatedFact<DisputeFact>>
  readonly links: ReadonlyArray<Link>
}

/** What is asked for at once, whatever number of payments settle it, with all that became of it. */
export interface Bill {
  readonly about: ObjectName
  /** When it was first told of as it stands: paid once it was, else failed. */
  readonly since: SourceTime
  /** When it was first told of at all, be that as a debt. */
  readonly asked: SourceTime
  /** `closed` is a debt that the vendor has given up: voided or uncollectible. */
  readonly state: "paid" | "failed" | "closed"
  /** Whether it is for something beside a period, such as an upgrade: money back for it ends nothing. */
  readonly isAside: boolean
  readonly lines: ReadonlyArray<BilledLine>
  readonly amount: Amount | undefined
  readonly back: GivenBack
  readonly lost: SourceTime | undefined
  readonly open: SourceTime | undefined
}

/** Objects that an object stands for, itself first: a charge its payment, a payment its invoice. */
const upwards = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ReadonlySet<ObjectName> => {
  const found = new Set([name])
  for (const next of found) for (const { to } of links.get(next) ?? []) found.add(to)
  return found
}

/** Whether an object has bills of its own beside it. An order is its one bill, whatever tells of it. */
const isPurchase = (name: ObjectName): boolean => name.startsWith("subscription/")

/** The bill of an object: the furthest that it stands for and that is no purchase. */
const billOf = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ObjectName => {
  // Most objects lead to their purchase at once.
  if ((links.get(name) ?? []).every(({ to }) => isPurchase(to))) return name
  const up = [...upwards(name, links)].filter((other) => other === name || !isPurchase(other))
  const ends = up.filter((other) => (links.get(other) ?? []).every(({ to }) => isPurchase(to)))
  return ends.toSorted()[0] ?? name
}

/** A charge and its payment are one: what both say is counted together. */
const paymentOf = (name: ObjectName, links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>): ObjectName =>
  [...upwards(name, links)].find((other) => other.startsWith("payment/")) ?? name

/** The lines of what was told of a bill: of facts that were kept without lines, the period that they name. */
const linesOf = (told: ReadonlyArray<PaymentFact>): ReadonlyArray<BilledLine> => {
  const lines = told.findLast((fact) => fact.lines !== undefined)?.lines
  if (lines !== undefined) return lines
  return told.flatMap(({ paid_through, period_start }) =>
    paid_through === undefined && period_start === undefined ? [] : [{ start: period_start, end: paid_through }]
  )
}

/** The bill by all that is told of it, with so many payments `known` to settle it; undefined while that is not whether it was paid. */
const billBy = (
  about: ObjectName,
  { disputes, known, orders, payments, refunds }: Omit<MoneyFacts, "links"> & { readonly known: number },
  links: ReadonlyMap<ObjectName, ReadonlyArray<Link>>
): Bill | undefined => {
  const paid = payments.filter(({ fact }) => fact.state === "paid")
  const sold = orders.filter(({ fact }) => fact.state === "paid")
  const failed = payments.filter(({ fact }) => fact.state === "failed")
  const settling = [...paid, ...sold]
  const telling = paid.length > 0 ? paid : failed
  const isClosed = payments.length > failed.length
  const state = settling.length > 0 ? "paid" : isClosed ? "closed" : failed.length > 0 ? "failed" : undefined
  const amount = settling.flatMap(({ fact }) => fact.amount ?? []).at(-1)
  const whole = amount?.value
  const ofPayments = Map.groupBy(refunds, ({ fact }) => paymentOf(fact.about, links))
  const own = refunds.some(({ fact }) => billOf(fact.about, links) === fact.about) || ofPayments.has(about)
  const groups = [...ofPayments.values()].map((some) => givenBackOf(some, whole))
  const given = own
    ? groups.find(({ extent }) => extent === "full") ?? groups.find(({ extent }) => extent === "partial") ??
      sumOfGivenBack([], { demanded: whole, payments: 0 })
    : sumOfGivenBack(groups, { demanded: whole, payments: known })
  const standing = standingDisputes(disputes)
  const isOfAll = ({ amount: disputed }: DisputeFact) =>
    disputed === undefined || whole === undefined || disputed.value >= whole
  const lost = standing.filter(({ fact }) => fact.state === "lost")
  // A part that was lost in a dispute is a part that was given back.
  const parts = lost.filter(({ fact }) => !isOfAll(fact)).map(({ at, fact }): GivenBack => ({
    extent: "partial",
    at,
    amount: fact.amount
  }))
  const since = earliest((settling.length > 0 ? settling : payments).map(({ at }) => at))
  if (state === undefined && refunds.length + disputes.length === 0) return undefined
  return {
    about,
    since: since ?? "",
    asked: earliest(payments.map(({ at }) => at)) ?? since ?? "",
    state: state ?? "closed",
    isAside: payments.length > 0 && telling.every(({ fact }) => fact.aside === true) && sold.length === 0,
    lines: linesOf(telling.map(({ fact }) => fact)),
    amount,
    back: parts.length === 0 ? given : sumOfGivenBack([given, ...parts], { demanded: whole, payments: 1 }),
    lost: earliest(lost.filter(({ fact }) => isOfAll(fact)).map(({ at }) => at)),
    // Whatever it is about: until it is decided, nobody knows what stays paid.
    open: earliest(standing.filter(({ fact }) => fact.state === "open").map(({ at }) => at))
  }
}

/** The bills of a purchase, each once, whatever number of objects tell of it. */
export const billsOf = ({ links, ...facts }: MoneyFacts): ReadonlyArray<Bill> => {
  const byAbout = Map.groupBy(links, ({ about }) => about)
  const name = ({ fact }: DatedFact<{ readonly about: ObjectName }>) => billOf(fact.about, byAbout)
  const [payments, orders, refunds, disputes] = [
    Map.groupBy(facts.payments, name),
    Map.groupBy(facts.orders, name),
    Map.groupBy(facts.refunds, name),
    Map.groupBy(facts.disputes, name)
  ]
  const known = Map.groupBy(
    [...byAbout.keys()].filter((one) => one.startsWith("payment/")),
    (one) => billOf(one, byAbout)
  )
  const names = new Set([...payments.keys(), ...orders.keys(), ...refunds.keys(), ...disputes.keys()])
  return [...names].toSorted().flatMap((about) =>
    billBy(about, {
      payments: payments.get(about) ?? [],
      orders: orders.get(about) ?? [],
      refunds: refunds.get(about) ?? [],
      disputes: disputes.get(about) ?? [],
      known: known.get(about)?.length ?? 0
    }, byAbout) ?? []
  )
}

/** A line of a bill that asks for a period. */
export interface PeriodLine {
  readonly bill: Bill
  readonly line: BilledLine
  /** Where it starts; where that was not told, when its bill was. */
  readonly start: SourceTime
}

/** The lines of bills that are for a period. */
export const periodLines = (bills: ReadonlyArray<Bill>): ReadonlyArray<PeriodLine> =>
  bills.flatMap((bill) =>
    bill.lines.flatMap((line) =>
      line.proration === true || (line.start ?? line.end) === undefined
        ? []
        : [{ bill, line, start: line.start ?? bill.since }]
    )
  )

/** Whether a line is for what a slot is sold as by now; one that names nothing is for all that is sold. */
export const isForSlot = ({ item, price }: BilledLine, slot: Pick<Slot, "id" | "price">): boolean =>
  price === undefined ? item === undefined || item === slot.id : price === slot.price

/** Whether a line of a bill is for a slot: by its item, else by its price, as these are now or were when the bill was told of. */
const isLineOf = (slot: Slot, since: SlotsSince) => ({ bill, line: { item, price } }: OfBill): boolean => {
  const states = [slot, slotAt(since, bill.since, slot)].filter((state) => state !== undefined)
  return item !== undefined && states.some(({ id }) => id !== undefined)
    ? states.some(({ id }) => id === item)
    : price !== undefined && states.some((state) => state.price === price)
}

/** A line, and the bill that it is of. */
type OfBill = Omit<PeriodLine, "start">

/** What a slot is sold as by what was paid for last; null where it is part of no bill that was paid, undefined where no bill tells. */
export const paidAs = (
  bills: ReadonlyArray<Bill>,
  slot: Slot,
  held: ReadonlyArray<Slot>,
  since: SlotsSince
): SlotMoney["paid_as"] => {
  const settled = bills.filter(({ state }) => state === "paid").toSorted((a, b) => byText(a.since, b.since))
  const lines = settled.flatMap((bill): ReadonlyArray<OfBill> => bill.lines.map((line) => ({ bill, line })))
    .filter(({ line }) => (line.price ?? line.quantity) !== undefined)
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
}

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

/** The lines that pay for periods, of those that a slot may rest on: for its own price where they reach its period, else for any. */
const linesFor = (
  lines: ReadonlyArray<PeriodLine>,
  slot: Slot | undefined,
  held: ReadonlyArray<Slot>,
  since: SlotsSince
): ReadonlyArray<PeriodLine> => {
  const regular = lines.filter((one) => !one.bill.isAside)
  if (slot === undefined) return regular
  const ends = new Set(regular.map(({ line }) => line.end))
  const begun = lines.filter((one) => one.bill.isAside && !ends.has(one.line.end) && isPeriodOf(slot, since, one))
  const all = regular.concat(begun)
  // Another item may have had this price before.
  const isOfItem = ({ item }: BilledLine) =>
    item === undefined || item === slot.id || !held.some((other) => other.id === item)
  const own = all.filter(({ line }) =>
    isForSlot(line, slot) && isOfItem(line) &&
    (slot.period_start === undefined || line.end === undefined || line.end > slot.period_start)
  )
  const others = all.filter((one) => !isOfOther(slot, held, one))
  return own.length > 0 ? own : others.length > 0 ? others : all
}

/** Whether a period is the rest of one that began before: what is billed for a change in its middle, without saying so. */
const isRest = (one: PeriodLine, others: ReadonlyArray<PeriodLine>): boolean =>
  others.some((other) => other.line.end === one.line.end && other.start < one.start)

/** The line that a slot was added by in the middle of a period, until the next period is billed. */
const addedBy = (settled: ReadonlyArray<Bill>, slot: Slot, held: ReadonlyArray<Slot>): OfBill | undefined => {
  const began = beganAt(slot)
  if (began === earliest(held.map(beganAt)) || slot.sold_since > began) return undefined
  const later = settled.filter((bill) => bill.since >= began)
  if (periodLines(later).length > 0) return undefined
  return later.toSorted((a, b) => byText(a.since, b.since))
    .flatMap((bill) => bill.lines.map((line) => ({ bill, line })))
    .findLast(({ line }) =>
      line.price !== undefined && isForSlot(line, slot) && line.end !== undefined &&
      (slot.period_end === undefined || line.end <= slot.period_end)
    )
}

/** Whether a slot has another period since a bill was asked for: a change may begin a new one, which its bill pays for without saying so. */
const beginsPeriod = ({ asked: billed }: Bill, slot: Slot, since: SlotsSince): boolean => {
  const told = since.filter(({ at }) => at <= minuteAfter(billed))
  const after = slotAt(told, minuteAfter(billed), slot)
  const before = slotUntil(since, billed, slot)
  return before !== undefined && after?.period_end !== before.period_end
}

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
  const added = slot === undefined ? undefined : addedBy(settled, slot, held)
  if (added !== undefined) return { bills: [added.bill], begun: added.line.start, through: added.line.end }
  const lines = linesFor(periodLines(settled), slot, held, since).filter(({ line }) => line.end !== undefined)
  const begun = lines.filter((one) => !isRest(one, lines))
  if (begun.length > 0) {
    const start = latest(begun.map((one) => one.start))
    const last = begun.filter((one) => one.start === start)
    const through = latest(last.map(({ line }) => line.end!))
    const paidFor = last.filter(({ line }) => line.end === through)
    // A later period whose bill the vendor gave up is not owed: no money is behind it that could come back.
    const closed = bills.filter(({ state }) => state === "closed")
    const givenUp = linesFor(periodLines(closed), slot, held, since).filter((one) => one.start > start!)
    const resting = (givenUp.length > 0 ? givenUp : paidFor).map(({ bill }) => bill)
    return { bills: [...new Set(resting)], begun: start, through }
  }
  const regular = settled.filter((bill) => !bill.isAside || (slot !== undefined && beginsPeriod(bill, slot, since)))
  const last = latest(regular.map((bill) => bill.since))
  return { bills: regular.filter((bill) => bill.since === last), begun: undefined, through: undefined }
}
