import type { Amount, DisputeFact, Link, ObjectName, OrderFact, PaymentFact, RefundFact } from "../providers/Fact.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { DatedFact } from "./FactOrder.ts"
import type { PurchaseState } from "./PurchaseState.ts"

/** What is known of the money of a purchase. */
export interface MoneyFacts {
  readonly payments: ReadonlyArray<DatedFact<PaymentFact>>
  readonly orders: ReadonlyArray<DatedFact<OrderFact>>
  readonly refunds: ReadonlyArray<DatedFact<RefundFact>>
  readonly disputes: ReadonlyArray<DatedFact<DisputeFact>>
  readonly links: ReadonlyArray<Link>
}

type Money = Pick<
  PurchaseState,
  "paid_through" | "refund" | "refunded_at" | "dispute" | "disputed_at" | "paid" | "refunded"
>

/** Objects that an object stands for, itself first: a charge its payment, a payment its invoice. */
const upwards = (name: ObjectName, links: ReadonlyArray<Link>): ReadonlySet<ObjectName> => {
  const found = new Set([name])
  for (const next of found) for (const { about, to } of links) if (about === next) found.add(to)
  return found
}

const byText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

const earliest = (times: ReadonlyArray<SourceTime>): SourceTime | undefined => times.toSorted()[0]

/** What is known to be given back of one payment. */
interface GivenBack {
  readonly extent: "none" | "partial" | "full"
  readonly at: SourceTime | undefined
  readonly amount: Amount | undefined
}

/** The last state of each refund, and when it was first in it. */
const lastStates = (refunds: ReadonlyArray<DatedFact<RefundFact>>) => {
  const rank = { pending: 0, succeeded: 1, failed: 2 }
  return [...Map.groupBy(refunds, ({ fact }) => fact.refund)].map(([, dated]) => {
    const sorted = dated.toSorted((a, b) => byText(a.at, b.at) || rank[a.fact.state] - rank[b.fact.state])
    const last = sorted.at(-1)!.fact
    return { fact: last, at: sorted.find(({ fact }) => fact.state === last.state)!.at }
  })
}

const sum = (refunds: ReadonlyArray<{ readonly fact: RefundFact }>): number =>
  refunds.reduce((total, { fact }) => total + (fact.amount?.value ?? 0), 0)

/**
 * How much of a payment was given back. Totals are cumulative and each refund is counted once; what failed is not given
 * back, and a total from before does not know it.
 */
const givenBack = (refunds: ReadonlyArray<DatedFact<RefundFact>>, paid: number | undefined): GivenBack => {
  const totals = refunds.filter(({ fact }) => fact.refund === undefined)
  const single = lastStates(refunds.filter(({ fact }) => fact.refund !== undefined))
  const succeeded = single.filter(({ fact }) => fact.state === "succeeded")
  const failed = sum(single.filter(({ fact }) => fact.state === "failed"))
  const total = totals.reduce((most, { fact }) => Math.max(most, fact.amount?.value ?? 0), 0)
  const value = Math.max(sum(succeeded), total - failed)
  const all = refunds.map(({ fact }) => fact.paid).find((known) => known !== undefined) ?? paid
  const isAll = (amount: number) => all !== undefined && amount > 0 && amount >= all
  const full = isAll(value) || succeeded.some(({ fact }) => fact.full === true) ||
    (failed === 0 && totals.some(({ fact }) => fact.full === true))
  const currency = refunds.map(({ fact }) => fact.amount?.currency).find((known) => known !== undefined)
  const any = value > 0 || (failed === 0 && totals.length > 0) || succeeded.length > 0
  const lastSucceeded = succeeded.map(({ at }) => at).toSorted().at(-1)
  const firstFull = earliest(
    totals.filter(({ fact }) => fact.full === true || isAll(fact.amount?.value ?? 0)).map(({ at }) => at)
  )
  const isBySingle = isAll(sum(succeeded)) || succeeded.some(({ fact }) => fact.full === true)
  const fullAt = [failed === 0 ? firstFull : undefined, isBySingle ? lastSucceeded : undefined]
    .filter((time) => time !== undefined)
  return {
    extent: full ? "full" : any ? "partial" : "none",
    at: full ? earliest(fullAt) ?? firstFull : earliest([...totals, ...succeeded].map(({ at }) => at)),
    amount: any ? { value, currency } : undefined
  }
}

