import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { periodsOf } from "./Fact.ts"
import type { BilledLine, DisputeFact, Fact, Item, Link, ObjectName, PaymentFact, RefundFact } from "./Fact.ts"
import { idAt, listAt, memberAt, numberAt, quantityAt, textAt, textsAt } from "./JsonMembers.ts"
import { timeOfSeconds } from "./SourceTime.ts"
import { customerIdOf, linksOfCustomer } from "./StripeSubscriptions.ts"

/** The object that pays: the payment intent, or the charge of those that have none; and what links both. */
const paying = (object: JsonObject, charge: string | undefined): readonly [ObjectName | undefined, Array<Link>] => {
  const payment = idAt(object, "payment_intent")
  const about = payment !== undefined
    ? `payment/${payment}` as const
    : charge === undefined
    ? undefined
    : `charge/${charge}` as const
  const isLinked = payment !== undefined && charge !== undefined
  return [about, isLinked ? [{ kind: "link", about: `charge/${charge}`, to: `payment/${payment}` }] : []]
}

/** The subscription that an invoice is of, since 2025-03-31.basil and before; quotes and manual ones have none. */
const subscriptionOf = (invoice: JsonObject): string | undefined =>
  idAt(invoice, "parent", "subscription_details", "subscription") ?? idAt(invoice, "subscription")

/** The quote that an invoice is of: what it sells no checkout tells. */
const quoteOf = (invoice: JsonObject): string | undefined =>
  idAt(invoice, "parent", "quote_details", "quote") ?? idAt(invoice, "quote")

/** What an invoice sells that is of no subscription. */
const itemsOf = (invoice: JsonObject): ReadonlyArray<Item> =>
  listAt(invoice, "lines", "data").map((line) => ({
    price: idAt(line, "pricing", "price_details", "price") ?? idAt(line, "price"),
    product: idAt(line, "pricing", "price_details", "product") ?? idAt(line, "price", "product"),
    name: textAt(line, "description"),
    quantity: quantityAt(line, "quantity")
  }))

/** The purchase that the paid invoice of a quote is: a checkout has a session of its own, and an invoice without either is none. */
const soldByQuote = (id: string, invoice: JsonObject): ReadonlyArray<Fact> => {
  if (quoteOf(invoice) === undefined || subscriptionOf(invoice) !== undefined) return []
  const about = `order/${id}` as const
  const [paid, currency] = [numberAt(invoice, "amount_paid"), textAt(invoice, "currency")]
  return [
    {
      kind: "order",
      about,
      state: "paid",
      said: "paid",
      items: itemsOf(invoice),
      payer: {
        id: customerIdOf(invoice),
        email: textAt(invoice, "customer_email"),
        name: textAt(invoice, "customer_name")
      },
      origin: { metadata: textsAt(invoice, "metadata") },
      began_at: timeOfSeconds(memberAt(invoice, "status_transitions", "paid_at") ?? invoice["created"]),
      amount: paid === undefined ? undefined : { value: paid, currency }
    },
    ...linksOfCustomer(invoice, about),
    { kind: "link", about: `invoice/${id}`, to: about }
  ]
}

const isProration = (line: unknown): boolean =>
  [
    memberAt(line, "proration"),
    memberAt(line, "parent", "subscription_item_details", "proration"),
    memberAt(line, "parent", "invoice_item_details", "proration")
  ].includes(true)

/** Whether a line is for what is sold once, such as a fee that was added to the invoice. */
const isOnce = (line: unknown): boolean =>
  !isProration(line) && [memberAt(line, "type"), memberAt(line, "parent", "type")]
    .some((type) => type === "invoiceitem" || type === "invoice_item_details")

const invoiceStates: Readonly<Record<string, PaymentFact["state"]>> = {
  "invoice.paid": "paid",
  "invoice.payment_succeeded": "paid",
  "invoice.payment_failed": "failed",
  "invoice.voided": "void",
  "invoice.marked_uncollectible": "uncollectible"
}

/** The lines of an invoice: its own period is the window in which items were gathered. Credit for what was left asks for nothing. */
const linesOf = (invoice: JsonObject): ReadonlyArray<BilledLine> =>
  listAt(invoice, "lines", "data").filter((line) => !isProration(line) || (numberAt(line, "amount") ?? 0) >= 0)
    .map((line) => ({
      item: idAt(line, "parent", "subscription_item_details", "subscription_item") ?? idAt(line, "subscription_item"),
      price: idAt(line, "pricing", "price_details", "price") ?? idAt(line, "price"),
      product: idAt(line, "pricing", "price_details", "product") ?? idAt(line, "price", "product"),
      quantity: numberAt(line, "quantity"),
      start: timeOfSeconds(memberAt(line, "period", "start")),
      end: timeOfSeconds(memberAt(line, "period", "end")),
      proration: isProration(line) ? true : undefined,
      once: isOnce(line) ? true : undefined
    }))

