import * as Result from "effect/Result"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { BilledLine, Fact, Item, Link, PaymentFact, SubscriptionState } from "./Fact.ts"
import { idAt, listAt, memberAt, numberAt, objectAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import type { EventReader } from "./ProviderEvent.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfText } from "./SourceTime.ts"

const states: Readonly<Record<string, SubscriptionState>> = {
  trialing: "trialing",
  active: "active",
  past_due: "past_due",
  paused: "paused",
  canceled: "canceled"
}

const linksOfCustomer = (data: JsonObject, to: Link["to"]): ReadonlyArray<Link> => {
  const customer = textAt(data, "customer_id")
  return customer === undefined ? [] : [{ kind: "link", about: `customer/${customer}`, to }]
}

/** An item. Its id is its price; the period is the subscription's, which has none while it is paused or canceled. */
const itemOf = (item: unknown, period: unknown): Item => ({
  price: textAt(item, "price", "id"),
  product: textAt(item, "price", "product_id"),
  name: textAt(item, "price", "name"),
  quantity: quantityAt(item, "quantity"),
  period_start: timeOfText(memberAt(period, "starts_at")),
  period_end: timeOfText(memberAt(period, "ends_at"))
})

const subscriptionFacts = (type: string, data: JsonObject, at: SourceTime): ReadonlyArray<Fact> => {
  const id = textAt(data, "id")
  if (id === undefined) return []
  const about = `subscription/${id}` as const
  const said = textAt(data, "status") ?? ""
  const state = states[said]
  const items = listAt(data, "items").filter((item) => memberAt(item, "recurring") !== false)
    .map((item) => itemOf(item, data["current_billing_period"]))
  const action = textAt(data, "scheduled_change", "action")
  const effective = timeOfText(memberAt(data, "scheduled_change", "effective_at"))
  const canceledAt = timeOfText(data["canceled_at"])
  const transaction = textAt(data, "transaction_id")
  const trialEnd = listAt(data, "items").map((item) => timeOfText(memberAt(item, "trial_dates", "ends_at")))
    .find((time) => time !== undefined) ?? (state === "trialing" ? timeOfText(data["next_billed_at"]) : undefined)
  return [
    {
      kind: "subscription",
      about,
      rank: type === "subscription.created" ? 0 : type === "subscription.canceled" ? 2 : 1,
      state,
      said,
      ...(items.length === 0 ? {} : { items }),
      payer: { id: textAt(data, "customer_id") },
      origin: { metadata: textsAt(data, "custom_data") },
      began_at: timeOfText(data["started_at"]) ?? timeOfText(data["created_at"]),
      trial_end: trialEnd,
      cancel_at: action === "cancel" && state !== "canceled" ? effective : undefined,
      canceled_at: canceledAt,
      ended_at: state === "canceled" ? canceledAt ?? at : undefined,
      by_invoice: data["collection_mode"] === "manual"
    },
    ...(action === "pause" ? [{ kind: "note", about, note: "pause_scheduled", detail: effective } as const] : []),
    // A migration, and no sale.
    ...(type === "subscription.imported" ? [{ kind: "note", about, note: "imported" } as const] : []),
    ...(transaction === undefined ? [] : [{ kind: "link", about: `payment/${transaction}`, to: about } as const]),
    ...linksOfCustomer(data, about)
  ]
}

/** Transactions that pay for a period; others are upgrades, extra charges, and zero for another card. */
const periodOrigins = new Set(["web", "api", "subscription_recurring"])

/** Transactions that may sell something once. */
const saleOrigins = new Set(["web", "api", "subscription_charge"])

const paymentState = (type: string, status: string | undefined): PaymentFact["state"] | undefined => {
  if (status === "paid" || status === "completed") return "paid"
  if (status === "canceled") return "void"
  return status === "past_due" || type === "transaction.payment_failed" ? "failed" : undefined
}

const transactionFacts = (type: string, data: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(data, "id")
  if (id === undefined) return []
  const about = `payment/${id}` as const
  const origin = textAt(data, "origin") ?? ""
  const said = textAt(data, "status") ?? ""
  const state = paymentState(type, said)
  const subscription = textAt(data, "subscription_id")
  const link: ReadonlyArray<Link> = subscription === undefined
    ? []
    : [{ kind: "link", about, to: `subscription/${subscription}` }]
  // What was declined at the checkout, or never paid, is no purchase.
  if (state === undefined || (state !== "paid" && subscription === undefined)) return link
  const total = numberAt(data, "details", "totals", "grand_total") ?? numberAt(data, "details", "totals", "total")
  const amount = total === undefined ? undefined : { value: total, currency: textAt(data, "currency_code") }
  const isOfPeriod = periodOrigins.has(origin)
  const lines = listAt(data, "items").filter((item) => memberAt(item, "price", "billing_cycle") !== undefined).map(
    (item): BilledLine => ({
      price: textAt(item, "price", "id"),
      product: textAt(item, "price", "product_id"),
      quantity: numberAt(item, "quantity"),
      start: timeOfText(memberAt(data, "billing_period", "starts_at")),
      end: timeOfText(memberAt(data, "billing_period", "ends_at"))
    })
  )
  const once = state === "paid" && saleOrigins.has(origin)
    ? listAt(data, "items").filter((item) =>
      objectAt(memberAt(item, "price")) !== undefined && memberAt(item, "price", "billing_cycle") === undefined
    ).map((item) => itemOf(item, undefined))
    : []
  const order = `order/${id}` as const
  return [
    {
      kind: "payment",
      about,
      state,
      aside: !isOfPeriod,
      ...(lines.length > 0 ? { lines } : {}),
      ...(state === "paid" && isOfPeriod
        ? { paid_through: timeOfText(memberAt(data, "billing_period", "ends_at")) }
        : {}),
      ...(state === "failed" && isOfPeriod
        ? { period_start: timeOfText(memberAt(data, "billing_period", "starts_at")) }
        : {}),
      ...(state === "paid" ? { amount } : {})
    },
    ...link,
    ...(once.length === 0 ? [] : [
      {
        kind: "order",
        about: order,
        state: "paid",
        said,
        items: once,
        payer: { id: textAt(data, "customer_id") },
        origin: { metadata: textsAt(data, "custom_data") },
        began_at: timeOfText(data["billed_at"]) ?? timeOfText(data["created_at"]),
        amount
      } as const,
      { kind: "link", about, to: order } as const,
      ...linksOfCustomer(data, order)
    ])
  ]
}

const refundStates = {
  pending_approval: "pending",
  approved: "succeeded",
  rejected: "failed",
  reversed: "failed"
} as const

const chargebackStates = { pending_approval: "open", approved: "lost", rejected: "won", reversed: "won" } as const

const adjustmentFacts = (data: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(data, "id")
  const transaction = textAt(data, "transaction_id")
  const action = textAt(data, "action") ?? ""
  const status = textAt(data, "status") ?? ""
  if (id === undefined || transaction === undefined) return []
  const about = `payment/${transaction}` as const
  const subscription = textAt(data, "subscription_id")
  const links: ReadonlyArray<Link> = subscription === undefined
    ? []
    : [{ kind: "link", about, to: `subscription/${subscription}` }]
  const refund = refundStates[status as keyof typeof refundStates]
  const chargeback = chargebackStates[status as keyof typeof chargebackStates]
  const said = `${action} ${status}`
  const note = { kind: "note", about, note: `adjustment_${action}`, detail: status } as const
  const total = numberAt(data, "totals", "total")
  const amount = total === undefined ? undefined : { value: total, currency: textAt(data, "currency_code") }
  const isFull = textAt(data, "type") === "full"
  if (refund === undefined || chargeback === undefined) return [note, ...links]
  switch (action) {
    case "refund": {
      const full = isFull ? true : undefined
      return [{ kind: "refund", about, refund: id, state: refund, full, amount }, ...links]
    }
    case "chargeback":
      return [
        {
          kind: "dispute",
          about,
          dispute: transaction,
          state: chargeback,
          said,
          // One of the whole payment is, whatever its total says after fees and taxes.
          ...(isFull || amount === undefined ? {} : { amount })
        },
        ...links
      ]
    case "chargeback_reverse":
      return [
        ...(status === "approved"
          ? [{ kind: "dispute", about, dispute: transaction, state: "won", said } as const]
          : [note]),
        ...links
      ]
    case "chargeback_warning":
      return [{ kind: "dispute", about, dispute: `${transaction} warning`, state: "warning", said }, ...links]
    default:
      // Credit is no money back.
      return [note, ...links]
  }
}

const customerFacts = (data: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(data, "id")
  return id === undefined ? [] : [{
    kind: "customer",
    about: `customer/${id}`,
    payer: { id, email: textAt(data, "email"), name: textAt(data, "name") }
  }]
}

/** Reads a notification of Paddle Billing. It does not say whether it is live: the sandbox has accounts of its own. */
export const readPaddle: EventReader = (json) => {
  const id = textAt(json, "event_id")
  const type = textAt(json, "event_type")
  const at = timeOfText(memberAt(json, "occurred_at"))
  const data = objectAt(memberAt(json, "data"))
  if (id === undefined || type === undefined || at === undefined || data === undefined) {
    return unreadable(
      "not_an_event",
      "The body is no notification of Paddle Billing: event_id, event_type, occurred_at and data."
    )
  }
  const [noun] = type.split(".")
  return Result.succeed([{
    id,
    type,
    occurred_at: at,
    live: undefined,
    facts: noun === "subscription"
      ? subscriptionFacts(type, data, at)
      : noun === "transaction"
      ? transactionFacts(type, data)
      : noun === "adjustment"
      ? adjustmentFacts(data)
      : noun === "customer" && idAt(data) !== undefined
      ? customerFacts(data)
      : []
  }])
}
