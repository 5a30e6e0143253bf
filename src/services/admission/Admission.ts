import { Context, Layer, Metric } from "effect"
import { Effect } from "effect"
import type { DoorLimits } from "../../domain/admission/DoorLimits.ts"
import { makeLoadControl } from "../../domain/admission/LoadControl.ts"
import type { LoadControlOptions, LoadKind } from "../../domain/admission/LoadControl.ts"

/** Why a request or a connection is refused before any operation is asked. The reasons are a closed set. */
const refusalReasons = [
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

/** A request that was let in. */
export interface Ticket {
  readonly kind: LoadKind
  /** When it was all there, in milliseconds of the clock of this process; undefined while its body is not. */
  begun: number | undefined
}

const refused = Metric.counter("countersign_http_refused", {
  description: "Requests and connections refused before any operation was asked, by reason.",
  incremental: true
})
const openConnections = Metric.gauge("countersign_http_connections", { description: "Connections that are open." })
const inFlight = Metric.gauge("countersign_http_requests_in_flight", {
  description: "Requests being answered: all of them are there, body included."
})
const room = Metric.gauge("countersign_http_concurrency_limit", {
  description: "How many management requests may be in flight at once, as load allows; apps have room beyond it."
})
const byReason = refusalReasons.map((reason) => ({ reason, metric: Metric.withAttributes(refused, { reason }) }))

/** How late the event loop is; runtime implements it. */
export class EventLoop extends Context.Service<EventLoop, {
  /** By how much timers were late on average since it was last asked, in milliseconds. */
  readonly lag: () => number
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}>()("countersign/services/admission/EventLoop") {}

/**
 * Which requests are let in, and who was refused. It is asked for every request before anything else is, so its members
 * are plain functions.
 */
export class Admission extends Context.Service<Admission, {
  /** Lets a request in, or answers undefined: too many are being answered. */
  readonly admit: (request: object, kind: LoadKind) => Ticket | undefined
  /** The request is all there and will be answered. */
  readonly begin: (ticket: Ticket) => void
  /** The request is answered, with this status; with none when nobody waits for an answer any more. */
  readonly leave: (request: object, status: number) => void
  /** Counts a refusal. */
  readonly count: (reason: RefusalReason) => void
  /** Counts connections: 1 when one is opened, -1 when it is closed. */
  readonly connections: (change: 1 | -1) => void
  /**
   * Takes a place among the large answers under way to a network (see `networkOf`); answers what gives it back, or
   * undefined when there is none.
   */
  readonly large: (network: string) => (() => void) | undefined
  /** Whether a network would get a place among the large answers now. */
  readonly hasPlace: (network: string) => boolean
  /** Whether load is being shed, and requests should be sent to another node. */
  readonly overloaded: () => boolean
  /** Requests that were let in and not answered yet, those whose body is not there included. */
  readonly open: () => number
  /** Writes the figures into the metrics. */
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
        /** Large answers under way, by network. */
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
              // Whoever was refused before the body was there must not begin when the rest of it comes.
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
            for (const { metric, reason } of byReason) updates.push(Metric.update(metric, counts.get(reason) ?? 0))
            counts.clear()
            return Effect.all(updates, { discard: true })
          })
        })
      })
    )
}
