import type { SubscriptionFact } from "../providers/Fact.ts"
import { subscriptionStates } from "../providers/Fact.ts"
import type { SourceTime } from "../providers/SourceTime.ts"

/** A fact, and the event that tells it. */
export interface DatedFact<Fact> {
  readonly fact: Fact
  readonly at: SourceTime
  readonly event_id: string
}

/** The facts in order, and whether it is left open which of them is the last. */
export interface Ordered {
  readonly facts: ReadonlyArray<DatedFact<SubscriptionFact>>
  readonly ambiguous: boolean
}

const compare = (a: string | number, b: string | number): number => a < b ? -1 : a > b ? 1 : 0

/** By instant, and those of one instant by the ids of their events. */
export const byInstant = (a: DatedFact<unknown>, b: DatedFact<unknown>): number =>
  compare(a.at, b.at) || compare(a.event_id, b.event_id)

const rankOfState = ({ state }: SubscriptionFact): number =>
  state === undefined ? -1 : subscriptionStates.indexOf(state)

const byRank = (a: SubscriptionFact, b: SubscriptionFact): number =>
  compare(a.rank, b.rank) || compare(rankOfState(a), rankOfState(b))

/** Whether members that had these values before are those of an object: objects in part, anything else as a whole. */
const fits = (previous: unknown, object: unknown): boolean => {
  if (Array.isArray(previous)) {
    return Array.isArray(object) && previous.length === object.length &&
      previous.every((member, index) => fits(member, object[index]))
  }
  if (typeof previous !== "object" || previous === null) return (previous ?? undefined) === (object ?? undefined)
  return typeof object === "object" && object !== null &&
    Object.entries(previous).every(([name, value]) => fits(value, (object as Readonly<Record<string, unknown>>)[name]))
}

/** Whether one fact may come right after another, as far as the values before it tell. */
const mayFollow = (before: SubscriptionFact | undefined, { chain, rank }: SubscriptionFact): boolean =>
  before === undefined
    ? true
    : before.rank <= rank &&
      (chain?.previous === undefined || before.chain === undefined || fits(chain.previous, before.chain.object))

/** More facts of one instant are not chained: the ways to order them would be too many. */
const mostChained = 6

/** The orders of some facts in which each may follow the one before, at most two, which is enough to tell whether it is one. */
const chains = (
  before: SubscriptionFact | undefined,
  facts: ReadonlyArray<DatedFact<SubscriptionFact>>
): ReadonlyArray<ReadonlyArray<DatedFact<SubscriptionFact>>> => {
  if (facts.length === 0) return [[]]
  const found: Array<ReadonlyArray<DatedFact<SubscriptionFact>>> = []
  for (const next of facts) {
    if (found.length > 1) break
    if (!mayFollow(before, next.fact)) continue
    const rest = facts.filter((other) => other !== next)
    for (const chain of chains(next.fact, rest)) found.push([next].concat(chain))
  }
  return found
}

/** What a fact says, as a text. */
const said = (fact: SubscriptionFact): string =>
  JSON.stringify({ ...fact, chain: undefined, rank: undefined, reopens: undefined })

/** The facts of one instant in order: as their values before chain them, else by rank. */
const orderOfInstant = (
  before: SubscriptionFact | undefined,
  facts: ReadonlyArray<DatedFact<SubscriptionFact>>
): Ordered => {
  const ranked = facts.toSorted((a, b) => byRank(a.fact, b.fact) || compare(a.event_id, b.event_id))
  const isChained = ranked.some(({ fact }) => fact.chain?.previous !== undefined)
  const found = isChained && ranked.length <= mostChained ? chains(before, ranked) : []
  if (found.length === 1) return { facts: found[0]!, ambiguous: false }
  const last = ranked.at(-1)!
  // Those of the same rank are told apart by nothing but the ids of their events.
  const ambiguous = ranked.some(({ fact }) => byRank(fact, last.fact) === 0 && said(fact) !== said(last.fact))
  return { facts: found[0] ?? ranked, ambiguous }
}

/**
 * The states of a subscription in the order in which they held, whatever the order in which they arrived: by the version of
 * the object where it has one, else by instant. Of one instant, a state follows the one that its values before are those of,
 * which also tells 5, 8 and 3 seats apart; where that tells nothing, the type and the status do; and where they are alike
 * the ids of the events decide, and the order is ambiguous.
 */
export const inOrder = (facts: ReadonlyArray<DatedFact<SubscriptionFact>>): Ordered => {
  const hasVersions = facts.every(({ fact }) => fact.version !== undefined)
  const keyOf = ({ at, fact }: DatedFact<SubscriptionFact>) => hasVersions ? fact.version! : at
  const groups = [...Map.groupBy(facts, keyOf)].toSorted(([a], [b]) => compare(a, b))
  const sorted: Array<DatedFact<SubscriptionFact>> = []
  let ambiguous = false
  for (const [, group] of groups) {
    const order = group.length === 1 ? { facts: group, ambiguous: false } : orderOfInstant(sorted.at(-1)?.fact, group)
    for (const dated of order.facts) sorted.push(dated)
    ambiguous = order.ambiguous
  }
  return { facts: sorted, ambiguous }
}
