import * as Result from "effect/Result"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Amount, Fact, Item, Payer, SubscriptionFact } from "./Fact.ts"
import { idAt, memberAt, numberAt, objectAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import type { EventReader } from "./ProviderEvent.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfText } from "./SourceTime.ts"

const payerOf = (attributes: JsonObject): Payer => ({
  id: idAt(attributes, "customer_id"),
  email: textAt(attributes, "user_email"),
  name: textAt(attributes, "user_name")
})

/** The item that is sold, of a part of the attributes that has it. In a trial it is not there: the variant is, and the order says how many. */
const itemOf = (attributes: JsonObject, part: JsonObject | undefined, period_end: SourceTime | undefined): Item => ({
  id: idAt(part, "id"),
  price: idAt(part, "price_id"),
  variant: idAt(attributes, "variant_id") ?? idAt(part, "variant_id"),
  product: idAt(attributes, "product_id") ?? idAt(part, "product_id"),
  name: textAt(attributes, "product_name") ?? textAt(part, "product_name"),
  quantity: quantityAt(part, "quantity"),
  ...(part === undefined ? { uncounted: true } : {}),
  period_end
})

const totalOf = (attributes: JsonObject, member: string): Amount | undefined => {
  const value = numberAt(attributes, member)
  return value === undefined ? undefined : { value, currency: textAt(attributes, "currency") }
}

/** The states, by what a status means: one that is cancelled goes on until it ends. */
const stateOf = (attributes: JsonObject): SubscriptionFact["state"] => {
  switch (textAt(attributes, "status")) {
    case "on_trial":
      return "trialing"
    case "active":
    case "cancelled":
      return "active"
    case "paused":
      return textAt(attributes, "pause", "mode") === "free" ? "active" : "paused"
    case "past_due":
      return "past_due"
    case "unpaid":
      return "unpaid"
    case "expired":
      return "canceled"
    default:
      return undefined
  }
}

/** The first payment of a subscription: its order and its first invoice both tell of it, and do not name each other. */
const firstPaymentOf = (subscription: string) => `payment/first-of-${subscription}` as const

const subscriptionFacts = (
  name: string,
  id: string,
  attributes: JsonObject,
  metadata: Readonly<Record<string, string>> | undefined,
  at: SourceTime
): ReadonlyArray<Fact> => {
  const about = `subscription/${id}` as const
  const state = stateOf(attributes)
  const said = textAt(attributes, "status") ?? ""
  const ends = timeOfText(attributes["ends_at"])
  const trialEnd = timeOfText(attributes["trial_ends_at"])
  // While it is not paid, it "renews" when the card is tried the next time: the period that it had said before stays.
  const isDue = state === "past_due" || state === "unpaid"
  const renews = isDue
    ? undefined
    : (state === "trialing" ? trialEnd : undefined) ?? timeOfText(attributes["renews_at"]) ?? ends
  const payer = payerOf(attributes)
  const order = idAt(attributes, "order_id")
  return [
    {
      kind: "subscription",
      about,
      rank: name === "subscription_created" ? 0 : name === "subscription_expired" ? 2 : 1,
      state,
      said,
      items: [itemOf(attributes, objectAt(attributes["first_subscription_item"]), renews)],
      payer,
      origin: { metadata },
      began_at: timeOfText(attributes["created_at"]),
      trial_end: trialEnd,
      cancel_at: said === "cancelled" ? ends : undefined,
      ended_at: state === "canceled" ? ends ?? at : undefined
    },
    ...(payer.id === undefined ? [] : [{ kind: "link", about: `customer/${payer.id}`, to: about } as const]),
    // The order that begins it is the same purchase.
    ...(order === undefined ? [] : [
      { kind: "link", about: `order/${order}`, to: about } as const,
      { kind: "link", about: `order/${order}`, to: firstPaymentOf(id) } as const
    ])
  ]
}

/** What was given back of an order or invoice: a total. */
const refundOf = (about: `order/${string}` | `invoice/${string}`, attributes: JsonObject): ReadonlyArray<Fact> => {
  const status = textAt(attributes, "status")
  const amount = totalOf(attributes, "refunded_amount")
  const isFull = status === "refunded" || (status !== "partial_refund" && attributes["refunded"] === true)
  return isFull || status === "partial_refund"
    ? [{ kind: "refund", about, state: "succeeded", full: isFull, amount, paid: numberAt(attributes, "total") }]
    : []
}

const orderFacts = (
  id: string,
  attributes: JsonObject,
  metadata: Readonly<Record<string, string>> | undefined
): ReadonlyArray<Fact> => {
  const about = `order/${id}` as const
  const said = textAt(attributes, "status") ?? ""
  const payer = payerOf(attributes)
  const part = objectAt(attributes["first_order_item"])
  return [
    {
      kind: "order",
      about,
      state: said === "pending" || said === "failed" ? said : "paid",
      said,
      items: [itemOf(attributes, part, undefined)],
      payer,
      origin: { metadata },
      began_at: timeOfText(attributes["created_at"]),
      amount: totalOf(attributes, "total")
    },
    ...refundOf(about, attributes),
    ...(said === "fraudulent"
      ? [{ kind: "dispute", about, dispute: `fraud ${id}`, state: "lost", said } as const]
      : []),
    ...(payer.id === undefined ? [] : [{ kind: "link", about: `customer/${payer.id}`, to: about } as const])
  ]
}

/** The facts of an invoice of a subscription: the id of its data is that of the invoice. */
const invoiceFacts = (name: string, id: string, attributes: JsonObject): ReadonlyArray<Fact> => {
  const subscription = idAt(attributes, "subscription_id")
  if (subscription === undefined) return []
  const about = `invoice/${id}` as const
  const reason = textAt(attributes, "billing_reason")
  const links: ReadonlyArray<Fact> = [
    { kind: "link", about, to: `subscription/${subscription}` },
    ...(reason === "initial" ? [{ kind: "link", about, to: firstPaymentOf(subscription) } as const] : [])
  ]
  const status = textAt(attributes, "status")
  const aside = reason === "updated"
  if (name === "subscription_payment_failed") return [{ kind: "payment", about, state: "failed", aside }, ...links]
  if (status === "void") return [{ kind: "payment", about, state: "void", aside }, ...links]
  if (status === "pending") return [{ kind: "note", about, note: "payment_pending" }, ...links]
  return [
    { kind: "payment", about, state: "paid", aside, amount: totalOf(attributes, "total") },
    ...refundOf(about, attributes),
    ...links
  ]
}

/**
 * Reads an event of Lemon Squeezy, which has no id and no time of its own: its identity is its content, its time that of
 * the last change of the object. License keys that Lemon Squeezy makes itself are nothing to this service.
 */
export const readLemonSqueezy: EventReader = (json, sha256) => {
  const type = textAt(json, "meta", "event_name")
  const id = idAt(json, "data", "id")
  const attributes = objectAt(memberAt(json, "data", "attributes"))
  const at = timeOfText(attributes?.["updated_at"]) ?? timeOfText(attributes?.["created_at"])
  if (type === undefined || id === undefined || attributes === undefined || at === undefined) {
    return unreadable("not_an_event", "The body is no event of Lemon Squeezy: it must have meta.event_name and data.")
  }
  const metadata = textsAt(json, "meta", "custom_data")
  const kind = textAt(json, "data", "type")
  return Result.succeed([{
    id: sha256,
    type,
    occurred_at: at,
    live: typeof attributes["test_mode"] === "boolean" ? !attributes["test_mode"] : undefined,
    facts: kind === "subscriptions"
      ? subscriptionFacts(type, id, attributes, metadata, at)
      : kind === "orders"
      ? orderFacts(id, attributes, metadata)
      : kind === "subscription-invoices"
      ? invoiceFacts(type, id, attributes)
      : []
  }])
}
