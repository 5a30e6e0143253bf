import { Schema, Struct } from "effect"
import { reasoned } from "../../ground/wire/Action.ts"
import type { Warning } from "../../ground/wire/Errors.ts"
import {
  bigCount,
  CreatedAt,
  field,
  Name,
  optional,
  ShownName,
  Timestamp,
  UpdatedAt
} from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { isWebhookSecret, webhookSecretFault, webhookSecretPattern } from "../../keys/security/WebhookSecret.ts"
import { SubscriptionEntrySchema } from "../../log/EventKind.ts"
import { LastOutcome } from "./LastOutcome.ts"
import { RequestHeaders, RequestHeadersChange } from "./RequestHeaders.ts"

/** Stands for a path and a query, which may hold a secret of the receiver. */
const mask = "/***"

/**
 * A URL of a receiver for everybody who does not manage webhooks: its origin. Whoever knows the path of a chat's incoming
 * webhook, or the token in a query, can post there himself.
 */
export const maskedUrl = (url: string): string => {
  if (!URL.canParse(url)) return mask
  const { origin, pathname, protocol, search } = new URL(url)
  if (protocol !== "https:" && protocol !== "http:") return mask
  return origin + (pathname === "/" && search === "" ? "/" : mask)
}

/** Where a redirect leads that was answered by `url`, masked; undefined where it does not say. */
export const maskedLocation = (location: string | undefined, url: string): string | undefined =>
  location === undefined || !URL.canParse(location, url) ? undefined : maskedUrl(new URL(location, url).href)

const id = "whk_06eqpx1trxz3h94vqjm3a6kz7c"
const at = "2026-11-21T10:30:00.000Z"

const exampleEndpoint = {
  id,
  name: "Billing",
  url: "https://billing.example.com/hooks/licenses",
  secret_prefix: "whsec_q2Xk",
  event_types: ["license.activated", "license.suspended"],
  is_active: true,
  status: "active",
  created_at: at,
  updated_at: at
} as const

/** The reason why the service disabled an endpoint. */
export const DisabledReason = Schema.Literals(["gone", "requested_by_receiver", "failing"]).annotate({
  identifier: "WebhookDisabledReason",
  description:
    "`gone`: the receiver responded with 410. `requested_by_receiver`: it responded with `webhook-delivery: " +
    "disable`. `failing`: nothing was delivered for 120 hours and at least 10 deliveries failed."
})
export type DisabledReason = typeof DisabledReason.Type

