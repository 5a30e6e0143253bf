import type { Rules } from "../../catalog/terms/Rules.ts"
import type { Order } from "../../customers/Order.ts"
import type { Subscription } from "../../customers/Subscription.ts"
import type { License } from "../../licensing/licenses/License.ts"
import type { Item } from "../providers/Fact.ts"
import type { SourceTime } from "../providers/SourceTime.ts"
import type { Limits, Said } from "./Said.ts"

/**
 * What is to be done for a purchase, in terms of what the services do already.
 *
 * **A purchase is a subscription or an order of the contract.** The plan writes one Subscription for each slot of a
 * subscription, or one Order for each slot of an order (`record`, to be created or updated by product, external system and
 * external id, with `source_updated_at`), and licenses of a subscription follow it (`follows_subscription`): it ends,
 * suspends, reinstates, extends them and gives them their grace, as it does for whoever writes subscriptions by the API.
 * So the status of the record is what is to hold for the licenses: a paused collection is `paused` where the mapping says
 * so, a full refund is `canceled` with its `ended_at`, and the period of one that is past due ends where the unpaid one
 * begins. The provider's own words stay in the state of the purchase.
 *
 * Nothing follows an order. A refund or a dispute of it `stop`s its licenses, and `resume`s them when it is undone: they
 * are suspended, because only that can be undone, and the order says `refunded` with its `ended_at`. Of a quantity of
 * licenses the surplus is stopped alike. The reference of the license remembers `stopped`, so that what a person decides
 * about a license afterwards is not undone.
 *
 * All commands of a plan are done in one transaction, in this order; each is right to be repeated.
 *
 * The functions in front of it: `verifySignature(provider, request, hmac)`, `readEvents(provider, json, sha256)`,
 * `purchasesOf(object, links)` tells whom an event concerns, `fold(provider, purchase, events)` makes the state of all events
 * that concern it, in any order, and `planOf(state, mapping, planned)` the plan.
 */
export type Command =
  | OwnerCommand
  | SubscriptionCommand
  | OrderCommand
  | IssueCommand
  | AdoptCommand
  | PolicyCommand
  | LimitCommand
  | SaidCommand
  | StopCommand
  | ResumeCommand

/** What a license is issued for. Unique for a connection: one license each, whatever happens. */
interface Reference {
  /** The slot and its product: a slot whose price is of another product from then on is another item. */
  readonly item: string
  /** From 0 on; above 0 only where the quantity is one of licenses. */
  readonly index: number
}

/** The record that licenses of a slot belong to; its system is the provider, by the same name. */
export interface RecordName {
  readonly kind: "subscription" | "order"
  readonly product_id: string
  readonly external_id: string
}

/**
 * The customer of the purchase, by the provider's id: created where there is none, and the owner of all licenses of the
 * purchase that have none. Comes first. An email or name is written where it is new.
 */
export interface OwnerCommand {
  readonly type: "owner"
  /** Undefined where the provider names none: then email and name are those of the licenses alone. */
  readonly external_id?: string | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
}

/** Creates the record, or writes all of it; null is what it has none of. Instants are as the service writes them. */
export interface SubscriptionCommand {
  readonly type: "subscription"
  readonly record: RecordName
  readonly values:
    & Pick<Subscription, "current_period_start" | "current_period_end" | "cancel_at_period_end">
    & {
      readonly status: "trialing" | "active" | "past_due" | "unpaid" | "paused" | "disputed" | "canceled"
      readonly canceled_at: string | null
      readonly ended_at: string | null
      readonly quantity: number
      readonly source_updated_at: string
    }
}

/** Creates the record, or writes all of it; null is what it has none of. */
export interface OrderCommand {
  readonly type: "order"
  readonly record: RecordName
  readonly values: {
    readonly status: Order["status"] | "partially_refunded" | "disputed"
    readonly ended_at: string | null
    readonly quantity: number
    readonly source_updated_at: string
  }
}

/** Issues a license that belongs to the record, and follows it where that is a subscription. */
interface IssueCommand {
  readonly type: "issue"
  readonly reference: Reference
  readonly record: RecordName
  readonly policy_id: string
  readonly overrides?: Limits | undefined
  readonly said: Said
}

/**
 * Takes over a license of another purchase that has ended, or is not renewed any more, and is the same customer's: it gets this reference, belongs to this
 * record and follows it, with its key and devices. A later end of the other purchase does not reach it any more.
 */
