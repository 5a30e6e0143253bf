import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Fact, Item, Link, SubscriptionFact, SubscriptionState } from "./Fact.ts"
import { idAt, listAt, memberAt, numberAt, objectAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfSeconds } from "./SourceTime.ts"

/** Its statuses; one that is not among them is kept, shown, and changes nothing. */
const states: Readonly<Record<string, SubscriptionState>> = {
  incomplete: "incomplete",
  incomplete_expired: "incomplete_expired",
  trialing: "trialing",
  active: "active",
  past_due: "past_due",
  unpaid: "unpaid",
  paused: "paused",
  canceled: "canceled"
}

/** The customer of an object, by id, expanded, or as an account that is one. */
export const customerIdOf = (object: JsonObject): string | undefined =>
  idAt(object, "customer") ?? idAt(object, "customer_account")

/** The links of an object's customer to a purchase. */
export const linksOfCustomer = (object: JsonObject, to: Link["to"]): ReadonlyArray<Link> => {
  const customer = customerIdOf(object)
  return customer === undefined ? [] : [{ kind: "link", about: `customer/${customer}`, to }]
}

/** An item: since 2025-03-31.basil it has the period, before that its subscription. */
const itemOf = (item: unknown, subscription: JsonObject): Item => ({
  id: textAt(item, "id"),
  price: idAt(item, "price") ?? idAt(item, "plan"),
  product: idAt(item, "price", "product") ?? idAt(item, "plan", "product"),
  name: textAt(item, "price", "nickname"),
  quantity: quantityAt(item, "quantity"),
  period_start: timeOfSeconds(memberAt(item, "current_period_start") ?? subscription["current_period_start"]),
  period_end: timeOfSeconds(memberAt(item, "current_period_end") ?? subscription["current_period_end"])
})

/** When it is going to end: the portal and flexible billing set `cancel_at` alone, others the flag alone. */
const cancelAtOf = (subscription: JsonObject, items: ReadonlyArray<Item>): SourceTime | undefined =>
  timeOfSeconds(subscription["cancel_at"]) ?? (subscription["cancel_at_period_end"] === true
    ? items.flatMap(({ period_end }) => period_end ?? []).toSorted()[0]
    : undefined)

const rankOf = (type: string): SubscriptionFact["rank"] =>
  type.endsWith(".created") ? 0 : type.endsWith(".deleted") ? 2 : 1

/** The facts of an event whose object is a subscription. */
export const subscriptionFacts = (
  type: string,
  subscription: JsonObject,
  previous: JsonObject | undefined,
  at: SourceTime
): ReadonlyArray<Fact> => {
  const id = textAt(subscription, "id")
  if (id === undefined) return []
  const about = `subscription/${id}` as const
  if (type === "customer.subscription.trial_will_end") return [{ kind: "note", about, note: "trial_ends_soon" }]
  const said = textAt(subscription, "status") ?? ""
  const state = states[said]
  const items = listAt(subscription, "items", "data").map((item) => itemOf(item, subscription))
  const lacksItems = memberAt(subscription, "items", "has_more") === true
  const pausing = objectAt(subscription["pause_collection"])
  const trialEnd = [
    subscription["trial_end"],
    ...listAt(subscription, "items", "data").map((item) => memberAt(item, "current_trial", "end_date"))
  ].map(timeOfSeconds).find((time) => time !== undefined)
  const invoice = idAt(subscription, "latest_invoice")
  return [
    {
      kind: "subscription",
      about,
      rank: rankOf(type),
      state,
      said,
      ...(lacksItems || items.length === 0 ? {} : { items }),
      lacks_items: lacksItems,
      payer: { id: customerIdOf(subscription) },
      origin: { metadata: textsAt(subscription, "metadata") },
      began_at: timeOfSeconds(subscription["start_date"] ?? subscription["created"]),
      trial_end: trialEnd,
      cancel_at: state === "canceled" ? undefined : cancelAtOf(subscription, items),
      canceled_at: timeOfSeconds(subscription["canceled_at"]),
      ended_at: state === "canceled"
        ? timeOfSeconds(subscription["ended_at"] ?? subscription["canceled_at"]) ?? at
        : undefined,
      end_reason: textAt(subscription, "cancellation_details", "reason"),
      collection_paused: pausing && { resumes_at: timeOfSeconds(pausing["resumes_at"]) },
      by_invoice: subscription["collection_method"] === "send_invoice",
      chain: { object: subscription, previous }
    },
    ...(objectAt(subscription["pending_update"]) === undefined
      ? []
      : [{ kind: "note", about, note: "update_awaits_payment" } as const]),
    ...linksOfCustomer(subscription, about),
    ...(invoice === undefined ? [] : [{ kind: "link", about: `invoice/${invoice}`, to: about } as const])
  ]
}

/** The facts of a checkout session: the origin of a subscription, or a purchase that is paid once. */
export const sessionFacts = (type: string, session: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(session, "id")
  const mode = textAt(session, "mode")
  const subscription = idAt(session, "subscription")
  if (id === undefined || (mode === "subscription" ? subscription === undefined : mode !== "payment")) return []
  const about = mode === "subscription" ? `subscription/${subscription}` as const : `order/${id}` as const
  const payment_link = idAt(session, "payment_link")
  const customer = customerIdOf(session)
  const payer = {
    id: customer,
    email: textAt(session, "customer_details", "email") ?? textAt(session, "customer_email"),
    name: textAt(session, "customer_details", "name")
  }
  const invoice = idAt(session, "invoice")
  const payment = idAt(session, "payment_intent")
  const links: ReadonlyArray<Link> = [
    ...linksOfCustomer(session, about),
    ...(invoice === undefined ? [] : [{ kind: "link", about: `invoice/${invoice}`, to: about } as const]),
    ...(payment === undefined ? [] : [{ kind: "link", about: `payment/${payment}`, to: about } as const])
  ]
  if (mode === "subscription") {
    // Its metadata are not those of the subscription, which has its own.
    return [
      { kind: "origin", about: `subscription/${subscription!}`, origin: { payment_link } },
      ...(customer === undefined ? [] : [{ kind: "customer", about: `customer/${customer}`, payer } as const]),
      ...links
    ]
  }
  const said = textAt(session, "payment_status") ?? ""
  const lines = listAt(session, "line_items", "data").map((line) => ({
    price: idAt(line, "price"),
    product: idAt(line, "price", "product"),
    quantity: quantityAt(line, "quantity")
  }))
  const total = numberAt(session, "amount_total")
  return [
    {
      kind: "order",
      about: `order/${id}`,
      state: said === "paid" || said === "no_payment_required"
        ? "paid"
        : type.endsWith("async_payment_failed")
        ? "failed"
        : "pending",
      said,
      items: lines.length === 0 ? [{ quantity: 1 }] : lines,
      payer,
      origin: { payment_link, metadata: textsAt(session, "metadata") },
      began_at: timeOfSeconds(session["created"]),
      amount: total === undefined ? undefined : { value: total, currency: textAt(session, "currency") }
    },
    ...links
  ]
}
