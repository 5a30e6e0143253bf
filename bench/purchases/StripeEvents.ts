import { createHmac } from "node:crypto"

/** The price that the bench sells. */
export const price = "price_bench"

/** About what Stripe's objects hold beside what is read of them, in bytes. */
const beside = "x".repeat(2_000)

const month = 30 * 86_400

/** An event, and whether it is the one that makes a license due. */
interface BenchEvent {
  readonly type: string
  readonly object: object
  readonly isDeciding?: boolean
}

/** What Stripe sends of one checkout of a subscription, in its order; `name` makes the ids of this purchase unlike others. */
const checkout = (name: string, from: number): ReadonlyArray<BenchEvent> => {
  const id = (kind: string) => `${kind}_${name}`
  const customer = id("cus")
  const email = `${name}@example.com`
  const charge = {
    id: id("ch"),
    object: "charge",
    amount: 4900,
    amount_refunded: 0,
    payment_intent: id("pi"),
    customer
  }
  const intent = { id: id("pi"), object: "payment_intent", amount: 4900, customer }
  const invoice = (status: string) => ({
    id: id("in"),
    object: "invoice",
    status,
    customer,
    customer_email: email,
    billing_reason: "subscription_create",
    amount_paid: 4900,
    currency: "eur",
    parent: { type: "subscription_details", subscription_details: { subscription: id("sub") } },
    lines: {
      has_more: false,
      data: [{
        id: id("il"),
        period: { start: from, end: from + month },
        parent: { subscription_item_details: { subscription_item: id("si"), proration: false } },
        pricing: { price_details: { price, product: "prod_bench" } },
        quantity: 5
      }]
    }
  })
  const subscription = (status: string) => ({
    id: id("sub"),
    object: "subscription",
    status,
    customer,
    collection_method: "charge_automatically",
    items: {
      has_more: false,
      data: [{
        id: id("si"),
        price: { id: price, product: "prod_bench", nickname: "Pro, monthly" },
        quantity: 5,
        current_period_start: from,
        current_period_end: from + month
      }]
    },
    metadata: {}
  })
  return [
    { type: "customer.created", object: { id: customer, object: "customer", email, name: "Ada Lovelace" } },
    { type: "payment_method.attached", object: { id: id("pm"), object: "payment_method", customer } },
    { type: "customer.updated", object: { id: customer, object: "customer", email, name: "Ada Lovelace" } },
    { type: "invoice.created", object: invoice("draft") },
    { type: "invoice.finalized", object: invoice("open") },
    { type: "payment_intent.created", object: intent },
    { type: "customer.subscription.created", object: subscription("incomplete") },
    { type: "charge.succeeded", object: charge },
    { type: "payment_intent.succeeded", object: intent },
    { type: "customer.subscription.updated", object: subscription("active"), isDeciding: true },
    { type: "invoice.updated", object: invoice("paid") },
    { type: "invoice.paid", object: invoice("paid") },
    { type: "invoice.payment_succeeded", object: invoice("paid") },
    {
      type: "invoice_payment.paid",
      object: {
        id: id("inpay"),
        object: "invoice_payment",
        invoice: id("in"),
        payment: { type: "payment_intent", payment_intent: id("pi") }
      }
    },
    {
      type: "checkout.session.completed",
      object: {
        id: id("cs"),
        object: "checkout.session",
        mode: "subscription",
        payment_status: "paid",
        subscription: id("sub"),
        invoice: id("in"),
        customer,
        customer_details: { email, name: "Ada Lovelace" }
      }
    }
  ]
}

/** How many events a checkout has. */
export const eventsOfCheckout = checkout("one", 0).length

/** A request that is ready to be sent. */
export interface ReadyEvent {
  readonly body: string
  readonly signature: string
  /** The subscription whose license is due from this event on. */
  readonly decides: string | undefined
}

/** The events of so many checkouts, signed to be sent within five minutes. */
export const readyEvents = (run: string, checkouts: number, secret: string): ReadonlyArray<ReadyEvent> => {
  const now = Math.floor(Date.now() / 1000)
  return Array.from({ length: checkouts }, (_, index) => `${run}${index}`).flatMap((name) =>
    checkout(name, now - 60).map(({ isDeciding, object, type }, index): ReadyEvent => {
      const body = JSON.stringify({
        id: `evt_${name}_${index}`,
        object: "event",
        api_version: "2026-10-28.endive",
        created: now - 60 + index,
        livemode: true,
        type,
        data: { object: { ...object, beside } }
      })
      const mac = createHmac("sha256", secret).update(`${now}.${body}`).digest("hex")
      return { body, signature: `t=${now},v1=${mac}`, decides: isDeciding === true ? `sub_${name}` : undefined }
    })
  )
}
