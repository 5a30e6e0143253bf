import * as Result from "effect/Result"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Fact, Item, Payer, SubscriptionFact } from "./Fact.ts"
import { idAt, listAt, memberAt, numberAt, objectAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import type { EventReader, ProviderEvent } from "./ProviderEvent.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfMillis } from "./SourceTime.ts"

/** The id of an object, which is expanded or not, and has its id under its own noun or as `id`. */
const nounAt = (value: unknown, noun: string): string | undefined =>
  idAt(value, noun, noun) ?? idAt(value, noun, "id") ?? idAt(value, noun)

const payerOf = (data: JsonObject): Payer => {
  const contact = objectAt(memberAt(data, "account", "contact")) ?? objectAt(data["customer"])
  const names = [textAt(contact, "first"), textAt(contact, "last")].filter((name) => name !== undefined)
  return {
    id: nounAt(data, "account"),
    email: textAt(contact, "email"),
    name: names.length === 0 ? undefined : names.join(" ")
  }
}

const itemOf = (data: unknown, period_end: SourceTime | undefined): Item => ({
  price: nounAt(data, "product"),
  product: nounAt(data, "product"),
  name: textAt(data, "display"),
  quantity: quantityAt(data, "quantity"),
  period_end
})

/** A cancelled one is active until it is deactivated. */
const stateOf = (data: JsonObject): SubscriptionFact["state"] => {
  switch (textAt(data, "state")) {
    case "trial":
      return "trialing"
    case "active":
      return "active"
    case "canceled":
      return data["active"] === false ? "canceled" : "active"
    case "overdue":
      return "past_due"
    case "deactivated":
      return "canceled"
    default:
      return undefined
  }
}

const linkOfPayer = (payer: Payer, to: `subscription/${string}` | `order/${string}`): ReadonlyArray<Fact> =>
  payer.id === undefined ? [] : [{ kind: "link", about: `customer/${payer.id}`, to }]

const subscriptionFact = (type: string, data: JsonObject, at: SourceTime): ReadonlyArray<Fact> => {
  const id = idAt(data, "subscription") ?? idAt(data, "id")
  if (id === undefined) return []
  const about = `subscription/${id}` as const
  const state = stateOf(data)
  const said = textAt(data, "state") ?? ""
  const deactivates = timeOfMillis(data["deactivationDate"])
  // While it is not paid, the next charge is another try: the period that it had said before stays.
  const next = state === "past_due" ?
    undefined :
    timeOfMillis(data["nextChargeDate"]) ?? timeOfMillis(data["next"]) ?? timeOfMillis(data["end"]) ??
      deactivates
  const payer = payerOf(data)
  return [
    {
      kind: "subscription",
      about,
      rank: type === "subscription.activated" ? 0 : type === "subscription.deactivated" ? 2 : 1,
      state,
      said,
      items: [itemOf(data, next)],
      payer,
      origin: { metadata: textsAt(data, "tags") },
      began_at: timeOfMillis(data["begin"]),
      trial_end: state === "trialing" ? next : undefined,
      cancel_at: said === "canceled" && state === "active" ? deactivates ?? next : undefined,
      canceled_at: timeOfMillis(data["canceledDate"]),
      ended_at: state === "canceled" ? deactivates ?? at : undefined
    },
    ...linkOfPayer(payer, about)
  ]
}

/** The customer, as far as an object says whose account it is of. */
const customerFacts = ({ email, id, name }: Payer): ReadonlyArray<Fact> =>
  id === undefined || (email ?? name) === undefined
    ? []
    : [{ kind: "customer", about: `customer/${id}`, payer: { id, email, name } }]

/** The subscriptions among the items of an order, or of what was returned of it. */
const subscriptionsIn = (data: unknown): ReadonlyArray<`subscription/${string}`> =>
  listAt(data, "items").flatMap((item) => {
    const subscription = nounAt(item, "subscription")
    return subscription === undefined ? [] : [`subscription/${subscription}` as const]
  })

/**
 * The facts of a charge of a subscription, completed for prorations as well: it tells no period. The subscription that webhook expansion puts
 * into one that was paid does, and nothing else tells of a renewal.
 */
const chargeFacts = (type: string, data: JsonObject, at: SourceTime): ReadonlyArray<Fact> => {
  const subscription = nounAt(data, "subscription")
  if (subscription === undefined) return []
  const shown = objectAt(data["subscription"])
  const to = `subscription/${subscription}` as const
  const id = nounAt(data, "order") ?? idAt(data, "id")
  const about = id === undefined ? to : `payment/${id}` as const
  const total = numberAt(data, "total")
  return [
    type === "subscription.charge.completed"
      ? {
        kind: "payment",
        about,
        state: "paid",
        amount: total === undefined ? undefined : { value: total, currency: textAt(data, "currency") }
      }
      : type === "subscription.charge.failed"
      ? { kind: "payment", about, state: "failed" }
      : { kind: "note", about, note: type.replaceAll(".", "_") },
    ...(id === undefined ? [] : [{ kind: "link", about: `payment/${id}`, to } as const]),
    ...(type !== "subscription.charge.completed" || textAt(shown, "state") === undefined
      ? []
      : subscriptionFact(type, shown!, at)),
    ...customerFacts(payerOf(data))
  ]
}

/** The facts of an order: what of it is a subscription has events of its own. */
const orderFacts = (data: JsonObject): ReadonlyArray<Fact> => {
  const id = idAt(data, "order") ?? idAt(data, "id")
  if (id === undefined) return []
  const about = `payment/${id}` as const
  const order = `order/${id}` as const
  const payer = payerOf(data)
  const total = numberAt(data, "total")
  const amount = total === undefined ? undefined : { value: total, currency: textAt(data, "currency") }
  const items = listAt(data, "items")
  const once = items.filter((item) => memberAt(item, "subscription") === undefined)
  return [
    { kind: "payment", about, state: "paid", amount },
    ...subscriptionsIn(data).map((to) => ({ kind: "link", about, to }) as const),
    ...subscriptionsIn(data).flatMap((to) => linkOfPayer(payer, to)),
    ...customerFacts(payer),
    ...(once.length === 0 ? [] : [
      {
        kind: "order",
        about: order,
        state: data["completed"] === false ? "pending" : "paid",
        said: data["completed"] === false ? "open" : "completed",
        items: once.map((item) => itemOf(item, undefined)),
        payer,
        origin: { metadata: textsAt(data, "tags") },
        amount
      } as const,
      { kind: "link", about, to: order } as const,
      ...linkOfPayer(payer, order)
    ])
  ]
}

/** The facts of what was returned of an order: all of it, or a part. What was not returned in the end has `completed` false. */
const returnFacts = (data: JsonObject): ReadonlyArray<Fact> => {
  const id = idAt(data, "return") ?? idAt(data, "id")
  const original = idAt(data, "original", "order") ?? idAt(data, "original", "id") ?? idAt(data, "original")
  if (id === undefined || original === undefined) return []
  const about = `payment/${original}` as const
  const total = numberAt(data, "totalReturn")
  const subscriptions = new Set([...subscriptionsIn(data), ...subscriptionsIn(memberAt(data, "original"))])
  return [
    {
      kind: "refund",
      about,
      refund: id,
      state: data["completed"] === false ? "pending" : "succeeded",
      amount: total === undefined ? undefined : { value: total, currency: textAt(data, "currency") },
      paid: numberAt(data, "original", "total")
    },
    // The order of a renewal may be known by this alone.
    ...[...subscriptions].map((to) => ({ kind: "link", about, to }) as const),
    ...customerFacts(payerOf(data))
  ]
}

const accountFacts = (data: JsonObject): ReadonlyArray<Fact> => customerFacts(payerOf({ account: data }))

const factsOf = (type: string, data: JsonObject, at: SourceTime): ReadonlyArray<Fact> => {
  if (type === "order.completed") return orderFacts(data)
  if (type === "return.created") return returnFacts(data)
  if (type.startsWith("account.")) return accountFacts(data)
  if (!type.startsWith("subscription.")) return []
  return textAt(data, "state") === undefined ? chargeFacts(type, data, at) : subscriptionFact(type, data, at)
}

/** An event of a body; undefined of what is none, a text where its object is only named. */
const eventOf = (json: unknown): ProviderEvent | "not_expanded" | undefined => {
  const id = textAt(json, "id")
  const type = textAt(json, "type")
  const data = objectAt(memberAt(json, "data"))
  const created = timeOfMillis(memberAt(json, "created"))
  if (id === undefined || type === undefined || created === undefined) return undefined
  const isSold = /^(subscription|order|return)\./.test(type)
  if (data === undefined || (isSold && Object.keys(data).length <= 1)) return isSold ? "not_expanded" : undefined
  const changed = numberAt(data, "changed")
  const object = idAt(data, "id") ?? nounAt(data, type.split(".")[0]!)
  const at = timeOfMillis(changed) ?? created
  const live = memberAt(json, "live")
  return {
    // A resend by hand has another id, and says the same of the same change.
    id: changed === undefined || object === undefined ? id : `${type}:${object}:${changed}`,
    type,
    occurred_at: at,
    live: typeof live === "boolean" ? live : undefined,
    facts: factsOf(type, data, at)
  }
}

/** Reads a body of FastSpring, which holds several events. */
export const readFastSpring: EventReader = (json) => {
  const events = listAt(json, "events").map(eventOf)
  if (events.includes("not_expanded")) {
    return unreadable(
      "not_expanded",
      "The events name their objects only: switch on webhook expansion for the webhook."
    )
  }
  const read = events.filter((event) => event !== undefined && event !== "not_expanded")
  return read.length === 0
    ? unreadable(
      "not_an_event",
      "The body must have events of FastSpring, each with id, type, created and data."
    )
    : Result.succeed(read)
}