/** Where events are delivered. */
export const WebhookEndpoint = Schema.Struct({
  id: Id.text("whk"),
  name: ShownName,
  url: field(
    Schema.String.annotate({ format: "uri" }),
    "The endpoint URL: https, with an address outside the operator's network."
  ),
  secret_prefix: field(Schema.String, "The beginning of the secret, to recognize it by."),
  event_types: field(
    Schema.Array(Schema.String),
    "The event types, or families such as `license.*`, that the endpoint receives. Empty: all."
  ),
  header_names: optional(
    Schema.Array(Schema.String),
    "The custom headers of deliveries, if there are any. Their values are never shown."
  ),
  ordered: optional(Schema.Boolean, "`true` if deliveries arrive in order; otherwise absent."),
  is_active: field(Schema.Boolean, "Whether the endpoint receives events."),
  status: field(Schema.Literals(["active", "paused", "disabled"]), "The current status."),
  disabled_reason: Schema.optionalKey(DisabledReason),
  disabled_at: optional(Timestamp, "Time when the service disabled the endpoint."),
  failing_since: optional(Timestamp, "Time since which every delivery has failed; absent while deliveries succeed."),
  last_delivery_at: optional(Timestamp, "Time of the last delivery with a 2xx response."),
  last_outcome: Schema.optionalKey(LastOutcome),
  created_at: CreatedAt,
  updated_at: UpdatedAt
}).annotate({
  identifier: "WebhookEndpoint",
  description: "An endpoint that receives events.",
  examples: [exampleEndpoint]
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** An endpoint without what its deliveries come to: what the tag of its state stands for. */
export const configuredOf = (
  endpoint: WebhookEndpoint
): Omit<WebhookEndpoint, "failing_since" | "last_delivery_at" | "last_outcome"> =>
  Struct.omit(endpoint, ["failing_since", "last_delivery_at", "last_outcome"])

/** An endpoint as events tell of it: they go to other receivers, and to whoever may read events. */
export const WebhookEndpointInEvent = Schema.Struct({
  ...Struct.omit(WebhookEndpoint.fields, ["last_outcome"]),
  url: Schema.String.annotate({
    format: "uri",
    description:
      "The origin of the URL: scheme, host and port. Path and query may contain a secret of the receiver and " +
      "are shown as `/***`. The endpoint itself shows them."
  })
}).annotate({
  identifier: "WebhookEndpointInEvent",
  description: "An endpoint as events show it: only the origin of its URL.",
  examples: [{
    id,
    name: "Billing",
    url: "https://billing.example.com/***",
    secret_prefix: "whsec_q2Xk",
    event_types: ["license.activated", "license.suspended"],
    is_active: true,
    status: "active",
    created_at: at,
    updated_at: at
  }]
})
export type WebhookEndpointInEvent = typeof WebhookEndpointInEvent.Type

/** An endpoint as its events show it. */
export const eventDataOf = (endpoint: WebhookEndpoint): WebhookEndpointInEvent => ({
  ...Struct.omit(endpoint, ["last_outcome"]),
  url: maskedUrl(endpoint.url)
})

const exampleSecret = "whsec_q2XkYy3c0mJt0uYk1rS8t3m9qXh1b6H0o2r7w5V4u8I="

/** An endpoint with its newest secret, which is shown only this once. */
export const WebhookEndpointWithSecret = Schema.Struct({
  webhook: WebhookEndpoint,
  secret: field(Schema.String, "The signing secret of deliveries. It is shown only this once.")
}).annotate({
  identifier: "WebhookEndpointWithSecret",
  description: "An endpoint with its newest secret, which is shown only this once.",
  examples: [{
    webhook: {
      id,
      name: "Billing",
      url: "https://billing.example.com/hooks/licenses",
      secret_prefix: "whsec_q2Xk",
      event_types: [],
      is_active: true,
      status: "active",
      created_at: at,
      updated_at: at
    },
    secret: exampleSecret
  }]
})
export type WebhookEndpointWithSecret = typeof WebhookEndpointWithSecret.Type

/** An endpoint that goes on from now, and what it is not sent any more. */
export const WebhookEndpointResumed = Schema.Struct({
  webhook: WebhookEndpoint,
  skipped_events: field(
    bigCount(0),
    "Number of pending events and retries that the endpoint receives and that were skipped."
  )
}).annotate({
  identifier: "WebhookEndpointResumed",
  description: "An endpoint that skipped its pending events, and the events that it will not receive.",
  examples: [{ webhook: exampleEndpoint, skipped_events: 1204 }]
})
export type WebhookEndpointResumed = typeof WebhookEndpointResumed.Type

const Url = Schema.String.check(Schema.isBetweenLength(1, 4096)).annotate({
  format: "uri",
  description: "https; plain http only for addresses that the operator has allowed, and for names that have such " +
    "addresses alone."
})

/** A URL as it is stored, and whether its host is a name that has no address now. */
export interface CheckedUrl {
  readonly url: string
  readonly isNameless: boolean
}

/** Warnings about a URL that was written as asked, and that nothing can be delivered to now. */
export const warningsAboutUrl = ({ isNameless, url }: CheckedUrl): ReadonlyArray<Warning> =>
  isNameless
    ? [{
      code: "NAME_DOES_NOT_RESOLVE",
      message: `DNS lookup failed for ${
        new URL(url).hostname
      }, so deliveries fail now. Check the spelling. Failed deliveries are retried.`,
      field: "url"
    }]
    : []

const EventTypes = Schema.Array(SubscriptionEntrySchema).check(Schema.isMaxLength(200)).annotate({
  description: "Event types, or families such as `license.*`. An empty list means every event."
})

const aboutSecrets =
  "16 to 128 printable characters. After the prefix `whsec_`, padded standard base64: the decoded part is " +
  "the key of the Standard Webhooks headers. Without the prefix, the key is the UTF-8 bytes."

/** A first secret. */
const Secret = Schema.String.check(
  Schema.makeFilter(
    webhookSecretFault,
    {
      expected: "16 to 128 printable characters",
      toJsonSchema: () => ({ minLength: 16, maxLength: 128, pattern: webhookSecretPattern })
    }
  )
).annotate({ description: aboutSecrets })

/** A further secret. One that has stood before the rule for `whsec_` may be given again, so only the service can judge it. */
const NextSecret = Schema.String.check(
  Schema.makeFilter(
    isWebhookSecret,
    { expected: "16 to 128 printable characters", toJsonSchema: () => ({ minLength: 16, maxLength: 128 }) }
  )
).annotate({ description: aboutSecrets })

const Ordered = Schema.Boolean.annotate({
  description:
    "`true`: one delivery at a time, in the order of `sequence`; each one waits until the previous one was " +
    "accepted. A failed delivery is retried at least every five minutes, without a limit, and the later " +
    "ones wait."
})

export const WebhookEndpointCreate = Schema.Struct({
  name: Name,
  url: Url,
  event_types: Schema.optionalKey(EventTypes),
  secret: Schema.optionalKey(Secret),
  headers: Schema.optionalKey(RequestHeaders),
  ordered: Schema.optionalKey(Ordered),
  is_active: optional(Schema.Boolean, "`false` creates the endpoint paused. Default: `true`.")
}).annotate({
  identifier: "WebhookEndpointCreateRequest",
  description: "A webhook endpoint to create.",
  examples: [{
    name: "Billing",
    url: "https://billing.example.com/hooks/licenses",
    event_types: ["license.activated", "license.suspended"],
    is_active: true
  }]
})
export type WebhookEndpointCreate = typeof WebhookEndpointCreate.Type

/** How long, in seconds, older secrets go on signing after a rotation; a default. */
export const defaultOverlap = 24 * 3600

export const WebhookEndpointUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  url: Schema.optionalKey(Url),
  event_types: Schema.optionalKey(EventTypes),
  secret: Schema.optionalKey(NextSecret),
  rotate_secret: optional(Schema.Boolean, "Excludes `secret`."),
  secret_overlap_seconds: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * 24 * 3600 })),
    "How long previous secrets continue to sign. Default: a day. Set 0 if they are compromised. Without a " +
      "new secret, it shortens the time of secrets that were replaced before."
  ),
  headers: Schema.optionalKey(RequestHeadersChange),
  ordered: Schema.optionalKey(Ordered),
  is_active: optional(Schema.Boolean, "`false` pauses the endpoint. `true` resumes it at the next pending event."),
  ...reasoned
}).annotate({
  identifier: "WebhookEndpointUpdateRequest",
  description: "Changes of a webhook endpoint. Omitted fields stay as they are.",
  examples: [{ is_active: false }]
})
export type WebhookEndpointUpdate = typeof WebhookEndpointUpdate.Type

/** The most secrets of an endpoint that sign at once. */
export const maximumLiveSecrets = 5
