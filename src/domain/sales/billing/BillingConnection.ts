import { Schema, Struct } from "effect"
import { dryRun } from "../../ground/wire/Action.ts"
import {
  count,
  CreatedAt,
  field,
  longText,
  Name,
  optional,
  ShownName,
  text,
  Timestamp,
  UpdatedAt
} from "../../ground/wire/Fields.ts"
import { HttpsAddress, HttpsAddressOrClear } from "../../ground/wire/HttpsAddress.ts"
import * as Id from "../../ground/wire/Id.ts"
import { UnitMappingInput } from "../matching/UnitMapping.ts"
import { Provider } from "../providers/Provider.ts"
import { Mapping, MappingEntry } from "../purchases/Mapping.ts"

const at = "2026-11-21T10:30:00.000Z"

const portalText =
  "The login page of the provider's own portal for customers, over https. It is shown with their purchases. It is the same for all of " +
  "them: Stripe, Paddle and others ask for the address there."

const shown = {
  id: Id.text("bcn"),
  provider: Provider,
  name: ShownName,
  has_secret: field(
    Schema.Boolean,
    "Whether it has a secret to verify events with. Without one, every event is refused."
  ),
  has_api_key: field(Schema.Boolean, "Whether it has an API key of the provider, to read purchases with."),
  mapping: Mapping,
  customer_portal_url: optional(Schema.String, portalText),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}

const example = {
  id: Id.exampleOf("bcn"),
  provider: "stripe",
  name: "Stripe",
  has_secret: true,
  has_api_key: false,
  mapping: { prices: [{ by: "price", value: "price_1QXyz", policy_id: Id.exampleOf("pol"), quantity: "seats" }] },
  created_at: at,
  updated_at: at
} as const

/** Where purchases come from: an account at a payment provider. */
export const BillingConnection = Schema.Struct({
  ...shown,
  events_path: field(
    Schema.String,
    "The path of the events of this connection. Give the provider the address of this service with it."
  ),
  last_event_at: optional(Timestamp, "Time at which the last event was received."),
  sold_otherwise: optional(
    count(0),
    "Only in the response to a change of the mapping: how many licenses were sold while their prices were mapped otherwise. " +
      "`sold_before` says what becomes of them."
  )
}).annotate({
  identifier: "BillingConnection",
  description: "A connection to an account at a payment provider.",
  examples: [{
    ...example,
    events_path: `/api/v1/billing/connections/${Id.exampleOf("bcn")}/events`,
    last_event_at: at
  }]
})
export type BillingConnection = typeof BillingConnection.Type

/** What events tell of a connection: what was configured, without its credentials. */
export const BillingConnectionInEvent = Schema.Struct(shown).annotate({
  identifier: "BillingConnectionEventData",
  description: "The connection as the event left it.",
  examples: [example]
})

/** What is configured of a connection. */
export const configuredOf = (connection: BillingConnection): typeof BillingConnectionInEvent.Type =>
  Struct.omit(connection, ["events_path", "last_event_at", "sold_otherwise"])

const mappingExample = {
  prices: [{ by: "price", value: "price_1QXyz", policy_id: Id.exampleOf("pol"), quantity: "seats" }]
} as const

/** A mapping in a request, which takes no member that it does not know. */
const MappingInput = Schema.Struct({
  ...Mapping.fields,
  prices: field(
    Schema.Array(
      Schema.Struct(MappingEntry.fields).annotate({
        identifier: "PriceMappingRequest",
        description: "The policy for a price, and the meaning of its quantity.",
        examples: [...mappingExample.prices]
      })
    ).check(Schema.isMaxLength(500)),
    "The policy for each price, at most 500 entries."
  ),
  units: optional(
    Schema.Array(UnitMappingInput).check(Schema.isMaxLength(500)),
    "The units of metered features that prices become, at most 500 entries."
  )
}).annotate({
  identifier: "BillingMappingRequest",
  description: "The policies that the prices of a provider become licenses under.",
  examples: [mappingExample]
})

const secretText =
  "The secret that the provider signs its events with, for example `whsec_…` of Stripe or `pdl_…` of Paddle; " +
  "for Chargebee, the `user:password` of the webhook. It is stored encrypted and never shown."

const apiKeyText =
  "An API key of the provider that may read, to reconcile with. FastSpring: `user:password`; Chargebee: `site:key`. Keys of " +
  "the provider's test mode are for the test environment, and others for the live one. It is stored encrypted and never shown."

export const BillingConnectionCreate = Schema.Struct({
  provider: Provider,
  name: Name,
  secret: optional(longText(6, 512), secretText),
  api_key: optional(text(1, 512), apiKeyText),
  customer_portal_url: optional(HttpsAddress, portalText),
  mapping: Schema.optionalKey(MappingInput)
}).annotate({
  identifier: "BillingConnectionCreateRequest",
  description: "A connection to create.",
  examples: [{ provider: "stripe", name: "Stripe", secret: "whsec_FhTq2pXkGm5cV9wR" }]
})
export type BillingConnectionCreate = typeof BillingConnectionCreate.Type

const SoldBefore = Schema.Literals(["keep", "renewal", "now"])
export type SoldBefore = typeof SoldBefore.Type

export const BillingConnectionUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  secret: optional(longText(6, 512), secretText),
  secret_overlap_seconds: optional(
    count(0).check(Schema.isLessThanOrEqualTo(604_800)),
    "How long the previous secret is accepted after a new `secret`, in seconds. Default: a day."
  ),
  api_key: optional(text(0, 512), `${apiKeyText} The empty string removes it.`),
  customer_portal_url: optional(HttpsAddressOrClear, `${portalText} The empty string removes it.`),
  mapping: Schema.optionalKey(MappingInput),
  sold_before: optional(
    SoldBefore,
    "With a new `mapping`, the licenses that were sold while their prices were mapped otherwise: `keep` them, the default, and map new " +
      "purchases alone; or have all of them become what is mapped now, each with its next `renewal`, or `now`."
  ),
  dry_run: dryRun
}).annotate({
  identifier: "BillingConnectionUpdateRequest",
  description: "Changes of a connection. Omitted fields stay as they are; a mapping is replaced as a whole.",
  examples: [{ mapping: example.mapping }]
})
export type BillingConnectionUpdate = typeof BillingConnectionUpdate.Type

/**
 * How a body of events was taken.
 *
 * @public
 */
export const EventsReceived = Schema.Struct({
  received: field(count(0), "How many events were stored."),
  repeated: field(count(0), "How many events were known already.")
}).annotate({
  identifier: "BillingEventsReceived",
  description: "Events of a payment provider were stored.",
  examples: [{ received: 1, repeated: 0 }]
})
export type EventsReceived = typeof EventsReceived.Type
