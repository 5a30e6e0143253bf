import type { Amount, DisputeFact, RefundFact } from "../providers/Fact.ts"
import { byText, earliest, latest } from "../providers/SourceTime.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { DatedFact } from "./FactOrder.ts"

/** What is known to be given back of one bill. */
export interface GivenBack {
  readonly extent: "none" | "partial" | "full"
  readonly at: SourceTime | undefined
  readonly amount: Amount | undefined
}

/** A dispute as it stands, and the instant since when it does. */
interface StandingDispute {
  readonly fact: DisputeFact
  readonly at: SourceTime
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
 * How much of a payment was given back. Totals are cumulative and each refund is counted once; what failed, or is only asked for, is not given
 * back, though a total may count it.
 */
export const givenBackOf = (refunds: ReadonlyArray<DatedFact<RefundFact>>, paid: number | undefined): GivenBack => {
  const totals = refunds.filter(({ fact }) => fact.refund === undefined)
  const single = lastStates(refunds.filter(({ fact }) => fact.refund !== undefined))
  const succeeded = single.filter(({ fact }) => fact.state === "succeeded")
  const kept = single.filter(({ fact }) => fact.state !== "succeeded")
  const total = totals.reduce((most, { fact }) => Math.max(most, fact.amount?.value ?? 0), 0)
  const value = Math.max(sum(succeeded), total - sum(kept))
  const all = refunds.map(({ fact }) => fact.paid).find((known) => known !== undefined) ?? paid
  const isAll = (amount: number) => all !== undefined && amount > 0 && amount >= all
  const full = isAll(value) || succeeded.some(({ fact }) => fact.full === true) ||
    (kept.length === 0 && totals.some(({ fact }) => fact.full === true))
  const currency = refunds.map(({ fact }) => fact.amount?.currency).find((known) => known !== undefined)
  const any = value > 0 || (kept.length === 0 && totals.length > 0) || succeeded.length > 0
  const lastSucceeded = latest(succeeded.map(({ at }) => at))
  const firstFull = earliest(
    totals.filter(({ fact }) => fact.full === true || isAll(fact.amount?.value ?? 0)).map(({ at }) => at)
  )
  const isBySingle = isAll(sum(succeeded)) || succeeded.some(({ fact }) => fact.full === true)
  const fullAt = [kept.length === 0 ? firstFull : undefined, isBySingle ? lastSucceeded : undefined]
  return {
    extent: full ? "full" : any ? "partial" : "none",
    at: full ? earliest(fullAt) ?? firstFull : earliest([...totals, ...succeeded].map(({ at }) => at)),
    amount: any ? { value, currency } : undefined
  }
}

/**
 * What is given back of a bill by what is given back of the payments that settled it: all of it once the sum is all that was
 * paid, for one bill may be paid by several. Where nothing says how much that was, each payment has to be given back.
 */
export const sumOfGivenBack = (
  back: ReadonlyArray<GivenBack>,
  { demanded, payments }: { readonly demanded: number | undefined; readonly payments: number }
): GivenBack => {
  const given = back.filter(({ extent }) => extent !== "none")
  const value = given.reduce((total, { amount }) => total + (amount?.value ?? 0), 0)
  const isFull = demanded === undefined
    ? given.length >= payments && given.every(({ extent }) => extent === "full")
    : value >= demanded
  const currency = given.map(({ amount }) => amount?.currency).find((known) => known !== undefined)
  if (given.length === 0) return { extent: "none", at: undefined, amount: undefined }
  return {
    extent: isFull ? "full" : "partial",
    at: isFull ? latest(given.map(({ at }) => at)) : earliest(given.map(({ at }) => at)),
    amount: { value, currency }
  }
}

const disputeRank = { warning: 0, open: 1, won: 2, lost: 3 }

/** The disputes as they stand. */
export const standingDisputes = (disputes: ReadonlyArray<DatedFact<DisputeFact>>): ReadonlyArray<StandingDispute> =>
  [...Map.groupBy(disputes, ({ fact }) => fact.dispute).values()].map((dated) => {
    const sorted = dated.toSorted((a, b) => byText(a.at, b.at) || disputeRank[a.fact.state] - disputeRank[b.fact.state])
    const last = sorted.at(-1)!.fact
    return { fact: last, at: sorted.find(({ fact }) => fact.state === last.state)!.at }
  })
