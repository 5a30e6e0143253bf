import { isOfPeriod } from "../providers/Fact.ts"
import type { Amount, BilledLine, DisputeFact, Link, ObjectName, OrderFact } from "../providers/Fact.ts"
import type { PaymentFact, RefundFact } from "../providers/Fact.ts"
import { billOf, paymentOf } from "../providers/ProviderEvent.ts"
import { earliest, latest } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { DatedFact } from "./FactOrder.ts"
import { givenBackOf, standingDisputes, sumOfGivenBack } from "./GivenBack.ts"
import type { GivenBack } from "./GivenBack.ts"
import type { Slot } from "./PurchaseState.ts"

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
  /** Whether nothing says what it was for: neither a period, nor something beside one. */
  readonly isUnsaid: boolean
  readonly lines: ReadonlyArray<BilledLine>
  readonly amount: Amount | undefined
  readonly back: GivenBack
  readonly lost: SourceTime | undefined
  readonly open: SourceTime | undefined
}

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
  // One that was given up may be known by that alone.
  const telling = [paid, failed].find((some) => some.length > 0) ?? payments
  const isClosed = payments.length > failed.length
  const state = settling.length > 0 ? "paid" : isClosed ? "closed" : failed.length > 0 ? "failed" : undefined
  const amount = settling.flatMap(({ fact }) => fact.amount ?? []).at(-1)
  const whole = amount?.value
  const ofPayments = Map.groupBy(refunds, ({ fact }) => paymentOf(fact.about, links))
  const own = ofPayments.has(about)
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
  const lines = linesOf(telling.map(({ fact }) => fact))
  const since = earliest((settling.length > 0 ? settling : payments).map(({ at }) => at))
  if (state === undefined && refunds.length + disputes.length === 0) return undefined
  return {
    about,
    since: since ?? "",
    asked: earliest(payments.map(({ at }) => at)) ?? since ?? "",
    state: state ?? "closed",
    isAside: telling.length > 0 && telling.every(({ fact }) => fact.aside === true) && sold.length === 0,
    isUnsaid: telling.length > 0 && sold.length === 0 && lines.length === 0 &&
      telling.every(({ fact }) => fact.aside === undefined),
    lines,
    amount,
    back: parts.length === 0 ? given : sumOfGivenBack([given, ...parts], { demanded: whole, payments: 1 }),
    lost: earliest(lost.filter(({ fact }) => isOfAll(fact)).map(({ at }) => at)),
    // Whatever it is about: until it is decided, nobody knows what stays paid.
    open: earliest(standing.filter(({ fact }) => fact.state === "open").map(({ at }) => at))
  }
}

/** Bills as one: what is back of it is what is back of all of them. */
export const summed = (bills: ReadonlyArray<Bill>): Bill => {
  const last = bills.at(-1)!
  const amounts = bills.flatMap(({ amount }) => amount ?? [])
  const value = amounts.reduce((total, one) => total + one.value, 0)
  const amount = amounts.length < bills.length ? undefined : { value, currency: amounts[0]!.currency }
  const lost = bills.map((bill) => bill.lost)
  return {
    ...last,
    amount,
    back: sumOfGivenBack(bills.map(({ back }) => back), {
      demanded: value === 0 ? undefined : amount?.value,
      payments: bills.length
    }),
    lost: lost.every((at) => at !== undefined) ? latest(lost) : undefined,
    open: earliest(bills.map(({ open }) => open))
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
      isOfPeriod(line) && (line.start ?? line.end) !== undefined
        ? [{ bill, line, start: line.start ?? bill.since }]
        : []
    )
  )

/** Whether a line is for what a slot is sold as by now; one that names nothing is for all that is sold. */
export const isForSlot = ({ item, price }: BilledLine, slot: Pick<Slot, "id" | "price">): boolean =>
  price === undefined ? item === undefined || item === slot.id : price === slot.price