/** A payment by which a purchase runs, and until when. */
interface Paid {
  readonly about: ObjectName
  readonly at: SourceTime
  readonly through: SourceTime | undefined
  readonly amount: Amount | undefined
}

const paidBy = ({ orders, payments }: MoneyFacts): ReadonlyArray<Paid> => [
  ...payments.filter(({ fact }) => fact.state === "paid" && fact.aside !== true)
    .map(({ at, fact }) => ({ about: fact.about, at, through: fact.paid_through, amount: fact.amount })),
  ...orders.filter(({ fact }) => fact.state === "paid")
    .map(({ at, fact }) => ({ about: fact.about, at, through: undefined, amount: fact.amount }))
]

/**
 * The payments that the purchase rests on: those that reach furthest, or the last one where none says how far. What is told
 * again of a payment makes it no later one.
 */
const current = (paid: ReadonlyArray<Paid>): ReadonlyArray<Paid> => {
  const through = paid.flatMap((payment) => payment.through ?? []).toSorted().at(-1)
  if (through !== undefined) return paid.filter((payment) => payment.through === through)
  const firsts = new Map(
    [...Map.groupBy(paid, ({ about }) => about)].map(([about, told]) => [about, earliest(told.map(({ at }) => at))])
  )
  const last = [...firsts.values()].toSorted().at(-1)
  return paid.filter(({ about }) => firsts.get(about) === last)
}

const disputeRank = { warning: 0, open: 1, won: 2, lost: 3 }

/** The disputes as they stand, each with the instant since when it does. */
const standing = (disputes: ReadonlyArray<DatedFact<DisputeFact>>) =>
  [...Map.groupBy(disputes, ({ fact }) => fact.dispute).values()].map((dated) => {
    const sorted = dated.toSorted((a, b) => byText(a.at, b.at) || disputeRank[a.fact.state] - disputeRank[b.fact.state])
    const last = sorted.at(-1)!.fact
    return { fact: last, at: sorted.find(({ fact }) => fact.state === last.state)!.at }
  })

/**
 * The money of a purchase: until when it is paid, and what of the payment that it rests on was given back or is disputed.
 * What was given back of an earlier period ends nothing; the end of one dispute does not end another.
 */
export const moneyOf = (facts: MoneyFacts, isOrder: boolean): Money => {
  const paid = paidBy(facts)
  const resting = isOrder ? paid : current(paid)
  const { links } = facts
  const concernsNow = (name: ObjectName): boolean => {
    if (paid.length === 0 || isOrder) return true
    const up = upwards(name, links)
    return resting.some(({ about }) => up.has(about) || upwards(about, links).has(name))
  }
  // A charge and its payment are one: what both say is counted together.
  const rootOf = (name: ObjectName): ObjectName =>
    [...upwards(name, links)].find((other) => other.startsWith("payment/")) ?? name
  const byPayment = [...Map.groupBy(facts.refunds, ({ fact }) => rootOf(fact.about))]
    .filter(([name]) => concernsNow(name))
    .map(([name, refunds]) => {
      const up = upwards(name, links)
      return givenBack(refunds, paid.find(({ about }) => up.has(about))?.amount?.value)
    })
  const full = byPayment.filter(({ extent }) => extent === "full")
  const partial = byPayment.filter(({ extent }) => extent === "partial")
  const refunds = full.length > 0 ? full : partial
  const disputes = standing(facts.disputes)
  const lost = disputes.filter(({ fact }) => fact.state === "lost" && concernsNow(fact.about))
  const open = disputes.filter(({ fact }) => fact.state === "open")
  const worst = lost.length > 0 ? lost : open
  const amounts = byPayment.flatMap(({ amount }) => amount ?? [])
  return {
    paid_through: paid.flatMap(({ through }) => through ?? []).toSorted().at(-1),
    refund: full.length > 0 ? "full" : partial.length > 0 ? "partial" : "none",
    refunded_at: earliest(refunds.flatMap(({ at }) => at ?? [])),
    dispute: lost.length > 0 ? "lost" : open.length > 0 ? "open" : "none",
    disputed_at: earliest(worst.map(({ at }) => at)),
    paid: paid.toSorted((a, b) => byText(a.at, b.at) || byText(a.about, b.about))
      .flatMap(({ amount }) => amount ?? []).at(-1),
    refunded: amounts.length === 0
      ? undefined
      : { value: amounts.reduce((total, { value }) => total + value, 0), currency: amounts[0]!.currency }
  }
}