/** The facts of an event whose object is an invoice. */
export const invoiceFacts = (type: string, invoice: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(invoice, "id")
  if (id === undefined) return []
  const about = `invoice/${id}` as const
  const subscription = subscriptionOf(invoice)
  const customer = customerIdOf(invoice)
  const payments = [
    idAt(invoice, "payment_intent"),
    ...listAt(invoice, "payments", "data").map((payment) => idAt(payment, "payment", "payment_intent"))
  ].filter((payment) => payment !== undefined)
  const charge = idAt(invoice, "charge")
  const links: ReadonlyArray<Link> = [
    ...(subscription === undefined ? [] : [{ kind: "link", about, to: `subscription/${subscription}` } as const]),
    ...[...new Set(payments)].map((payment) => ({ kind: "link", about: `payment/${payment}`, to: about } as const)),
    ...(charge === undefined ? [] : [{ kind: "link", about: `charge/${charge}`, to: about } as const])
  ]
  const state = invoiceStates[type]
  if (state === undefined) {
    return [{ kind: "note", about, note: type.replace(".", "_"), detail: textAt(invoice, "billing_reason") }, ...links]
  }
  const paid = numberAt(invoice, "amount_paid")
  const lines = linesOf(invoice)
  const isAside = periodsOf(lines, "end").length === 0
  const email = textAt(invoice, "customer_email")
  const name = textAt(invoice, "customer_name")
  return [
    {
      kind: "payment",
      about,
      state,
      ...(subscription === undefined ? {} : { aside: isAside, lines }),
      ...(state === "paid" && subscription !== undefined ? { paid_through: periodsOf(lines, "end").at(-1) } : {}),
      ...(state === "failed"
        ? { period_start: periodsOf(lines, "start")[0], tries_again: invoice["next_payment_attempt"] !== null }
        : {}),
      ...(state === "paid" && paid !== undefined
        ? { amount: { value: paid, currency: textAt(invoice, "currency") } }
        : {}),
      ...(state === "paid" && subscription === undefined
        ? { items: itemsOf(invoice) }
        : {})
    },
    ...(state === "paid" ? soldByQuote(id, invoice) : []),
    ...(customer !== undefined && (email ?? name) !== undefined
      ? [{ kind: "customer", about: `customer/${customer}`, payer: { id: customer, email, name } } as const]
      : []),
    ...links
  ]
}

/** The link that the payment of an invoice tells: since 2025-03-31.basil neither of both names the other. */
export const invoicePaymentFacts = (object: JsonObject): ReadonlyArray<Fact> => {
  const invoice = idAt(object, "invoice")
  if (invoice === undefined) return []
  const to = `invoice/${invoice}` as const
  const payment = idAt(object, "payment", "payment_intent")
  const charge = idAt(object, "payment", "charge")
  return [
    ...(payment === undefined ? [] : [{ kind: "link", about: `payment/${payment}`, to } as const]),
    ...(charge === undefined ? [] : [{ kind: "link", about: `charge/${charge}`, to } as const])
  ]
}

/** The facts of a charge. Its refunds are a total: a second partial one says what both gave back. */
export const chargeFacts = (type: string, charge: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(charge, "id")
  if (id === undefined) return []
  const [about, links] = paying(charge, id)
  const invoice = idAt(charge, "invoice")
  if (invoice !== undefined) links.push({ kind: "link", about: about!, to: `invoice/${invoice}` })
  if (type !== "charge.refunded") return [{ kind: "note", about: about!, note: type.replace(".", "_") }, ...links]
  const amount = numberAt(charge, "amount_refunded")
  return [
    {
      kind: "refund",
      about: about!,
      state: "succeeded",
      full: charge["refunded"] === true,
      amount: amount === undefined ? undefined : { value: amount, currency: textAt(charge, "currency") },
      paid: numberAt(charge, "amount")
    },
    ...links
  ]
}

const refundStates: Readonly<Record<string, RefundFact["state"]>> = {
  pending: "pending",
  requires_action: "pending",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "failed"
}

/** The facts of a refund, which is no money back while it is pending, and none any more when it failed. */
export const refundFacts = (refund: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(refund, "id")
  const [about, links] = paying(refund, idAt(refund, "charge"))
  const state = refundStates[textAt(refund, "status") ?? ""]
  const amount = numberAt(refund, "amount")
  if (id === undefined || about === undefined) return links
  if (state === undefined) {
    return [{ kind: "note", about, note: "unknown_refund_status", detail: textAt(refund, "status") }, ...links]
  }
  return [
    {
      kind: "refund",
      about,
      refund: id,
      state,
      amount: amount === undefined ? undefined : { value: amount, currency: textAt(refund, "currency") }
    },
    ...links
  ]
}

/** Inquiries, and disputes that were prevented, are no chargebacks. */
const disputeState = (status: string): DisputeFact["state"] | undefined => {
  if (status.startsWith("warning_") || status === "prevented") return "warning"
  if (status === "needs_response" || status === "under_review" || status.startsWith("appeal_")) return "open"
  return status === "won" || status === "lost" ? status : undefined
}

/** The facts of a dispute. */
export const disputeFacts = (dispute: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(dispute, "id")
  const [about, links] = paying(dispute, idAt(dispute, "charge"))
  if (id === undefined || about === undefined) return links
  const said = textAt(dispute, "status") ?? ""
  const state = disputeState(said)
  const amount = numberAt(dispute, "amount")
  return [
    state === undefined
      ? { kind: "note", about, note: "unknown_dispute_status", detail: said }
      : {
        kind: "dispute",
        about,
        dispute: id,
        state,
        said,
        ...(amount === undefined ? {} : { amount: { value: amount, currency: textAt(dispute, "currency") } })
      },
    ...links
  ]
}
