import * as Result from "effect/Result"
import type { JsonObject } from "../../ground/wire/CanonicalJson.ts"
import type { Fact } from "./Fact.ts"
import { idAt, objectAt, textAt } from "./JsonMembers.ts"
import type { EventReader } from "./ProviderEvent.ts"
import { unreadable } from "./ProviderEvent.ts"
import type { SourceTime } from "./SourceTime.ts"
import { timeOfSeconds } from "./SourceTime.ts"
import { chargeFacts, disputeFacts, invoiceFacts, invoicePaymentFacts, refundFacts } from "./StripePayments.ts"
import { sessionFacts, subscriptionFacts } from "./StripeSubscriptions.ts"

/** The releases whose events are known; versions before them have a date alone. */
const releases = new Set(["acacia", "basil", "clover", "dahlia", "endive"])

const warningsAbout = (version: string | undefined): ReadonlyArray<string> => {
  const release = version?.split(".")[1]
  return release === undefined || releases.has(release)
    ? []
    : [`The API version ${version} is of a release that this service does not know: check what became of the event.`]
}

const customerFacts = (type: string, customer: JsonObject): ReadonlyArray<Fact> => {
  const id = textAt(customer, "id")
  if (id === undefined) return []
  const about = `customer/${id}` as const
  return type === "customer.deleted"
    ? [{ kind: "note", about, note: "customer_deleted" }]
    : [{ kind: "customer", about, payer: { id, email: textAt(customer, "email"), name: textAt(customer, "name") } }]
}

/** What an object that changes nothing is about, for the story of a purchase. */
const noteFacts = (type: string, object: JsonObject): ReadonlyArray<Fact> => {
  const note = type.replaceAll(".", "_")
  const id = textAt(object, "id")
  if (type.startsWith("payment_intent.") && id !== undefined) {
    return [{ kind: "note", about: `payment/${id}`, note }]
  }
  const subscription = type.startsWith("subscription_schedule.") ? idAt(object, "subscription") : undefined
  return subscription === undefined ? [] : [{ kind: "note", about: `subscription/${subscription}`, note }]
}

/** The facts of an event by the beginning of its type, the longest first. */
const readers: ReadonlyArray<
  readonly [
    string,
    (type: string, object: JsonObject, previous: JsonObject | undefined, at: SourceTime) => ReadonlyArray<Fact>
  ]
> = [
  ["customer.subscription.", subscriptionFacts],
  ["customer.tax_id", () => []],
  ["customer.source", () => []],
  ["customer.discount", () => []],
  ["customer.", customerFacts],
  ["checkout.session.expired", () => []],
  ["checkout.session.", sessionFacts],
  ["invoice.", invoiceFacts],
  ["invoice_payment.", (_, object) => invoicePaymentFacts(object)],
  ["charge.dispute.", (_, object) => disputeFacts(object)],
  ["charge.refund.", (_, object) => refundFacts(object)],
  ["charge.", chargeFacts],
  ["refund.", (_, object) => refundFacts(object)],
  ["", noteFacts]
]

/** Reads an event of Stripe, of every API version since 2024: members stand where the version of the endpoint has them. */
export const readStripe: EventReader = (json) => {
  const event = objectAt(json)
  if (event?.["object"] === "v2.core.event") {
    return unreadable(
      "thin_payload",
      "The event is a thin one, which names its object and does not hold it: choose the payload style snapshot for the " +
        "endpoint at Stripe."
    )
  }
  const id = textAt(event, "id")
  const type = textAt(event, "type")
  const at = timeOfSeconds(event?.["created"])
  const object = objectAt(objectAt(event?.["data"])?.["object"])
  if (event?.["object"] !== "event" || id === undefined || type === undefined || at === undefined || !object) {
    return unreadable("not_an_event", "The body is no event of Stripe: it must be an object `event` with its data.")
  }
  if (textAt(event, "account") !== undefined) {
    return unreadable(
      "connected_account",
      "The event is of a connected account, which is another merchant: let the endpoint listen to events of your account."
    )
  }
  const version = textAt(event, "api_version")
  const [, read] = readers.find(([beginning]) => type.startsWith(beginning))!
  return Result.succeed([{
    id,
    type,
    occurred_at: at,
    live: typeof event["livemode"] === "boolean" ? event["livemode"] : undefined,
    api_version: version,
    warnings: warningsAbout(version),
    facts: read(type, object, objectAt(objectAt(event["data"])?.["previous_attributes"]), at)
  }])
}
