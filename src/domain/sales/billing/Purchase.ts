import { Schema } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import { bigCount, count, CreatedAt, field, optional, Timestamp, UpdatedAt } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { subscriptionStates } from "../providers/Fact.ts"
import { Provider } from "../providers/Provider.ts"

const at = "2026-11-21T10:30:00.000Z"

/** How far the work for a purchase is. */
export const PurchaseStatus = Schema.Literals(["new", "done", "waiting", "failed"]).annotate({
  identifier: "PurchaseStatus",
  description:
    "`new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it " +
    "cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is " +
    "tried again."
})
export type PurchaseStatus = typeof PurchaseStatus.Type

/** The states of a purchase, of a subscription and of what is paid once, in the service's own words. */
export const PurchaseState = Schema.Literals([...subscriptionStates, "pending", "failed", "paid"]).annotate({
  identifier: "PurchaseState",
  description:
    "The state of a purchase at its provider: of a subscription its status, and of what is paid once `pending`, `failed` or " +
    "`paid`."
})

/** Units that a purchase has given. */
const PurchaseUnits = Schema.Struct({
  grant_id: field(Schema.String, "The ID of the grant of the license, or of the pool of the customer."),
  license_id: optional(Id.text("lic"), "The license that has the units; absent if the customer has them."),
  customer_id: optional(Id.text("cus"), "The customer who has the units; absent if a license has them."),
  feature_id: Id.text("feat"),
  feature_code: field(Schema.String, "The code of the feature."),
  amount: field(bigCount(1), "The number of units that were given."),
  paid_by: field(
    Schema.String,
    "The ID of what was paid at the provider: of the invoice, the payment, the order or the subscription."
  ),
  revoked: optional(
    Schema.Boolean,
    "`true` if they were revoked because the payment was refunded. Used units stay used."
  )
}).annotate({
  identifier: "PurchaseUnits",
  description: "Units of a metered feature that were given for a payment.",
  examples: [{
    grant_id: Id.exampleOf("grant"),
    license_id: Id.exampleOf("lic"),
    feature_id: Id.exampleOf("feat"),
    feature_code: "export-pdf",
    amount: 500,
    paid_by: "in_1QXyz"
  }]
})

const PurchaseItem = Schema.Struct({
  slot: field(count(0), "Number of the item within the purchase. An upgrade keeps it."),
  price: optional(Schema.String, "The ID of the price at the provider."),
  variant: optional(Schema.String, "The ID of the variant at the provider."),
  product: optional(Schema.String, "The ID of the product at the provider."),
  name: optional(Schema.String, "The name of the item at the provider."),
  quantity: field(count(0), "How many were bought."),
  dropped_at: optional(Timestamp, "Time at which the item was removed from the purchase.")
}).annotate({
  identifier: "PurchaseItem",
  description: "An item of a purchase.",
  examples: [{ slot: 0, price: "price_1QXyz", product: "prod_QXyz", quantity: 5 }]
})

/** Why something of a purchase is not done. */
export const PurchaseHold = Schema.Struct({
  code: field(Schema.String, "The reason, for programs."),
  message: field(Schema.String, "The reason, for people."),
  price: optional(Schema.String, "The ID of the price, variant or product at the provider."),
  name: optional(Schema.String, "The name of the item at the provider.")
}).annotate({
  identifier: "PurchaseHold",
  description: "Why something of a purchase waits.",
  examples: [{ code: "unmapped", message: "No entry of the mapping has the price price_1QXyz.", price: "price_1QXyz" }]
})
export type PurchaseHold = typeof PurchaseHold.Type

const PurchaseFailure = Schema.Struct({
  code: field(Schema.String, "The error code."),
  message: field(Schema.String, "The reason, for people.")
}).annotate({
  identifier: "PurchaseFailure",
  description: "Why a purchase could not be done.",
  examples: [{ code: "NOT_FOUND", message: "No policy has the id in policy_id." }]
})

/** The members that say why a provider was not read. */
export const readFailure = {
  code: field(Schema.String, "The reason, for programs."),
  message: field(Schema.String, "The reason, for people.")
}

const PurchaseReadFailure = Schema.Struct(readFailure).annotate({
  identifier: "PurchaseReadFailure",
  description: "Why the purchase was not read at its provider before its last look. Its events alone decided.",
  examples: [{ code: "unavailable", message: "The provider could not be reached (timeout)." }]
})

