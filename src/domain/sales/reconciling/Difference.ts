import type { PurchaseState } from "../purchases/PurchaseState.ts"
import { heldSlots } from "../purchases/Slots.ts"

/** What of a purchase is compared, by the members that callers see. */
const comparedMembers = [
  "state",
  "items",
  "period_end",
  "trial_end",
  "paid_through",
  "cancel_at",
  "ended_at",
  "collection_paused",
  "refund",
  "dispute",
  "payer",
  "is_ambiguous"
] as const
export type ComparedMember = typeof comparedMembers[number]

const text = (value: unknown): string => JSON.stringify(value) ?? ""

const partsOf = (state: PurchaseState): Readonly<Record<ComparedMember, string>> => {
  const held = heldSlots(state.slots)
  return {
    state: text(state.state),
    items: text(held.map(({ price, product, quantity, slot, variant }) => [slot, price, variant, product, quantity])),
    period_end: text(held.map(({ period_end }) => period_end)),
    trial_end: text(state.trial_end),
    paid_through: text(state.paid_through),
    cancel_at: text(state.cancel_at),
    ended_at: text(state.ended_at),
    collection_paused: text(state.collection_paused),
    refund: text(state.refund),
    dispute: text(state.dispute),
    // Who pays is worth an event where it was not known, and only then: names are spelled in many ways.
    payer: text(state.payer.email !== undefined),
    is_ambiguous: text(state.ambiguous)
  }
}

/** The members in which a purchase is another one by what its provider says now. It is never made ambiguous by that. */
export const differences = (before: PurchaseState, after: PurchaseState): ReadonlyArray<ComparedMember> => {
  const [had, has] = [partsOf(before), partsOf(after)]
  return comparedMembers.filter((member) =>
    had[member] !== has[member] && (member !== "is_ambiguous" || before.ambiguous) &&
    (member !== "payer" || before.payer.email === undefined)
  )
}

/** Whether anything is owed for a purchase that nothing was known of: one that is over gives nobody a license. */
export const isOwed = ({ refund, state }: PurchaseState): boolean =>
  state !== undefined && state !== "canceled" && state !== "incomplete_expired" && state !== "failed" &&
  !(state === "paid" && refund === "full")
