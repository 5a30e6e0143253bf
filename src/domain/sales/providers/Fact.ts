import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { SourceTime } from "./SourceTime.ts"

/** The kinds of a provider's objects that facts are about. A purchase is a `subscription` or an `order`. */
type ObjectKind = "subscription" | "order" | "invoice" | "payment" | "charge" | "customer"

/** The name of an object of a provider: its kind and its id there. */
export type ObjectName = `${ObjectKind}/${string}`

/** The name of a purchase. */
export type PurchaseName = `subscription/${string}` | `order/${string}`

/**
 * What is known of one object concerns another one, too: a payment its invoice, an invoice its subscription, a customer
 * each purchase of his. A provider's order that only begins a subscription is linked to it, and is no purchase.
 */
export interface Link {
  readonly kind: "link"
  readonly about: ObjectName
  readonly to: ObjectName
}

/** An amount in the provider's unit of that currency; for the record, and to tell a full refund. */
export interface Amount {
  readonly value: number
  readonly currency?: string | undefined
}

/** Who pays, as far as an event says. */
export interface Payer {
  readonly id?: string | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
}

/** One item of a purchase. At least one of price, variant and product is there, but in orders of Stripe. */
export interface Item {
  /** The provider's id of the item, where it has one. */
  readonly id?: string | undefined
  readonly price?: string | undefined
  readonly variant?: string | undefined
  readonly product?: string | undefined
  /** A name for people. */
  readonly name?: string | undefined
  readonly quantity: number
  /** Whether the event does not say how many: as many as the order that begins the purchase says, while there is one. */
  readonly uncounted?: true | undefined
  readonly period_start?: SourceTime | undefined
  readonly period_end?: SourceTime | undefined
}