const PurchaseLicense = Schema.Struct({
  license_id: Id.text("lic"),
  item: field(Schema.String, "The item that the license is for."),
  index: field(count(0), "Number of the license, where the quantity is a number of licenses; otherwise 0."),
  stopped: optional(Schema.String, "Why the purchase suspended the license; absent while it did not."),
  adopted: optional(Schema.Boolean, "`true` if a later purchase of the same customer took over the license.")
}).annotate({
  identifier: "PurchaseLicense",
  description: "A license that was issued for a purchase.",
  examples: [{ license_id: Id.exampleOf("lic"), item: "0", index: 0 }]
})

const Payer = Schema.Struct({
  id: optional(Schema.String, "The ID of the customer at the provider."),
  email: optional(Schema.String, "The email address."),
  name: optional(Schema.String, "The name.")
}).annotate({
  identifier: "PurchasePayer",
  description: "The payer, as the provider names them.",
  examples: [{ id: "cus_QXyz", email: "ada@example.com", name: "Ada Lovelace" }]
})

const members = {
  id: Id.text("pur"),
  connection_id: Id.text("bcn"),
  provider: Provider,
  kind: field(Schema.Literals(["subscription", "order"]), "Whether it is paid again and again, or once."),
  external_id: field(Schema.String, "The ID of the subscription or order at the provider."),
  status: PurchaseStatus,
  state: optional(Schema.String, "The state of the purchase, such as `active`, `past_due` or `paid`."),
  said: optional(Schema.String, "The state in the provider's words."),
  items: field(Schema.Array(PurchaseItem), "The items that were bought."),
  payer: Payer,
  customer_id: optional(Id.text("cus"), "The customer who pays. The licenses may belong to another one."),
  period_end: optional(Timestamp, "End of the current period."),
  paid_through: optional(Timestamp, "Time until which it is paid."),
  cancel_at: optional(Timestamp, "Time at which it is going to end."),
  ended_at: optional(Timestamp, "Time at which it ended."),
  refund: field(Schema.Literals(["none", "partial", "full"]), "Whether the current payment was refunded."),
  dispute: field(Schema.Literals(["none", "open", "lost"]), "Whether a payment is disputed."),
  is_ambiguous: field(
    Schema.Boolean,
    "Whether its events leave open which of them is the last, or do not name all items. A reconciliation resolves it."
  ),
  holds: field(Schema.Array(PurchaseHold), "The reasons why something of the purchase is not done yet."),
  failure: Schema.optionalKey(PurchaseFailure),
  attempts: field(count(0), "How often it failed in a row."),
  next_attempt_at: optional(Timestamp, "Time of the next attempt."),
  read_at: optional(
    Timestamp,
    "Time at which it was last read at the provider; absent if the connection has no API key, or it was never read."
  ),
  read_failure: Schema.optionalKey(PurchaseReadFailure),
  licenses: field(Schema.Array(PurchaseLicense), "The licenses that were issued for it."),
  units: optional(
    Schema.Array(PurchaseUnits),
    "The units of metered features that were given for it; absent without any."
  ),
  last_event_at: optional(Timestamp, "Time of its last event, by the provider's clock."),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}

const example = {
  id: Id.exampleOf("pur"),
  connection_id: Id.exampleOf("bcn"),
  provider: "stripe",
  kind: "subscription",
  external_id: "sub_1QXyz",
  status: "done",
  state: "active",
  said: "active",
  items: [{ slot: 0, price: "price_1QXyz", product: "prod_QXyz", quantity: 5 }],
  payer: { id: "cus_QXyz", email: "ada@example.com", name: "Ada Lovelace" },
  customer_id: Id.exampleOf("cus"),
  period_end: "2026-12-21T10:30:00.000Z",
  paid_through: "2026-12-21T10:30:00.000Z",
  refund: "none",
  dispute: "none",
  is_ambiguous: false,
  holds: [],
  attempts: 0,
  licenses: [{ license_id: Id.exampleOf("lic"), item: "0", index: 0 }],
  last_event_at: at,
  created_at: at,
  updated_at: at
} as const

