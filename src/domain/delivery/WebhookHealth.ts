import { Schema } from "effect"
import { bigCount, field, optional, ShownName, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

const count = bigCount(0)
const seconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Window = Schema.Struct({
  delivered: field(count, "Number of deliveries with a 2xx response."),
  failed_attempts: field(count, "Number of attempts without a 2xx response."),
  success_rate: optional(Schema.Finite, "Share of attempts that delivered, 0 to 1."),
  p50_ms: optional(count, "Median delivery latency in milliseconds."),
  p95_ms: optional(count, "95th percentile of the delivery latency in milliseconds."),
  p99_ms: optional(count, "99th percentile of the delivery latency in milliseconds.")
}).annotate({
  identifier: "WebhookHealthWindow",
  description: "Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high."
})

const Lane = Schema.Struct({
  webhook_id: Id.text("whk"),
  name: ShownName,
  state: field(
    Schema.Literals(["active", "failing", "breaker_open", "paused", "disabled"]),
    "The state of the deliveries to the endpoint."
  ),
  backlog: field(count, "Number of events that are pending for the endpoint."),
  retries_pending: field(count, "Number of deliveries that are pending for their next attempt."),
  consecutive_failures: field(count, "Number of failed attempts since the last successful one."),
  exhausted: field(count, "Number of deliveries for which all retries failed."),
  oldest_undelivered_seconds: optional(seconds, "Seconds for which the oldest undelivered event has been pending."),
  failing_since: optional(Timestamp, "Time since which every delivery has failed; absent while deliveries succeed."),
  last_outcome: optional(Schema.String, "How the last attempt ended.")
}).annotate({ identifier: "WebhookHealthLane", description: "The state of the deliveries to one endpoint." })

const Minute = Schema.Struct({
  minute: field(Timestamp, "When the minute began."),
  delivered: field(count, "Number of deliveries with a 2xx response."),
  failed_attempts: field(count, "Number of attempts without a 2xx response.")
}).annotate({ identifier: "WebhookHealthMinute", description: "The results of the attempts in one minute." })

/** How deliveries are doing, over all endpoints and nodes. */
export const WebhookHealth = Schema.Struct({
  status: field(Schema.Literals(["ok", "degraded", "down"]), "The current status."),
  reasons: field(Schema.Array(Schema.String), "Why it is not ok, for people."),
  as_of: field(Timestamp, "Time when these figures were read."),
  feed_sequence: field(count, "The head of the feed."),
  unsequenced: field(count, "Events that have no place in the feed yet."),
  feed_lag_seconds: field(seconds, "Age of the oldest event that has no place in the feed yet."),
  backlog: field(
    count,
    "Events after the cursors of active endpoints that are behind, including events of other types."
  ),
  oldest_undelivered_seconds: optional(seconds, "Seconds for which the oldest undelivered event has been pending."),
  oldest_overdue_retry_seconds: optional(seconds, "Seconds for which the oldest retry has been due."),
  retries_pending: field(count, "Number of deliveries that are pending for their next attempt."),
  exhausted: field(count, "Deliveries for which all retries failed."),
  lanes: field(
    Schema.Struct({
      active: field(count, "Number of endpoints that receive events."),
      failing: field(count, "Number of endpoints whose last attempts failed."),
      breaker_open: field(count, "Number of endpoints that get only probes now, because they did not respond."),
      paused: field(count, "Number of paused endpoints."),
      disabled: field(count, "Number of endpoints that the service disabled.")
    }),
    "Number of endpoints in each state."
  ),
  last_5m: Window,
  last_1h: Window,
  minutes: field(
    Schema.Array(Minute).check(Schema.isMaxLength(60)),
    "The attempts of `last_1h` per minute, oldest first, at most 60. Minutes without attempts are omitted."
  ),
  worst: field(Schema.Array(Lane), "Up to ten endpoints with the most trouble.")
}).annotate({
  identifier: "WebhookHealth",
  description: "The state of the deliveries of all endpoints.",
  examples: [{
    status: "ok",
    reasons: [],
    as_of: "2026-11-21T10:30:00.000Z",
    feed_sequence: 1204,
    unsequenced: 0,
    feed_lag_seconds: 0,
    backlog: 0,
    retries_pending: 0,
    exhausted: 0,
    lanes: { active: 3, failing: 0, breaker_open: 0, paused: 0, disabled: 0 },
    last_5m: { delivered: 87, failed_attempts: 0, success_rate: 1, p50_ms: 8, p95_ms: 13, p99_ms: 20 },
    last_1h: { delivered: 930, failed_attempts: 1, success_rate: 0.9989, p50_ms: 8, p95_ms: 16, p99_ms: 31 },
    minutes: [{ minute: "2026-11-21T10:29:00.000Z", delivered: 16, failed_attempts: 0 }],
    worst: []
  }]
})
export type WebhookHealth = typeof WebhookHealth.Type

/** The thresholds that {@link verdict} judges by. */
export interface HealthFacts {
  readonly feed_lag_seconds: number
  readonly oldest_overdue_retry_seconds?: number
  readonly oldest_undelivered_seconds?: number
  readonly lanes: WebhookHealth["lanes"]
  /** How many of the active endpoints limit the rate of what they take. */
  readonly throttled?: number
  readonly last_5m: { readonly delivered: number; readonly failed_attempts: number }
}

/**
 * What the figures mean. `down` is our own fault: events get no place in the feed, or nothing is sent although it is
 * due. `degraded` is about receivers, or about us being slow.
 */
export const verdict = (facts: HealthFacts): Pick<WebhookHealth, "status" | "reasons"> => {
  const down: Array<string> = []
  const degraded: Array<string> = []
  const overdue = facts.oldest_overdue_retry_seconds ?? 0
  if (facts.feed_lag_seconds > 30) down.push(`events wait ${Math.round(facts.feed_lag_seconds)} s for the sequencer`)
  else if (facts.feed_lag_seconds > 2) degraded.push("events wait more than 2 s for the sequencer")
  if (overdue > 120) down.push(`a retry is ${Math.round(overdue)} s overdue`)
  else if (overdue > 20) degraded.push("a retry is more than 20 s overdue")
  const { active, breaker_open, disabled, failing } = facts.lanes
  const working = active + failing + breaker_open
  if (breaker_open > 0) degraded.push(`${breaker_open} of ${working} active endpoints are not answering`)
  if (failing > 0) degraded.push(`${failing} of ${working} active endpoints fail`)
  if (disabled > 0) degraded.push(`${disabled} endpoints are disabled`)
  const { delivered, failed_attempts } = facts.last_5m
  if (delivered + failed_attempts >= 20 && failed_attempts > delivered) {
    degraded.push("most attempts of the last 5 minutes failed")
  }
  const undelivered = facts.oldest_undelivered_seconds ?? 0
  if (breaker_open + failing === 0 && undelivered > 60) {
    const { throttled = 0 } = facts
    degraded.push(
      `an event has waited ${Math.round(undelivered)} s ` + (throttled === 0
        ? "although every receiver responds"
        : `while ${throttled} of ${working} active endpoints ${throttled === 1 ? "asks" : "ask"} for a slower pace`)
    )
  }
  return { status: down.length > 0 ? "down" : degraded.length > 0 ? "degraded" : "ok", reasons: [...down, ...degraded] }
}