/** By what a price may be found that no event names. */
export interface Origin {
  readonly payment_link?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** The states of a subscription, in the order of their rank: of one instant, the later one holds. */
export const subscriptionStates = [
  "future",
  "incomplete",
  "trialing",
  "active",
  "past_due",
  "unpaid",
  "paused",
  "incomplete_expired",
  "canceled"
] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** The whole state of a subscription at an instant. */
export interface SubscriptionFact {
  readonly kind: "subscription"
  readonly about: `subscription/${string}`
  /** The type rank of its event: created 0, changed 1, ended 2. */
  readonly rank: 0 | 1 | 2
  /** Undefined where the provider says a status that nobody knows: the last one holds. */
  readonly state: SubscriptionState | undefined
  /** The status in the provider's words. */
  readonly said: string
  /** Undefined where the event does not name them, or not all of them: the last ones hold. */
  readonly items?: ReadonlyArray<Item> | undefined
  /** Whether the event holds fewer items than there are. */
  readonly lacks_items?: boolean | undefined
  readonly payer?: Payer | undefined
  readonly origin?: Origin | undefined
  /** When it began by its own account, which may be long before the first event that is known of it. */
  readonly began_at?: SourceTime | undefined
  readonly trial_end?: SourceTime | undefined
  /** When it is going to end. */
  readonly cancel_at?: SourceTime | undefined
  readonly canceled_at?: SourceTime | undefined
  readonly ended_at?: SourceTime | undefined
  readonly end_reason?: string | undefined
  /** There while payments are not collected, although the state says nothing of it. */
  readonly collection_paused?: { readonly resumes_at?: SourceTime | undefined } | undefined
  /** Whether it is paid by invoice, and is active although it is not paid. */
  readonly by_invoice?: boolean | undefined
  /** Whether invoices of it are due, where the state does not say so: with a failed payment, it is past due. */
  readonly is_due?: boolean | undefined
  /** A version of the object that grows with each change; it outranks the instant. */
  readonly version?: number | undefined
  /** The object, and the values that members of it had before, where the event says them. */
  readonly chain?: { readonly object: JsonObject; readonly previous: JsonObject | undefined } | undefined
  /** Whether it takes an ended subscription back to life. */
  readonly reopens?: boolean | undefined
}

/** By what a purchase was begun, where another object than the purchase says it. */
interface OriginFact {
  readonly kind: "origin"
  readonly about: PurchaseName
  readonly origin: Origin
}

/** A purchase that is paid once. */
export interface OrderFact {
  readonly kind: "order"
  readonly about: `order/${string}`
  /** Of one that is paid once and for all, what is given back or disputed is a fact of its own. */
  readonly state: "pending" | "failed" | "paid"
  readonly said: string
  readonly items: ReadonlyArray<Item>
  readonly payer?: Payer | undefined
  readonly origin?: Origin | undefined
  /** When it was ordered by its own account. */
  readonly began_at?: SourceTime | undefined
  readonly amount?: Amount | undefined
}

/** What a bill asks for of one item: for a period of its price, for a part of one (`proration`), or once, such as a fee (`once`). */
export interface BilledLine {
  /** The provider's id of the item, where it names it. */
  readonly item?: string | undefined
  readonly price?: string | undefined
  readonly product?: string | undefined
  readonly quantity?: number | undefined
  readonly start?: SourceTime | undefined
  readonly end?: SourceTime | undefined
  /** Whether it settles a change in the middle of a period. */
  readonly proration?: boolean | undefined
  /** Whether it is for what is sold once, on the bill of a subscription: it pays for no period, whatever period it names. */
  readonly once?: true | undefined
}

/** Whether a line asks for a period, and not for a part of one or for what is sold once. */
export const isOfPeriod = ({ once, proration }: BilledLine): boolean => once !== true && proration !== true

/** The instants at which the periods of lines start or end, the first one first. */
export const periodsOf = (lines: ReadonlyArray<BilledLine>, member: "start" | "end"): ReadonlyArray<SourceTime> =>
  lines.flatMap((line) => isOfPeriod(line) ? line[member] ?? [] : []).toSorted()

/** A payment, or an attempt to pay. */
export interface PaymentFact {
  readonly kind: "payment"
  readonly about: ObjectName
  readonly state: "paid" | "failed" | "void" | "uncollectible"
  /** Whether it is for something beside the period, such as an upgrade: money back for it ends nothing. */
  readonly aside?: boolean | undefined
  /** What it is for, item by item; undefined where the provider does not say it. */
  readonly lines?: ReadonlyArray<BilledLine> | undefined
  /** Until when the purchase is paid by it. */
  readonly paid_through?: SourceTime | undefined
  /** Of a failed one, the start of the period that is not paid. */
  readonly period_start?: SourceTime | undefined
  /** Of a failed one: whether the provider tries again. */
  readonly tries_again?: boolean | undefined
  readonly amount?: Amount | undefined
  /** What was paid, for an order whose own events do not say it. */
  readonly items?: ReadonlyArray<Item> | undefined
  readonly payer?: Payer | undefined
}

/** Money back: one refund by its id, or how much of a payment was given back in total. */
export interface RefundFact {
  readonly kind: "refund"
  readonly about: ObjectName
  /** The id of the refund; undefined where `amount` is the total of the payment's refunds. */
  readonly refund?: string | undefined
  readonly state: "pending" | "succeeded" | "failed"
  /** Whether it is all that was paid; undefined where only the amounts tell. */
  readonly full?: boolean | undefined
  readonly amount?: Amount | undefined
  /** All that was paid by the payment. */
  readonly paid?: number | undefined
}

/** A dispute. A warning changes nothing. */
export interface DisputeFact {
  readonly kind: "dispute"
  readonly about: ObjectName
  readonly dispute: string
  readonly state: "warning" | "open" | "won" | "lost"
  readonly said: string
  /** How much of the payment is disputed; undefined is all of it. */
  readonly amount?: Amount | undefined
}

/** Who a customer is. */
export interface CustomerFact {
  readonly kind: "customer"
  readonly about: `customer/${string}`
  readonly payer: Payer
}

/** What changes nothing and is shown. */
interface NoteFact {
  readonly kind: "note"
  readonly about: ObjectName
  /** For programs, and told in words by the console: `trial_ends_soon`. */
  readonly note: string
  readonly detail?: string | undefined
}

/** What an event says of a purchase, in the service's own words. */
export type Fact =
  | Link
  | SubscriptionFact
  | OriginFact
  | OrderFact
  | PaymentFact
  | RefundFact
  | DisputeFact
  | CustomerFact
  | NoteFact
