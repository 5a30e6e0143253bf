import { Schema } from "effect"
import { field, httpStatus, optional } from "../../ground/wire/Fields.ts"
import { Advice, OutcomeClass } from "./LastOutcome.ts"

/**
 * The type of what tries an endpoint. It is no kind of event: nothing has happened, so nothing is in the feed, and an
 * endpoint cannot subscribe to it.
 */
export const testType = "webhook.test"
export type TestType = typeof testType

/** The result of a test of an endpoint. */
export const WebhookTestResult = Schema.Struct({
  event_id: field(Schema.String, "The `id` in the body that was sent. The feed does not have it."),
  delivery_id: field(Schema.String, "`X-Service-Delivery-ID` of the test."),
  class: OutcomeClass,
  status: optional(httpStatus, "The status of the response, if there was one."),
  location: optional(Schema.String, "Where a redirect leads, its path masked: set `url` to what is there."),
  advice: Schema.optionalKey(Advice),
  duration_ms: field(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    "How long the attempt took, in milliseconds: 15 seconds at most."
  )
}).annotate({
  identifier: "WebhookTestResult",
  description: "The result of a test of an endpoint.",
  examples: [{
    event_id: "evt_06eqpx1trxz3h94vqjm3a6kz7d",
    delivery_id: "dlv_06eqpx1trxz3h94vqjm3a6kz7c",
    class: "delivered",
    status: 204,
    duration_ms: 38
  }]
})
export type WebhookTestResult = typeof WebhookTestResult.Type
