import { Schema } from "effect"
import { field, httpStatus, optional, Timestamp } from "../../ground/wire/Fields.ts"

/** The outcome of an attempt, in a word. */
export const OutcomeClass = Schema.Literals([
  "delivered",
  "throttled",
  "dropped",
  "gone",
  "redirected",
  "rejected",
  "server_error",
  "dns",
  "address_not_allowed",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol"
]).annotate({
  identifier: "WebhookOutcomeClass",
  description:
    "`delivered`: 2xx. `throttled`: 429, or 503 with Retry-After. The receiver requests a slower pace; not " +
    "counted as an attempt. `dropped`: `webhook-delivery: abort-message`. `gone`: 410, or `webhook-delivery: " +
    "disable`. `redirected`: 3xx; redirects are not followed. `rejected`: any other status below 500. " +
    "`server_error`: 500 or higher. `dns`: the name does not resolve. `address_not_allowed`: the address is " +
    "not allowed. `connect`: no connection. `tls`: the handshake failed, or the certificate is invalid. " +
    "`timeout`: no response in time. `reset`: the connection broke before the response. `protocol`: no " +
    "HTTP/1.1 response within the limits."
})
export type OutcomeClass = typeof OutcomeClass.Type

const notKnown =
  "The receiver, or a gateway before it, does not know the sender: check the secret that it verifies with, and " +
  "the headers of the endpoint."

/** Advice by the status that shows which side is misconfigured. */
const adviceByStatus: Readonly<Record<number, string>> = {
  400: "Receivers respond with 400 if they cannot verify a delivery. Check that the receiver has the secret of " +
    "this endpoint, and verifies the bytes before it parses them.",
  401: notKnown,
  403: notKnown,
  404: "The receiver has nothing at this path: check the path of the URL.",
  405: "The receiver does not accept POST at this path: check the path of the URL.",
  413: "The receiver does not accept a body of this size: raise its limit."
}

/** Advice for the outcome of an attempt; undefined where its class says enough. */
const adviceOf = (ended: {
  readonly class: OutcomeClass
  readonly status?: number | undefined
}): string | undefined => ended.class === "rejected" ? adviceByStatus[ended.status ?? 0] : undefined

/** The outcome with its advice, where there is one. */
export const advised = <Ended extends { readonly class: OutcomeClass; readonly status?: number | undefined }>(
  ended: Ended
): Ended & { readonly advice?: string } => {
  const advice = adviceOf(ended)
  return advice === undefined ? ended : { ...ended, advice }
}

const Advice = Schema.String.annotate({
  description: "The first thing to check, if the response shows which side is misconfigured."
})

/** How the last attempt to deliver to an endpoint ended. */
export const LastOutcome = Schema.Struct({
  at: field(Timestamp, "Time when the attempt ended."),
  class: OutcomeClass,
  status: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })),
    "The status of the response, if there was one."
  ),
  location: optional(Schema.String, "Where a redirect leads, its path masked: set `url` to what is there."),
  advice: Schema.optionalKey(Advice),
  next_attempt_at: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description:
        "Earliest time of the next attempt, if one is pending: a retry, a probe of an endpoint that does not " +
        "respond, or the end of the wait that the receiver requested."
    })
  )
}).annotate({
  identifier: "WebhookLastOutcome",
  description: "The result of the last attempt to deliver to an endpoint.",
  examples: [{
    at: "2026-11-21T10:30:00.000Z",
    class: "server_error",
    status: 503,
    next_attempt_at: "2026-11-21T10:30:30.000Z"
  }]
})
export type LastOutcome = typeof LastOutcome.Type

/** The class of an attempt: by what it came to, then by its status; `reason` is the transport's error where there is none. */
export const outcomeClass = ({ outcome, reason, status }: {
  readonly outcome: "delivered" | "failed" | "throttled" | "disable" | "drop"
  readonly reason: string
  readonly status: number | undefined
}): OutcomeClass => {
  if (outcome === "delivered" || outcome === "throttled") return outcome
  if (outcome === "drop") return "dropped"
  if (outcome === "disable") return "gone"
  if (status === undefined) return OutcomeClass.literals.find((known) => known === reason) ?? "reset"
  return status >= 500 ? "server_error" : status >= 300 && status < 400 ? "redirected" : "rejected"
}

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
