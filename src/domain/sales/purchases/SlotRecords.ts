import type { SourceTime } from "../providers/SourceTime.ts"
import { earliest, wireTime } from "../providers/SourceTime.ts"
import type { OrderCommand, StopReason, SubscriptionCommand } from "./Command.ts"
import { choicesOf } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import type { PurchaseState, Slot } from "./PurchaseState.ts"

/** Why nothing is written for a slot; `nothing` where nothing is owed. */
type NoRecord = "awaits_payment" | "awaits_period" | "unknown_state" | "nothing"

type SubscriptionValues = SubscriptionCommand["values"]

/** Why and since when a purchase gives nothing any more, although its provider may say that it goes on. */
interface Ended {
  readonly at: SourceTime
  readonly reason: StopReason
}

/** What money given back, and a dispute that was lost, end: of a slot that has money of its own, that alone. */
const endedByMoney = (state: PurchaseState, { money }: Slot, mapping: Mapping): Ended | undefined => {
  const { partial_refund } = choicesOf(mapping)
  const { refund, refunded_at } = money?.refund === undefined ? state : money
  if (refund === "full" || (refund === "partial" && partial_refund === "end")) {
    return { at: refunded_at ?? state.source_updated_at, reason: "refunded" }
  }
  const isLost = money?.refund === undefined ? state.dispute === "lost" : money.lost_at !== undefined
  return isLost
    ? { at: money?.lost_at ?? state.disputed_at ?? state.source_updated_at, reason: "disputed" }
    : undefined
}

/**
 * Whether what is paid for goes on, although something is not paid: the last event is before its end. A debt beside a paid period
 * ends nothing of it, and its grace begins where the period ends.
 */
const isPaidBesideDebt = (state: PurchaseState, slot: Slot): boolean => {
  const since = unpaidSince(state, slot)
  return (state.state === "past_due" || state.state === "unpaid") && since !== undefined &&
    since > state.source_updated_at
}

const unpaidSince = (state: PurchaseState, { money }: Slot): SourceTime | undefined =>
  money === undefined ? state.unpaid_since : money.unpaid_since

/**
 * A slot as what was paid for: where a change of it is billed and not paid, what it was before. Undefined where it is not paid for
 * at all.
 */
export const paidSlot = (slot: Slot): Slot | undefined => {
  const paid = slot.money?.paid_as
  if (paid === undefined) return slot
  if (paid === null) return undefined
  const { price: _price, product: _product, variant: _variant, ...others } = slot
  return { ...others, ...paid }
}

/** Whether a change of a slot is billed that is not paid. */
export const hasUnpaidChange = (slot: Slot): boolean => {
  const paid = paidSlot(slot)
  return slot.dropped_at === undefined &&
    (paid === undefined || paid.quantity !== slot.quantity || paid.price !== slot.price ||
      paid.variant !== slot.variant || paid.product !== slot.product)
}

const isDisputed = (state: PurchaseState, mapping: Mapping): boolean =>
  state.dispute === "open" && choicesOf(mapping).open_dispute === "suspend"

const wireTimeOrNone = (time: SourceTime | undefined): string | null => time === undefined ? null : wireTime(time)

/** The status of the record, of those states in which something is owed; undefined of the others. */
const statusOf = (
  state: PurchaseState,
  slot: Slot,
  mapping: Mapping
): SubscriptionValues["status"] | Exclude<NoRecord, "awaits_period"> => {
  switch (state.state) {
    case "future":
    case "incomplete":
      return "awaits_payment"
    case "incomplete_expired":
      return "nothing"
    case "unpaid":
    case "canceled":
    case "paused":
      if (isPaidBesideDebt(state, slot)) return isDisputed(state, mapping) ? "disputed" : "active"
      return isDisputed(state, mapping) && state.state !== "canceled" ? "disputed" : state.state
    case "trialing":
    case "active":
    case "past_due":
      if (isDisputed(state, mapping)) return "disputed"
      return state.collection_paused !== undefined && choicesOf(mapping).paused_collection === "suspend"
        ? "paused"
        : isPaidBesideDebt(state, slot)
        ? "active"
        : state.state
    default:
      return "unknown_state"
  }
}

/** The end of the period that the record has: nothing beyond what is paid, once the provider says that it is not paid. */
const periodEnd = (state: PurchaseState, slot: Slot): SourceTime | undefined => {
  const { cancel_at, trial_end } = state
  const unpaid_since = unpaidSince(state, slot)
  const end = slot.period_end ?? (state.state === "trialing" ? trial_end : undefined) ?? state.paid_through
  switch (state.state) {
    case "past_due":
    case "unpaid":
      return isPaidBesideDebt(state, slot) ? earliest([unpaid_since, cancel_at]) : unpaid_since ?? end
    case "canceled":
      return unpaid_since ?? end
    default:
      return earliest([end, cancel_at])
  }
}

/**
 * What the subscription of the contract says that stands for a slot, or why there is none. Its status is what is to hold for
 * licenses that follow it: what the provider says, unless the slot was dropped, the money was given back, or the choices of
 * the mapping say otherwise.
 */
export const subscriptionRecord = (
  state: PurchaseState,
  slot: Slot,
  mapping: Mapping
): SubscriptionValues | NoRecord => {
  const own = statusOf(state, slot, mapping)
  if (own === "nothing" || own === "awaits_payment" || own === "unknown_state") return own
  const money = endedByMoney(state, slot, mapping)
  const ended = earliest([slot.dropped_at, money?.at, state.state === "canceled" ? state.ended_at : undefined])
  const status = ended === undefined ? own : "canceled"
  const end = periodEnd(state, slot) ?? ended
  if (end === undefined) return "awaits_period"
  const start = earliest([slot.period_start ?? slot.since, end, ended])!
  return {
    status,
    current_period_start: wireTime(start),
    current_period_end: wireTime(end),
    cancel_at_period_end: status !== "canceled" && state.cancel_at !== undefined,
    canceled_at: status === "canceled" ? wireTimeOrNone(state.canceled_at) : null,
    ended_at: wireTimeOrNone(ended),
    quantity: Math.max(1, slot.quantity),
    source_updated_at: wireTime(state.source_updated_at)
  }
}

/** What an order says that stands for a slot, and why its licenses are stopped. */
export interface SlotOrder {
  readonly values: OrderCommand["values"]
  readonly stopped: StopReason | undefined
}

/** What the order of the contract says that stands for a slot of a purchase that is paid once, or why there is none. */
export const orderRecord = (state: PurchaseState, slot: Slot, mapping: Mapping): SlotOrder | NoRecord => {
  if (state.state === "pending") return "awaits_payment"
  if (state.state === "failed") return "nothing"
  if (state.state !== "paid") return "unknown_state"
  const money = endedByMoney(state, slot, mapping)
  const disputed = isDisputed(state, mapping)
  const status = state.refund === "full"
    ? "refunded"
    : state.dispute === "lost"
    ? "canceled"
    : disputed
    ? "disputed"
    : state.refund === "partial"
    ? "partially_refunded"
    : "paid"
  return {
    values: {
      status,
      ended_at: wireTimeOrNone(money?.at),
      quantity: Math.max(1, slot.quantity),
      source_updated_at: wireTime(state.source_updated_at)
    },
    stopped: money?.reason ?? (disputed ? "disputed" : undefined)
  }
}
