import { Schema } from "effect"
import { bigCount, Timestamp } from "../wire/Fields.ts"

const count = bigCount(0)
const seconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Window = Schema.Struct({
  delivered: count,
  failed_attempts: count,
  success_rate: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Share of attempts that delivered, 0 to 1." })
  ),
  p50_ms: Schema.optionalKey(count),
  p95_ms: Schema.optionalKey(count),
  p99_ms: Schema.optionalKey(count)
}).annotate({
  identifier: "WebhookHealthWindow",
  description: "Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high."
})

const Lane = Schema.Struct({
  webhook_id: Schema.String,
  name: Schema.String,
  state: Schema.Literals(["active", "failing", "breaker_open", "paused", "disabled"]),
  backlog: count,
  retries_pending: count,
  consecutive_failures: count,
  exhausted: count,
  oldest_undelivered_seconds: Schema.optionalKey(seconds),
  failing_since: Schema.optionalKey(Timestamp),
  last_outcome: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WebhookHealthLane" })

const Minute = Schema.Struct({
  minute: Timestamp.annotate({ description: "When the minute began." }),
  delivered: count,
  failed_attempts: count
}).annotate({ identifier: "WebhookHealthMinute", description: "What came of the attempts of one minute." })

/** How deliveries are doing, over all endpoints and nodes. */
export const WebhookHealth = Schema.Struct({
  status: Schema.Literals(["ok", "degraded", "down"]),
  reasons: Schema.Array(Schema.String).annotate({ description: "Why it is not ok, for people." }),
  as_of: Timestamp,
  feed_sequence: count.annotate({ description: "The head of the feed." }),
  unsequenced: count.annotate({ description: "Events that have no place in the feed yet." }),
  feed_lag_seconds: seconds.annotate({ description: "Age of the oldest event that has no place in the feed yet." }),
  backlog: count.annotate({
    description: "Events after the cursors of active lanes that are behind, those of other kinds included."
  }),
  oldest_undelivered_seconds: Schema.optionalKey(seconds),
  oldest_overdue_retry_seconds: Schema.optionalKey(seconds),
  retries_pending: count,
  exhausted: count.annotate({ description: "Deliveries that were given up after the last attempt." }),
  lanes: Schema.Struct({
    active: count,
    failing: count,
    breaker_open: count,
    paused: count,
    disabled: count
  }),
  last_5m: Window,
  last_1h: Window,
  minutes: Schema.Array(Minute).check(Schema.isMaxLength(60)).annotate({
    description: "The attempts of `last_1h` by the minute, oldest first, at most 60. A minute without any is left out."
  }),
  worst: Schema.Array(Lane).annotate({ description: "Up to ten endpoints with the most trouble." })
}).annotate({
  identifier: "WebhookHealth",
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
        ? "although every receiver answers"
        : `while ${throttled} of ${working} active endpoints ${throttled === 1 ? "asks" : "ask"} for a slower pace`)
    )
  }
  return { status: down.length > 0 ? "down" : degraded.length > 0 ? "degraded" : "ok", reasons: [...down, ...degraded] }
}
