import { Schema } from "effect"
import { SubscriptionEntrySchema } from "../events/EventKind.ts"
import { isWebhookSecret } from "../security/Credential.ts"
import type { Warning } from "../wire/Errors.ts"
import { Name, Timestamp } from "../wire/Fields.ts"

const id = "whk_06eqpx1trxz3h94vqjm3a6kz7c"
const at = "2026-11-21T10:30:00.000Z"

/** Why an endpoint was disabled although no operator paused it. */
export const DisabledReason = Schema.Literals(["gone", "requested_by_receiver", "failing"]).annotate({
  identifier: "WebhookDisabledReason",
  description: "`gone`: the receiver answered 410. `requested_by_receiver`: it answered `webhook-delivery: disable`. " +
    "`failing`: nothing was delivered for 120 hours and at least 10 deliveries failed."
})
export type DisabledReason = typeof DisabledReason.Type

/** Where events are delivered. */
export const WebhookEndpoint = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  url: Schema.String.annotate({ format: "uri" }),
  secret_prefix: Schema.String,
  event_types: Schema.Array(Schema.String),
  is_active: Schema.Boolean,
  status: Schema.Literals(["active", "paused", "disabled"]),
  disabled_reason: Schema.optionalKey(DisabledReason),
  disabled_at: Schema.optionalKey(Timestamp),
  failing_since: Schema.optionalKey(Timestamp),
  last_delivery_at: Schema.optionalKey(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "WebhookEndpoint",
  examples: [{
    id,
    name: "Billing",
    url: "https://billing.example.com/hooks/licenses",
    secret_prefix: "whsec_q2Xk",
    event_types: ["license.activated", "license.suspended"],
    is_active: true,
    status: "active",
    created_at: at,
    updated_at: at
  }]
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

const exampleSecret = "whsec_q2XkYy3c0mJt0uYk1rS8t3m9qXh1b6H0o2r7w5V4u8I="

/** An endpoint with its newest secret, which is shown only this once. */
export const WebhookEndpointWithSecret = Schema.Struct({
  webhook: WebhookEndpoint,
  secret: Schema.String
}).annotate({
  identifier: "WebhookEndpointWithSecret",
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

const Url = Schema.String.check(Schema.isBetweenLength(1, 4096)).annotate({
  format: "uri",
  description: "https; plain http only for addresses that the operator has allowed."
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
      message: `The name ${new URL(url).hostname} has no address, so nothing can be delivered to it now. Check its ` +
        "spelling. What cannot be delivered is tried again later.",
      field: "url"
    }]
    : []

const EventTypes = Schema.Array(SubscriptionEntrySchema).check(Schema.isMaxLength(200)).annotate({
  description: "Event kinds, or families such as `license.*`. An empty list takes every event."
})

const Secret = Schema.String.check(
  Schema.makeFilter(
    isWebhookSecret,
    { expected: "16 to 128 printable characters", toJsonSchema: () => ({ minLength: 16, maxLength: 128 }) }
  )
).annotate({
  description: "16 to 128 printable characters. Of `whsec_` and padded base64 the decoded part is the key of the " +
    "Standard Webhooks headers, of anything else its UTF-8 bytes."
})

export const WebhookEndpointCreate = Schema.Struct({
  name: Name,
  url: Url,
  event_types: Schema.optionalKey(EventTypes),
  secret: Schema.optionalKey(Secret),
  is_active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "WebhookEndpointCreateRequest",
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
  secret: Schema.optionalKey(Secret),
  rotate_secret: Schema.optionalKey(Schema.Boolean.annotate({ description: "Excludes `secret`." })),
  secret_overlap_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * 24 * 3600 })).annotate({
      description: "How long the secrets before this one go on signing; default one day, 0 when they are compromised."
    })
  ),
  is_active: Schema.optionalKey(Schema.Boolean)
}).annotate({
  identifier: "WebhookEndpointUpdateRequest",
  examples: [{ is_active: false }]
})
export type WebhookEndpointUpdate = typeof WebhookEndpointUpdate.Type

/** The most secrets of an endpoint that sign at once. */
export const maximumLiveSecrets = 5
