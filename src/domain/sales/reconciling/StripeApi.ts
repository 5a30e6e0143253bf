import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import { idAt, memberAt, numberAt, objectAt, textAt } from "../providers/JsonMembers.ts"
import { objectsIn, partsOf, withParameter } from "./ProviderApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"

/** The API version that is asked for: the shapes of objects are those of the version, whatever the account's is. */
const version = "2025-09-30.clover"

const customer = "expand[]=data.customer"

const event = (type: string, created: number, object: JsonObject): JsonObject => ({
  id: `read_${String(object["id"])}`,
  object: "event",
  api_version: version,
  created,
  // A refund does not say it.
  ...(typeof object["livemode"] === "boolean" ? { livemode: object["livemode"] } : {}),
  type,
  data: { object }
})

/** Where an object is expanded, its id alone: what it says is an event of its own. */
const collapsed = (object: JsonObject, ...names: ReadonlyArray<string>): JsonObject => ({
  ...object,
  ...Object.fromEntries(
    names.flatMap((name) => objectAt(object[name]) === undefined ? [] : [[name, idAt(object, name)!]])
  )
})

const customerEvents = (object: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const found = objectAt(object["customer"])
  return found === undefined || found["deleted"] === true ? [] : [event("customer.updated", at, found)]
}

const invoiceTypes: Readonly<Record<string, string>> = {
  paid: "invoice.paid",
  void: "invoice.voided",
  uncollectible: "invoice.marked_uncollectible"
}

/** What an invoice says, at its own instants: an old one that is read late is no later payment. */
const invoiceEvents = (invoice: JsonObject): ReadonlyArray<JsonObject> => {
  const status = textAt(invoice, "status") ?? ""
  const created = numberAt(invoice, "created")
  const paid = numberAt(invoice, "status_transitions", "paid_at") ?? created
  const type = invoiceTypes[status]
  const object = collapsed(invoice, "customer")
  if (created === undefined) return []
  if (type !== undefined) return [event(type, status === "paid" ? paid! : created, object)]
  const failed = status === "open" && (numberAt(invoice, "attempt_count") ?? 0) > 0
  return failed ? [event("invoice.payment_failed", created, object)] : []
}

const subscriptionEvents = (subscription: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const invoice = objectAt(subscription["latest_invoice"])
  const type = subscription["status"] === "canceled" ? "customer.subscription.deleted" : "customer.subscription.updated"
  return [
    event(type, at, collapsed(subscription, "customer", "latest_invoice")),
    ...customerEvents(subscription, at),
    ...(invoice === undefined ? [] : invoiceEvents(invoice))
  ]
}

const sessionEvents = (session: JsonObject, at: number): ReadonlyArray<JsonObject> =>
  session["status"] === "complete"
    ? [event("checkout.session.completed", at, collapsed(session, "customer")), ...customerEvents(session, at)]
    : []

/** A refund was what it is since it was made, unless it has failed since. */
const refundEvents = (refund: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const isUndone = refund["status"] === "failed" || refund["status"] === "canceled"
  return [event("refund.updated", isUndone ? at : numberAt(refund, "created") ?? at, collapsed(refund, "charge"))]
}

const disputeEvents = (dispute: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  const isNew = /^(warning_)?needs_response$/.test(textAt(dispute, "status") ?? "")
  return [event("charge.dispute.updated", isNew ? numberAt(dispute, "created") ?? at : at, dispute)]
}

const eventsOf = (object: JsonObject, at: number): ReadonlyArray<JsonObject> => {
  if (textAt(object, "id") === undefined) return []
  switch (object["object"]) {
    case "subscription":
      return subscriptionEvents(object, at)
    case "checkout.session":
      return sessionEvents(object, at)
    case "invoice":
      return invoiceEvents(object)
    case "refund":
      return refundEvents(object, at)
    case "dispute":
      return disputeEvents(object, at)
    default:
      return []
  }
}

/**
 * Stripe. A subscription has no instant of its last change, so it is as it is at the instant at which it was read; the
 * session of a purchase that is paid once names the price, which its events do not.
 */
export const stripeApi: ProviderApi = {
  origin: () => "https://api.stripe.com",
  isLive: (key) => /^[rs]k_test_/.test(key) ? false : /^[rs]k_live_/.test(key) ? true : undefined,
  isLiveIn: () => undefined,
  headers: (key) => ({ authorization: `Bearer ${key}`, "stripe-version": version }),
  lists: [
    `/v1/subscriptions?limit=100&status=all&${customer}`,
    `/v1/checkout/sessions?limit=100&status=complete&${customer}&expand[]=data.line_items`,
    "/v1/invoices?limit=100&expand[]=data.payments",
    "/v1/refunds?limit=100",
    "/v1/disputes?limit=100"
  ],
  pathOf: (purchase) => {
    const [kind, id] = partsOf(purchase)
    return kind === "subscription"
      ? `/v1/subscriptions/${id}?expand[]=customer&expand[]=latest_invoice.payments`
      : id.startsWith("in_")
      ? `/v1/invoices/${id}?expand[]=payments`
      : `/v1/checkout/sessions/${id}?expand[]=customer&expand[]=line_items`
  },
  read: (path, json, at) => {
    const isList = memberAt(json, "object") === "list"
    const objects = isList ? objectsIn(memberAt(json, "data")) : objectsIn(json)
    if (objects === undefined || (!isList && textAt(json, "object") === undefined)) return undefined
    // The instant of reading is a whole second, and so is that of events: those of the same second may be newer, and come after.
    const seconds = Math.floor(at / 1000) - 0.001
    const last = textAt(objects.at(-1), "id")
    return {
      bodies: objects.flatMap((object) => eventsOf(object, seconds)),
      follow: isList && memberAt(json, "has_more") === true && last !== undefined
        ? [withParameter(path, "starting_after", last)]
        : []
    }
  }
}
