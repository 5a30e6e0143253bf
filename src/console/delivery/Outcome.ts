import type { WebhookEndpoint, WebhookHealth, WebhookHealthLane, WebhookLastOutcome } from "../../client/api/index.ts"
import { labelOf, labels } from "../../client/api/Labels.ts"

const minute = 60_000

/** The minutes of the last hour, also those without an attempt. */
export const lastHour = ({ as_of, minutes }: WebhookHealth) => {
  const counted = new Map(minutes.map((each) => [Date.parse(each.minute), each]))
  const last = Math.floor(Date.parse(as_of) / minute) * minute
  return Array.from({ length: 60 }, (_, index) => {
    const at = last - (59 - index) * minute
    const { delivered = 0, failed_attempts: failed = 0 } = counted.get(at) ?? {}
    return { instant: new Date(at).toISOString(), delivered, failed }
  })
}

/** An endpoint, and its lane where the service named it among those with trouble. */
export interface Lane {
  readonly endpoint: WebhookEndpoint
  readonly lane: WebhookHealthLane | undefined
  /** `failing` and `breaker_open` beside the states of an endpoint. */
  readonly state: WebhookHealthLane["state"]
  /** The number of pending deliveries; undefined where that is not known. */
  readonly backlog: number | undefined
}

/** The most lanes that health names. */
const named = 10

/** Endpoints with more trouble come first. */
const order: Readonly<Record<WebhookHealthLane["state"], number>> = {
  disabled: 0,
  breaker_open: 1,
  failing: 2,
  active: 3,
  paused: 4
}

/** Whether an active endpoint receives nothing. */
export const isTrouble = ({ state }: Lane): boolean => order[state] < order.active

/** The endpoints with what health says of each, those with trouble first. */
export const lanesOf = (
  endpoints: ReadonlyArray<WebhookEndpoint>,
  health: WebhookHealth | undefined
): ReadonlyArray<Lane> => {
  const lanes = new Map(health?.worst.map((lane) => [lane.webhook_id, lane]))
  // Health names lanes with trouble only. If it names fewer than it can, no other lane has pending deliveries.
  const isWhole = health !== undefined && health.worst.length < named
  return endpoints.map((endpoint): Lane => {
    const lane = lanes.get(endpoint.id)
    // The endpoint is loaded after health, so it reports a pause earlier.
    const state = endpoint.status !== "active"
      ? endpoint.status
      : lane?.state === "failing" || lane?.state === "breaker_open"
      ? lane.state
      : endpoint.failing_since === undefined
      ? "active"
      : "failing"
    const backlog = lane === undefined
      ? isWhole && state === "active" ? 0 : undefined
      : lane.backlog + lane.retries_pending
    return { endpoint, lane, state, backlog }
  }).toSorted((a, b) => order[a.state] - order[b.state])
}

/** How an attempt ended. */
type Ended = Pick<WebhookLastOutcome, "class" | "location" | "status">

/** The outcome of one attempt, in words. */
export const answerOf = (ended: Ended): string =>
  lastFailureOf(ended) ?? `${labels.outcome.delivered} (HTTP ${ended.status})`

/** How the last attempt ended, in words; undefined where it arrived, or none was made. */
const lastFailureOf = (last: Ended | undefined): string | undefined => {
  if (last === undefined || last.class === "delivered") return undefined
  if (last.class === "throttled") return labels.outcome.throttled
  if (last.status === undefined) return labelOf("outcome", last.class)
  return `HTTP ${last.status}` + (last.location === undefined ? "" : `, redirect to ${last.location}`)
}

/** The failure of the last attempt that will be retried; undefined where there is none. */
export const failureOf = (lane: WebhookHealthLane | undefined): string | undefined => {
  const last = lane?.last_outcome
  return last === undefined ? undefined : /^\d+$/.test(last) ? `HTTP ${last}` : labelOf("outcome", last)
}

/** The outcome of the last attempt, in words: the status of the response, or why there was none. */
export const outcomeOf = ({ endpoint, lane, state }: Lane): string => {
  const { disabled_reason, last_delivery_at, last_outcome } = endpoint
  if (state === "disabled" && disabled_reason !== undefined) return labels.disabledReason[disabled_reason]
  if (state === "failing" || state === "breaker_open") {
    return lastFailureOf(last_outcome) ?? failureOf(lane) ?? "Not delivered"
  }
  if (last_outcome?.class === "throttled") return lastFailureOf(last_outcome)!
  return last_delivery_at === undefined ? "No deliveries yet" : labels.outcome.delivered
}