/** A purchase at a payment provider, and what became of it here. */
export const Purchase = Schema.Struct(members).annotate({
  identifier: "Purchase",
  description: "A purchase at a payment provider, and the licenses that were issued for it.",
  examples: [example]
})
export type Purchase = typeof Purchase.Type

const PurchaseEvent = Schema.Struct({
  id: field(Schema.String, "The ID of the event at the provider."),
  type: field(Schema.String, "The type of the event in the provider's words."),
  occurred_at: field(Timestamp, "Time of the event, by the provider's clock."),
  received_at: field(Timestamp, "Time at which it was received."),
  api_version: optional(Schema.String, "The version of the provider's API that wrote it.")
}).annotate({
  identifier: "PurchaseEvent",
  description: "An event of the payment provider about a purchase.",
  examples: [{ id: "evt_1QXyz", type: "customer.subscription.created", occurred_at: at, received_at: at }]
})

const PurchaseNote = Schema.Struct({
  note: field(Schema.String, "The note, for programs."),
  at: field(Timestamp, "Time, by the provider's clock."),
  detail: optional(Schema.String, "More about it."),
  event_id: field(Schema.String, "The ID of the event at the provider.")
}).annotate({
  identifier: "PurchaseNote",
  description: "A note about a purchase that changes nothing.",
  examples: [{ note: "partial_refund", at, event_id: "evt_1QXyz" }]
})

/** A purchase with its story. */
export const PurchaseShown = Schema.Struct({
  ...members,
  events: field(
    Schema.Array(PurchaseEvent),
    "The last 500 events of the purchase, in the order of the provider's clock."
  ),
  notes: field(Schema.Array(PurchaseNote), "Notes about the purchase that change nothing.")
}).annotate({
  identifier: "PurchaseWithEvents",
  description: "A purchase with the events that it was read from.",
  examples: [{
    ...example,
    events: [{ id: "evt_1QXyz", type: "customer.subscription.created", occurred_at: at, received_at: at }],
    notes: []
  }]
})
export type PurchaseShown = typeof PurchaseShown.Type

/** What an event of the feed says of a purchase. It names nobody. */
export const PurchaseInEvent = Schema.Struct({
  id: members.id,
  connection_id: members.connection_id,
  provider: Provider,
  kind: members.kind,
  external_id: members.external_id,
  status: PurchaseStatus,
  state: members.state,
  holds: members.holds,
  failure: members.failure,
  license_ids: field(Schema.Array(Schema.String), "The IDs of its licenses.")
}).annotate({
  identifier: "PurchaseEventData",
  description: "The purchase as the event left it.",
  examples: [{
    id: example.id,
    connection_id: example.connection_id,
    provider: "stripe",
    kind: "subscription",
    external_id: "sub_1QXyz",
    status: "done",
    state: "active",
    holds: [],
    license_ids: [Id.exampleOf("lic")]
  }]
})

/** A price that purchases wait for. */
export const UnmappedPrice = Schema.Struct({
  connection_id: Id.text("bcn"),
  provider: Provider,
  price: field(Schema.String, "The ID of the price, variant or product at the provider."),
  name: optional(Schema.String, "The name of the item at the provider."),
  purchases: field(count(1), "How many purchases wait for it."),
  since: field(Timestamp, "Time since which the first of them waits.")
}).annotate({
  identifier: "UnmappedPrice",
  description: "A price without an entry in the mapping, for which purchases wait.",
  examples: [{
    connection_id: Id.exampleOf("bcn"),
    provider: "stripe",
    price: "price_1QXyz",
    name: "Pro yearly",
    purchases: 3,
    since: at
  }]
})
export type UnmappedPrice = typeof UnmappedPrice.Type

/** A decision about licenses that belong to another owner than who pays. */
export const PurchaseOwnerDecision = Schema.Struct({
  owner: field(
    Schema.Literals(["follow", "issue", "keep"]),
    "`follow` transfers the licenses to the customer who pays. `issue` leaves them to their owner until the end of what is paid, and " +
      "issues others to the customer who pays. `keep` leaves them to their owner, for whom the customer pays."
  ),
  ...reasoned
}).annotate({
  identifier: "PurchaseOwnerRequest",
  description: "A decision about the licenses of a purchase that belong to another owner than who pays.",
  examples: [{ owner: "follow" }]
})
export type PurchaseOwnerDecision = typeof PurchaseOwnerDecision.Type
