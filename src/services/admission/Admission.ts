import { Context, Layer, Metric } from "effect"
import { Effect } from "effect"
import type { DoorLimits } from "../../domain/admission/DoorLimits.ts"
import { makeLoadControl } from "../../domain/admission/LoadControl.ts"
import type { LoadControlOptions, LoadKind } from "../../domain/admission/LoadControl.ts"
import { fromStart, fromStartBy } from "../platform/SeriesFromStart.ts"

/** The reason why a request or a connection is refused before any operation runs. The set is closed. */
export const refusalReasons = [
  "overloaded",
  "starting",
  "draining",
  "connections",
  "connections_per_address",
  "body_too_slow",
  "body_too_large",
  "headers_too_slow",
  "headers_too_large",
  "malformed",
  "host",
  "expectation",
  "answer_not_taken",
  "large_answers"
] as const
export type RefusalReason = (typeof refusalReasons)[number]

/** A request that was admitted. */
export interface Ticket {
  readonly kind: LoadKind
  /** When the request was complete, in milliseconds of {@link EventLoop.now}; undefined until its body has arrived. */
  begun: number | undefined
}

const refused = fromStartBy(refusalReasons, (reason) =>
  Metric.counter("countersign_http_refused", {
    description: "Requests and connections refused before any operation was asked, by reason.",
    incremental: true,
    attributes: { reason }
  }))
const openConnections = fromStart(
  Metric.gauge("countersign_http_connections", { description: "Connections that are open." })
)
const inFlight = fromStart(Metric.gauge("http_server_active_requests", {
  description: "Requests in progress, after their body has arrived."
}))
const room = fromStart(Metric.gauge("countersign_http_concurrency_limit", {
  description: "How many management requests may be in flight at once, as load allows; apps have room beyond it."
}))

/** How late the event loop runs; the runtime implements it. */
export class EventLoop extends Context.Service<EventLoop, {
  /** The mean delay of timers since the last call, in milliseconds. */
  readonly lag: () => number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}>()("countersign/services/admission/EventLoop") {}

/**
 * Admission control: decides which requests are admitted, and counts refusals. It runs before anything else of every
 * request, so its members are plain functions.
 */
export class Admission extends Context.Service<Admission, {
  /** Admits a request; undefined when too many are already in flight. */
  readonly admit: (request: object, kind: LoadKind) => Ticket | undefined
  /** Marks the request as complete: from now on it counts as in flight. */
  readonly begin: (ticket: Ticket) => void
  /** Marks the request as answered with a status; with 0 when the caller has gone. */
  readonly leave: (request: object, status: number) => void
  /** Counts a refusal. */
  readonly count: (reason: RefusalReason) => void
  /** Counts connections: 1 when one is opened, -1 when it is closed. */
  readonly connections: (change: 1 | -1) => void
  /**
   * Takes a place among the large answers in flight to a network (see `networkOf`). Returns the function that gives the
   * place back, or undefined when none is free.
   */
  readonly large: (network: string) => (() => void) | undefined
  /** Whether a place for a large answer to a network is free now. */
  readonly hasPlace: (network: string) => boolean
  /** Whether load is being shed, and requests should be sent to another node. */
  readonly overloaded: () => boolean
  /** Requests that were admitted and not yet answered, including those whose body has not arrived. */
  readonly open: () => number
  /** Writes the figures to the metrics. */
  readonly observe: Effect.Effect<void>
}>()("countersign/services/admission/Admission") {
  static readonly layer = (
    { largeAnswers, largeAnswersPerAddress, ...options }:
      & LoadControlOptions
      & Pick<DoorLimits, "largeAnswers" | "largeAnswersPerAddress">
  ) =>
    Layer.effect(
      Admission,
      Effect.gen(function*() {
        const { lag, now } = yield* EventLoop
        const control = makeLoadControl(options, lag, now())
        const tickets = new WeakMap<object, Ticket>()
        const counts = new Map<RefusalReason, number>()
        /** Large answers in flight, by network. */
        const large = new Map<string, number>()
        let allLarge = 0
        let open = 0
        let connected = 0
        const hasPlace = (network: string) =>
          allLarge < largeAnswers && (large.get(network) ?? 0) < largeAnswersPerAddress
        return Admission.of({
          admit: (request, kind) => {
            if (!control.admits(kind, now())) return undefined
            const ticket: Ticket = { kind, begun: undefined }
            tickets.set(request, ticket)
            open += 1
            return ticket
          },
          begin: (ticket) => {
            if (ticket.begun !== undefined) return
            ticket.begun = now()
            control.begin(ticket.kind)
          },
          leave: (request, status) => {
            const ticket = tickets.get(request)
            if (ticket === undefined) return
            tickets.delete(request)
            open -= 1
            if (ticket.begun === undefined) {
              // A request refused before its body arrived must not begin when the rest of the body comes.
              ticket.begun = Number.NaN
              return
            }
            const at = now()
            control.end(ticket.kind, at - ticket.begun, status >= 200 && status < 300, at)
          },
          count: (reason) => {
            counts.set(reason, (counts.get(reason) ?? 0) + 1)
          },
          connections: (change) => {
            connected += change
          },
          large: (network) => {
            if (!hasPlace(network)) return undefined
            allLarge += 1
            large.set(network, (large.get(network) ?? 0) + 1)
            let isHeld = true
            return () => {
              if (!isHeld) return
              isHeld = false
              allLarge -= 1
              const left = (large.get(network) ?? 1) - 1
              if (left === 0) large.delete(network)
              else large.set(network, left)
            }
          },
          hasPlace,
          overloaded: () => control.overloaded(now()),
          open: () => open,
          observe: Effect.suspend(() => {
            const updates: Array<Effect.Effect<void>> = [
              Metric.update(openConnections, connected),
              Metric.update(inFlight, control.inFlight()),
              Metric.update(room, control.room())
            ]
            for (const [reason, count] of counts) updates.push(Metric.update(refused[reason], count))
            counts.clear()
            return Effect.all(updates, { discard: true })
          })
        })
      })
    )
}
