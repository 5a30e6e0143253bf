import { Context, Layer, Metric } from "effect"
import { Effect } from "effect"
import type { DoorLimits } from "../../../domain/ground/admission/DoorLimits.ts"
import { makeLoadControl } from "../../../domain/ground/admission/LoadControl.ts"
import type { LoadControlOptions, LoadKind } from "../../../domain/ground/admission/LoadControl.ts"
import { makeRecentCount } from "../../../domain/ground/admission/Pacing.ts"
import { environmentNames } from "../../../domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
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
  /** The environment whose place it has. */
  readonly environment: EnvironmentName
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
}>()("countersign/services/ground/admission/EventLoop") {}

/** The limits of an environment beside the live one, where those of live are not smaller. */
const beside = { room: 64, largeAnswers: 8 } as const

/** Takes places among so many, and among so many of each network. Answers the function that gives a place back. */
const makePlaces = (most: number, mostOfEach: number) => {
  const taken = new Map<string, number>()
  let all = 0
  const hasPlace = (network: string) => all < most && (taken.get(network) ?? 0) < mostOfEach
  const take = (network: string) => {
    if (!hasPlace(network)) return undefined
    all += 1
    taken.set(network, (taken.get(network) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      all -= 1
      const left = (taken.get(network) ?? 1) - 1
      if (left === 0) taken.delete(network)
      else taken.set(network, left)
    }
  }
  return { hasPlace, take, taken: () => all }
}

/** The limits of the door that admission keeps. */
type AdmissionOptions = LoadControlOptions & Pick<DoorLimits, "largeAnswers" | "largeAnswersPerAddress">

/**
 * Admission to one environment. Each has its own, so that no request of another takes a place in it or enters its measure
 * of latency.
 */
const makeAdmission = (options: AdmissionOptions, lag: () => number, start: number) => ({
  control: makeLoadControl(options, lag, start),
  large: makePlaces(options.largeAnswers, options.largeAnswersPerAddress),
  open: 0,
  begun: makeRecentCount(),
  /** Waiting callers, called once it works on nothing. */
  waiting: new Set<() => void>()
})

/** Whether no request is worked on. A large answer takes as long as its peer takes to read it, and hardly any work. */
const isQuiet = ({ control, large }: ReturnType<typeof makeAdmission>): boolean => control.inFlight() <= large.taken()

/**
 * Admission control: decides which requests are admitted, and counts refusals. It runs before anything else of every
 * request, so its members are plain functions.
 */
export class Admission extends Context.Service<Admission, {
  /** Admits a request to an environment; undefined when too many are already in flight there. */
  readonly admit: (request: object, kind: LoadKind, environment: EnvironmentName) => Ticket | undefined
  /** Marks the request as complete: from now on it counts as in flight. */
  readonly begin: (ticket: Ticket) => void
  /** Marks the request as answered with a status; with 0 when the caller has gone. */
  readonly leave: (request: object, status: number) => void
  /** Counts a refusal. */
  readonly count: (reason: RefusalReason) => void
  /** Counts connections: 1 when one is opened, -1 when it is closed. */
  readonly connections: (change: 1 | -1) => void
  /**
   * Takes a place among the large answers of an environment in flight to a network (see `networkOf`). Returns the
   * function that gives the place back, or undefined when none is free.
   */
  readonly large: (network: string, environment: EnvironmentName) => (() => void) | undefined
  /** Whether a place for a large answer to a network is free now. */
  readonly hasPlace: (network: string, environment: EnvironmentName) => boolean
  /** Whether load of the live environment is being shed, and requests should be sent to another node. */
  readonly overloaded: () => boolean
  /**
   * Requests that were admitted to an environment and not yet answered, including those whose body has not arrived; of all
   * environments where none is named.
   */
  readonly open: (environment?: EnvironmentName) => number
  /** Requests of an environment that began within the last second: their body has arrived. */
  readonly begunLately: (environment: EnvironmentName) => number
  /** Waits until no request of an environment is worked on. */
  readonly quiet: (environment: EnvironmentName) => Effect.Effect<void>
  /** Writes the figures to the metrics. */
  readonly observe: Effect.Effect<void>
}>()("countersign/services/ground/admission/Admission") {
  static readonly layer = (
    options: AdmissionOptions
  ) =>
    Layer.effect(
      Admission,
      Effect.gen(function*() {
        const { lag, now } = yield* EventLoop
        const live = makeAdmission(options, lag, now())
        const small = {
          ...options,
          room: Math.min(options.room, beside.room),
          largeAnswers: Math.min(options.largeAnswers, beside.largeAnswers)
        }
        const admissions = Object.fromEntries(environmentNames.map((name) => [
          name,
          // The delay of the loop is told to the first who asks for it, which is the live environment.
          name === "live" ? live : makeAdmission(small, () => 0, now())
        ])) as Readonly<Record<EnvironmentName, typeof live>>
        const all = Object.values(admissions)
        const tickets = new WeakMap<object, Ticket>()
        const counts = new Map<RefusalReason, number>()
        let connected = 0
        return Admission.of({
          admit: (request, kind, environment) => {
            const admission = admissions[environment]
            if (!admission.control.admits(kind, now())) return undefined
            const ticket: Ticket = { kind, environment, begun: undefined }
            tickets.set(request, ticket)
            admission.open += 1
            return ticket
          },
          begin: (ticket) => {
            if (ticket.begun !== undefined) return
            const { begun, control } = admissions[ticket.environment]
            ticket.begun = now()
            begun.add(ticket.begun)
            control.begin(ticket.kind)
          },
          leave: (request, status) => {
            const ticket = tickets.get(request)
            if (ticket === undefined) return
            tickets.delete(request)
            const admission = admissions[ticket.environment]
            admission.open -= 1
            if (ticket.begun === undefined) {
              // A request refused before its body arrived must not begin when the rest of the body comes.
              ticket.begun = Number.NaN
              return
            }
            const at = now()
            admission.control.end(ticket.kind, at - ticket.begun, status >= 200 && status < 300, at)
            if (admission.waiting.size > 0 && isQuiet(admission)) {
              for (const go of admission.waiting) go()
            }
          },
          count: (reason) => {
            counts.set(reason, (counts.get(reason) ?? 0) + 1)
          },
          connections: (change) => {
            connected += change
          },
          large: (network, environment) => admissions[environment].large.take(network),
          hasPlace: (network, environment) => admissions[environment].large.hasPlace(network),
          overloaded: () => live.control.overloaded(now()),
          open: (environment) =>
            environment === undefined ? all.reduce((sum, { open }) => sum + open, 0) : admissions[environment].open,
          begunLately: (environment) => admissions[environment].begun.count(now()),
          quiet: (environment) =>
            Effect.callback<void>((resume) => {
              const admission = admissions[environment]
              if (isQuiet(admission)) return resume(Effect.void)
              const go = () => {
                admission.waiting.delete(go)
                resume(Effect.void)
              }
              admission.waiting.add(go)
              return Effect.sync(() => admission.waiting.delete(go))
            }),
          observe: Effect.suspend(() => {
            const updates: Array<Effect.Effect<void>> = [
              Metric.update(openConnections, connected),
              Metric.update(inFlight, all.reduce((sum, { control }) => sum + control.inFlight(), 0)),
              Metric.update(room, live.control.room())
            ]
            for (const [reason, count] of counts) updates.push(Metric.update(refused[reason], count))
            counts.clear()
            return Effect.all(updates, { discard: true })
          })
        })
      })
    )
}
