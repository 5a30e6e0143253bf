import type { Amount, BilledLine, DisputeFact, Link, ObjectName, OrderFact } from "../providers/Fact.ts"
import type { PaymentFact, RefundFact } from "../providers/Fact.ts"
import { byText, earliest } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { DatedFact } from "./FactOrder.ts"
import { givenBackOf, standingDisputes, sumOfGivenBack } from "./GivenBack.ts"
import type { GivenBack } from "./GivenBack.ts"
import type { Slot, SlotMoney } from "./PurchaseState.ts"

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

/** The bill by all that is told of it; undefined while that is not whether it was paid. */
const billBy = (
  about: ObjectName,
  { disputes, known, orders, payments, refunds }: Omit<MoneyFacts, "links"> & {
    /** How many payments are known to settle it. */
    readonly known: number
  },
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

/** The slots that are held from each instant on at which something was told of them. */
export type SlotsSince = ReadonlyArray<{ readonly at: SourceTime; readonly slots: ReadonlyArray<Slot> }>

/** A slot as it was at an instant, by what was told until then; before anything was, by the first. Undefined where it was not sold then. */
export const slotAt = (since: SlotsSince, time: SourceTime, { slot }: Slot): Slot | undefined =>
  (since.findLast(({ at }) => at <= time) ?? since[0])?.slots.find((other) => other.slot === slot)

/**
 * The slots as they were before the change that a bill asks for: before those were told of that are as its lines ask for. Undefined where
 * that is not known.
 */
export const slotsBefore = (since: SlotsSince, { lines, since: billed }: Bill): ReadonlyArray<Slot> | undefined => {
  const until = since.filter(({ at }) => at <= billed)
  const last = until.at(-1)
  if (last === undefined) return undefined
  const asked = lines.filter(({ price, quantity }) => price !== undefined && quantity !== undefined)
  const isAsked = (slots: ReadonlyArray<Slot>) =>
    asked.length === 0
      ? slots.every((slot) => last.slots.some((other) => isSameSold(slot, other))) && slots.length === last.slots.length
      : asked.every((line) => slots.some(({ price, quantity }) => price === line.price && quantity === line.quantity))
  return until.findLast(({ slots }) => !isAsked(slots))?.slots
}

const isSameSold = (one: Slot, other: Slot): boolean =>
  one.slot === other.slot && one.price === other.price && one.quantity === other.quantity

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
  const isOfNone = (of: Slot) => !lines.some(isLineOf(of, since))
  // What it was before is not known, where the event that began it is not: a line of no other slot was then for the one without any.
  const line = (lines.findLast(isLineOf(slot, since)) ??
    (held.filter(isOfNone).length > 1
      ? undefined
      : lines.findLast((one) => !held.some((other) => other !== slot && isLineOf(other, since)(one)))))?.line
  if (line === undefined) return null
  const { price = slot.price, quantity } = line
  if (quantity === undefined) return undefined
  return price === slot.price
    ? { price, product: slot.product, variant: slot.variant, quantity }
    : { price, product: line.product, quantity }
}
