import type { Amount, Item, Origin, Payer, PurchaseName, SubscriptionState } from "../providers/Fact.ts"
import type { Provider } from "../providers/Provider.ts"
import type { SourceTime } from "../providers/SourceTime.ts"

/**
 * One place of a purchase, which one item after another may hold: an upgrade puts another price into the slot, and the
 * license stays. Slots are numbered from 0 in the order in which they began, and a number is never given again.
 */
export interface Slot extends Item {
  readonly slot: number
  /** Its place among the items, while it is one of them. */
  readonly position: number
  readonly since: SourceTime
  /** Since when it is sold as what it is now. */
  readonly sold_since: SourceTime
  /** The IDs by which it was sold as something else before, the oldest first. */
  readonly sold_before?: ReadonlyArray<string> | undefined
  /** When it was dropped, while the purchase may go on. */
  readonly dropped_at?: SourceTime | undefined
  /** When it was taken up again, after it had been dropped. */
  readonly taken_up_at?: SourceTime | undefined
  /** Of a subscription, while it is held: what is known of the money for it. Undefined is that of the whole purchase. */
  readonly money?: SlotMoney | undefined
}

/** What is known of the money for one slot: of several, each may have a period and a price of its own. */
export interface SlotMoney {
  readonly paid_through?: SourceTime | undefined
  readonly unpaid_since?: SourceTime | undefined
  readonly refund?: "none" | "partial" | "full" | undefined
  readonly refunded_at?: SourceTime | undefined
  /** When a dispute about all of it was lost. */
  readonly lost_at?: SourceTime | undefined
  /** What it is sold as by what was paid for, while a change of it is billed and not paid; null where it is not paid for at all. */
  readonly paid_as?: Pick<Item, "price" | "product" | "variant" | "quantity"> | null | undefined
}

/** What is to be seen about a purchase that changes nothing, in the order of its instants. */
export interface Note {
  readonly note: string
  readonly at: SourceTime
  readonly detail?: string | undefined
  /** The event that says it. */
  readonly event_id: string
}

/** What is known of a purchase: the same for every order in which its events arrived. */
export interface PurchaseState {
  readonly provider: Provider
  readonly purchase: PurchaseName
  /** Undefined until an event says what was bought: payments, refunds and customers may come first. */
  readonly kind: "subscription" | "order" | undefined
  /** Undefined while a subscription has had no state that anybody knows. */
  readonly state: SubscriptionState | "pending" | "failed" | "paid" | undefined
  /** The status in the provider's words. */
  readonly said?: string | undefined
  readonly slots: ReadonlyArray<Slot>
  readonly payer: Payer
  readonly origin: Origin
  /** Whether it is an order that only begins a subscription, which is the purchase. */
  readonly is_beginning?: true | undefined
  /** When it began. */
  readonly began_at?: SourceTime | undefined
  readonly trial_end?: SourceTime | undefined
  /** Until when it was paid; it trails the period while a renewal is not paid yet. */
  readonly paid_through?: SourceTime | undefined
  /** While it is past due, the start of the period that is not paid: grace counts from there. */
  readonly unpaid_since?: SourceTime | undefined
  readonly cancel_at?: SourceTime | undefined
  readonly canceled_at?: SourceTime | undefined
  readonly ended_at?: SourceTime | undefined
  readonly end_reason?: string | undefined
  readonly collection_paused?: { readonly resumes_at?: SourceTime | undefined } | undefined
  readonly by_invoice?: boolean | undefined
  /** The refunds of the payment that the purchase rests on: the order's, or that of the current period. */
  readonly refund: "none" | "partial" | "full"
  readonly refunded_at?: SourceTime | undefined
  /** The worst dispute. */
  readonly dispute: "none" | "open" | "lost"
  readonly disputed_at?: SourceTime | undefined
  /** For the record: the last payment, and all that was given back. */
  readonly paid?: Amount | undefined
  readonly refunded?: Amount | undefined
  /** The latest instant of its events: it never goes back as more of them become known. */
  readonly source_updated_at: SourceTime
  /** Whether events of one instant leave open which came last, or items are missing: the object should be read. */
  readonly ambiguous: boolean
  /** Whether a person said that it is another purchase than that of the same ID at another site. */
  readonly is_apart?: true | undefined
  readonly notes: ReadonlyArray<Note>
}

/** A record without its members that are undefined, so that it is the same as what is stored of it. */
export const definedOf = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as A
