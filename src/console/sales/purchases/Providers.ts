import type { BillingProvider, MatchedBy } from "../../../client/api/index.ts"

/** The facts of a payment provider that are needed to connect it. */
interface ProviderFacts {
  readonly name: string
  /** Where its webhooks are set up. */
  readonly place: string
  /** The events that it has to send; empty where all are sent. */
  readonly events: ReadonlyArray<string>
  /** The form of its secret. */
  readonly secret: string
  /** The API key, by the rights that it needs. */
  readonly apiKey: string
  /** The most common mistake. */
  readonly notice: string
  readonly guide: string
  /** The ID that its purchases are matched by first. */
  readonly by: MatchedBy
}

/** The payment providers, by their names in the contract. */
export const providers: Readonly<Record<BillingProvider, ProviderFacts>> = {
  stripe: {
    name: "Stripe",
    place: "Stripe dashboard: Developers, Webhooks, Add destination, snapshot payload",
    events: [
      "checkout.session.completed",
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.created",
      "customer.updated",
      "invoice.paid",
      "invoice.payment_failed",
      "invoice.voided",
      "invoice.marked_uncollectible",
      "invoice_payment.paid",
      "refund.created",
      "refund.updated",
      "refund.failed",
      "charge.refunded",
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.dispute.closed"
    ],
    secret: "Starts with whsec_",
    apiKey:
      "A restricted key that can read subscriptions, customers, invoices, checkout sessions, refunds and disputes",
    notice:
      "Events of a one-time checkout name no price. Turn on invoice_creation for the payment link or session, or map the payment link.",
    guide: "/docs/guides/sell-with-stripe",
    by: "price"
  },
  paddle: {
    name: "Paddle",
    place: "Paddle dashboard: Developer tools, Notifications, New destination",
    events: [
      "subscription.*",
      "transaction.paid",
      "transaction.completed",
      "transaction.payment_failed",
      "transaction.past_due",
      "transaction.canceled",
      "adjustment.created",
      "adjustment.updated",
      "customer.created",
      "customer.updated"
    ],
    secret: "Starts with pdl_",
    apiKey: "An API key that can read subscriptions, transactions, adjustments and customers",
    notice: "Sandbox and live are separate accounts. Connect the sandbox to the test environment.",
    guide: "/docs/guides/sell-with-paddle",
    by: "price"
  },
  lemon_squeezy: {
    name: "Lemon Squeezy",
    place: "Lemon Squeezy: Settings, Webhooks, New webhook",
    events: [
      "order_created",
      "order_refunded",
      "subscription_created",
      "subscription_updated",
      "subscription_payment_success",
      "subscription_payment_failed",
      "subscription_payment_refunded"
    ],
    secret: "The signing secret that you entered there, 6 to 40 characters",
    apiKey: "An API key of the store",
    notice: "Lemon Squeezy tries an event four times. Resend missed events in its dashboard.",
    guide: "/docs/guides/sell-with-lemon-squeezy",
    by: "variant"
  },
  fastspring: {
    name: "FastSpring",
    place: "FastSpring: Developer tools, Webhooks, Add webhook, with webhook expansion",
    events: [
      "order.completed",
      "return.created",
      "account.updated",
      "subscription.activated",
      "subscription.updated",
      "subscription.canceled",
      "subscription.uncanceled",
      "subscription.deactivated",
      "subscription.charge.completed",
      "subscription.charge.failed",
      "subscription.payment.overdue"
    ],
    secret: "The HMAC SHA256 secret of the webhook",
    apiKey: "API credentials as user:password",
    notice: "Turn on webhook expansion. Without it, events name only IDs.",
    guide: "/docs/guides/sell-with-fastspring",
    by: "product"
  },
  chargebee: {
    name: "Chargebee",
    place: "Chargebee: Settings, Configure Chargebee, Webhooks, Add webhook, API version V2",
    events: [],
    secret: "The user and password of its basic authentication, as user:password",
    apiKey: "The site and a read-only API key of it, as site:key",
    notice: "Chargebee signs nothing. Its user and password are the only proof, so use HTTPS and a long password.",
    guide: "/docs/guides/sell-with-chargebee",
    by: "price"
  }
}

/** The name of a payment provider; of one that a newer service has, its code. */
export const providerName = (provider: string): string =>
  (providers as Readonly<Record<string, ProviderFacts | undefined>>)[provider]?.name ?? provider

const stripePaths: ReadonlyArray<readonly [prefix: string, path: string]> = [
  ["sub_", "subscriptions"],
  ["in_", "invoices"],
  ["pi_", "payments"],
  ["ch_", "payments"],
  ["evt_", "events"],
  ["cus_", "customers"]
]

const stripeUrl = (id: string, isTest: boolean): string | undefined => {
  const path = stripePaths.find(([prefix]) => id.startsWith(prefix))?.[1]
  return path === undefined ? undefined : `https://dashboard.stripe.com/${isTest ? "test/" : ""}${path}/${id}`
}

/** Where a provider shows one of its objects; undefined where no address follows from the ID. `isTest` is of the environment. */
export const urlAtProvider = (
  provider: string,
  kind: "subscription" | "order" | undefined,
  id: string,
  isTest: boolean
): string | undefined => {
  // Only an ID becomes part of a URL.
  if (!/^[\w-]+$/.test(id)) return undefined
  if (provider === "stripe") return stripeUrl(id, isTest)
  if (kind === undefined) return undefined
  if (provider === "lemon_squeezy") return `https://app.lemonsqueezy.com/${kind}s/${id}`
  if (provider === "paddle" && kind === "subscription") {
    return `https://${isTest ? "sandbox-" : ""}vendors.paddle.com/subscriptions-v2/${id}`
  }
  return undefined
}
