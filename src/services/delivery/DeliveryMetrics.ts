import { Metric } from "effect"
import type { Outcome } from "../../domain/delivery/RetryPolicy.ts"
import { fromStart, fromStartBy } from "../ground/platform/SeriesFromStart.ts"
import type { TransportError } from "../ground/platform/Transport.ts"

/** Metrics of deliveries. No series is labelled with an endpoint: their number has no bound. */

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

const outcomes = [
  "delivered",
  "failed",
  "throttled",
  "disable",
  "drop",
  "dns",
  "address_not_allowed",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol"
] as const satisfies ReadonlyArray<Outcome | TransportError>

/** Attempts by what came of them: a judgement of the answer, or the transport's error when there was none. */
export const attempts: Readonly<Record<Outcome | TransportError, Metric.Counter<number>>> = fromStartBy(
  outcomes,
  (outcome) =>
    Metric.counter("countersign_delivery_attempts_total", {
      description: "Attempts to deliver an event, by outcome",
      attributes: { outcome },
      incremental: true
    })
)

/** How long attempts took, in seconds. */
export const attemptDuration = fromStart(Metric.histogram("countersign_delivery_attempt_duration_seconds", {
  description: "From the start of an attempt to its outcome",
  boundaries: seconds
}))

/** From the transaction that made an event to the answer of its receiver, in seconds. */
export const latency = fromStart(Metric.histogram("countersign_delivery_latency_seconds", {
  description: "From the transaction that made an event to the 2xx of its receiver",
  boundaries: [...seconds, 60, 600, 3600, 86_400]
}))

/** Attempts of this node under way. */
export const inFlight = fromStart(Metric.gauge("countersign_delivery_in_flight", {
  description: "Attempts of this node under way"
}))

/** Events that are still to be sent to endpoints. */
export const backlog = fromStart(Metric.gauge("countersign_delivery_backlog", {
  description: "Events after the cursors of the lanes that are behind, and retries pending"
}))

/** Age of the oldest event that an active endpoint has not got, in seconds. */
export const oldestUndelivered = fromStart(Metric.gauge("countersign_delivery_oldest_undelivered_seconds", {
  description: "Age of the oldest event that an active endpoint has not got"
}))

/** How long the most overdue retry has been due, in seconds. */
export const oldestOverdueRetry = fromStart(Metric.gauge("countersign_delivery_oldest_overdue_retry_seconds", {
  description: "How long the most overdue retry has been due"
}))

/** Lanes, by `state`. */
export const lanes = fromStartBy(
  ["active", "failing", "breaker_open", "paused", "disabled"],
  (state) =>
    Metric.gauge("countersign_delivery_lanes", {
      description: "Endpoints, by state; breaker_open is one that only probes are sent to",
      attributes: { state }
    })
)

/** Disabled endpoints, by `reason`. */
export const disabled = fromStartBy(
  ["gone", "requested_by_receiver", "failing"],
  (reason) =>
    Metric.gauge("countersign_delivery_disabled_endpoints", {
      description: "Endpoints that were disabled, by reason",
      attributes: { reason }
    })
)

/** Deliveries exhausted: all attempts failed. */
export const exhausted = fromStart(Metric.counter("countersign_delivery_exhausted_total", {
  description: "Deliveries exhausted: all attempts failed",
  incremental: true
}))