interface AdoptCommand {
  readonly type: "adopt"
  /** Whether no purchase had it: it was there before the connection. */
  readonly is_moving_in?: true | undefined
  readonly license_id: string
  readonly reference: Reference
  readonly record: RecordName
  readonly said: Said
}

/** Another policy; devices, counters and overrides are kept. */
interface PolicyCommand {
  readonly type: "policy"
  readonly license_id: string
  readonly policy_id: string
  /** Whether it takes the place of what a person said since. */
  readonly replaces?: true
}

/** Other limits; null takes one away. What is in use above them stays, and new ones are refused. */
interface LimitCommand {
  readonly type: "limits"
  readonly license_id: string
  readonly overrides: { readonly [Rule in keyof Limits]?: Limits[Rule] | null }
  /** Whether they take the place of what a person said since. */
  readonly replaces?: true
}

/** Keeps what the purchase says of a license: the next look writes what it says otherwise. */
interface SaidCommand {
  readonly type: "said"
  readonly license_id: string
  readonly said: Said
}

/** Why a license is stopped. */
export type StopReason = "refunded" | "disputed" | "surplus" | "dropped"

/** Suspends a license that works, and remembers with its reference that the purchase did. */
interface StopCommand {
  readonly type: "stop"
  readonly license_id: string
  readonly reason: StopReason
}

/** Reinstates a license that was stopped, if it is suspended still, and forgets it. */
interface ResumeCommand {
  readonly type: "resume"
  readonly license_id: string
}

/** Why something of a purchase is not done, for whoever can help. */
export interface Hold {
  readonly code:
    | "unmapped"
    | "policy_missing"
    | "policy_needs_subscription"
    | "policy_of_order"
    | "awaits_subscription"
    | "awaits_payment"
    | "awaits_period"
    | "unknown_state"
    | "too_many_licenses"
    | "owner_differs"
    | "paid_twice"
    | "unpaid_change"
    | "event_ahead"
    | "sold_elsewhere"
    | "nothing_bought"
    | "units_unknown_license"
    | "units_no_license"
    | "units_several_licenses"
    | "units_no_customer"
    | "units_refused"
  readonly message: string
  /** What it is about; undefined where it is the whole purchase. */
  readonly item?: Item | undefined
}

/**
 * What is done for a purchase, and what waits.
 */
export interface Plan {
  readonly commands: ReadonlyArray<Command>
  readonly holds: ReadonlyArray<Hold>
}

/** A policy that the mapping names, as far as it decides. */
export interface MappedPolicy {
  readonly id: string
  readonly product_id: string
  readonly license_type: string
  readonly follows_subscription?: Rules["follows_subscription"]
}

/** A license of the purchase, and its reference. */
export interface Holding {
  readonly reference: Reference
  readonly license: Pick<License, "id" | "policy_id" | "product_id" | "overrides"> & {
    readonly status: License["status"]
    readonly customer_id?: string
    readonly customer_email?: string
  }
  /** Whether it belongs to a record of this purchase still, and was not adopted by another one. */
  readonly is_own: boolean
  /** Whether the same object of the provider has it by another connection, which pays for it as this one does. */
  readonly is_elsewhere?: boolean
  readonly stopped?: StopReason | undefined
  /** The last saying of the purchase about it; undefined where that is not known, so that all is as it is bought. */
  readonly said?: Said | undefined
}

/**
 * A license that this purchase may adopt: one that the customer owns and bought by another subscription at the same connection, or
 * one that belongs to a record of this purchase since before the connection.
 */
export interface Adoptable {
  readonly license: Pick<
    License,
    "id" | "policy_id" | "product_id" | "overrides" | "expires_at" | "status" | "suspended_by"
  >
  /** Whether the other subscription is not renewed any more. */
  readonly is_ending?: boolean
  /** When the other subscription ended, or was said not to be renewed. */
  readonly ended_at?: SourceTime | undefined
  /** When the other subscription began. */
  readonly began_at?: SourceTime | undefined
  /** The last saying of the other subscription about it; undefined where that is not known. */
  readonly said?: Said | undefined
  /** The id of the record of this purchase that it belongs to already, although no purchase has it: a vendor's own program issued it. */
  readonly of_record?: string | undefined
}

/**
 * What a plan is made from.
 */
export interface Planned {
  /** The policies that the mapping names, those that are gone left out. */
  readonly policies: ReadonlyArray<MappedPolicy>
  readonly holdings: ReadonlyArray<Holding>
  /** Licenses of the same owner that belong to records of other subscriptions, oldest first. */
  readonly adoptable: ReadonlyArray<Adoptable>
}
