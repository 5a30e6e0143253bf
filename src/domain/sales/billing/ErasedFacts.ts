import type { Json } from "../../ground/wire/CanonicalJson.ts"
import type { Fact, Origin, SubscriptionFact } from "../providers/Fact.ts"
import type { PurchaseState } from "../purchases/PurchaseState.ts"

/** Whether an entry of the metadata of a purchase decides what it becomes. */
export type IsMapped = (key: string, value: string) => boolean

/** What a member leaves: itself, nothing, or what is left of it. */
type Left<Value> = "kept" | "erased" | ((value: NonNullable<Value>, isMapped: IsMapped) => Value)

/** What each member of a fact leaves, so that a member that is new has to say it here. */
type Leaves<F> = { readonly [Member in Exclude<keyof F, "kind" | "about">]-?: Left<F[Member]> }

const mapped = (
  metadata: Readonly<Record<string, string>>,
  isMapped: IsMapped
): Readonly<Record<string, string>> | undefined => {
  const entries = Object.entries(metadata).filter(([key, value]) => isMapped(key, value))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const originLeft = ({ metadata, payment_link }: Origin, isMapped: IsMapped): Origin => ({
  payment_link,
  metadata: metadata && mapped(metadata, isMapped)
})

/** Members of a subscription's object that make its state, at any depth. Texts of a person are in none of them. */
const chained = new Set(
  [
    "id object status status_details items data quantity price product plan has_more deleted",
    "current_period_start current_period_end current_trial end_date trial_start trial_end start_date billing_cycle_anchor",
    "cancel_at cancel_at_period_end canceled_at ended_at cancellation_details reason collection_method latest_invoice",
    "pause_collection behavior resumes_at paused transitioned_at type pending_update schedule"
  ].flatMap((line) => line.split(" "))
)

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const chainLeft = (value: Json): Json => {
  if (isList(value)) return value.map(chainLeft)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => chained.has(name) ? [[name, chainLeft(member)]] : [])
  )
}

const objectLeft = <O extends { readonly [name: string]: Json }>(object: O): O => chainLeft(object) as O

const subscription: Leaves<SubscriptionFact> = {
  rank: "kept",
  state: "kept",
  said: "kept",
  items: "kept",
  lacks_items: "kept",
  payer: "erased",
  origin: originLeft,
  began_at: "kept",
  trial_end: "kept",
  cancel_at: "kept",
  canceled_at: "kept",
  ended_at: "kept",
  end_reason: "kept",
  collection_paused: "kept",
  by_invoice: "kept",
  is_due: "kept",
  version: "kept",
  chain: ({ object, previous }) => ({ object: objectLeft(object), previous: previous && objectLeft(previous) }),
  reopens: "kept"
}

/** What each kind of fact leaves of itself; undefined where it is about who pays and nothing else. */
const leaves: { readonly [Kind in Fact["kind"]]: Leaves<Extract<Fact, { readonly kind: Kind }>> | undefined } = {
  link: { to: "kept" },
  subscription,
  origin: { origin: originLeft },
  order: {
    state: "kept",
    said: "kept",
    items: "kept",
    payer: "erased",
    origin: originLeft,
    began_at: "kept",
    amount: "kept"
  },
  payment: {
    state: "kept",
    aside: "kept",
    lines: "kept",
    paid_through: "kept",
    period_start: "kept",
    tries_again: "kept",
    amount: "kept",
    items: "kept",
    payer: "erased"
  },
  refund: { refund: "kept", state: "kept", full: "kept", amount: "kept", paid: "kept" },
  dispute: { dispute: "kept", state: "kept", said: "kept", amount: "kept" },
  customer: undefined,
  note: { note: "kept", detail: "kept" }
}

/** Whether an object of a provider is who pays. Its ID may be an address. */
export const isPayer = (object: string): object is `customer/${string}` => object.startsWith("customer/")

/**
 * What was read of an event, without who somebody is: of each fact what makes a purchase, and of the metadata what a mapping
 * names. Nothing is left of who pays, not even their ID, nor what leads from it. Erased facts stay what they are.
 */
export const erasedFacts = (facts: ReadonlyArray<Fact>, isMapped: IsMapped): ReadonlyArray<Fact> =>
  facts.flatMap((fact) => {
    const members = leaves[fact.kind]
    if (members === undefined || isPayer(fact.about)) return []
    const rules = new Map(Object.entries(members as Readonly<Record<string, Left<unknown>>>))
    const left = Object.entries(fact).flatMap(([name, value]) => {
      const how = rules.get(name) ?? "erased"
      if (how === "erased" || value === undefined || value === null) return []
      return [[name, how === "kept" ? value : how(value, isMapped)]]
    })
    return [{ kind: fact.kind, about: fact.about, ...Object.fromEntries(left) } as Fact]
  })

/** What is known of a purchase, without who pays for it. */
export const erasedState = ({ origin, ...state }: PurchaseState, isMapped: IsMapped): PurchaseState => ({
  ...state,
  origin: originLeft(origin, isMapped),
  payer: {}
})
