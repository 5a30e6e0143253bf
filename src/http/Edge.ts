import { Clock, Effect, Metric, Option, Tracer } from "effect"
import type { Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpServerError } from "effect/http"
import { inCidrs } from "../domain/Address.ts"
import { failing, Unavailable } from "../domain/Errors.ts"
import type { Meta } from "../domain/Errors.ts"
import { formatTraceparent, parseTraceparent } from "../domain/TraceContext.ts"
import { Identifiers } from "../services/Identifiers.ts"
import { Readiness } from "../services/Readiness.ts"
import { RequestOrigin } from "../services/RequestContext.ts"
import { Settings } from "../services/Settings.ts"
import { encodeFailure, errorResponse } from "./Failures.ts"

/** Requests answered at once; beyond it callers are told to come back, which costs less than failing them all. */
const maximumInFlight = 1000

const callersRequestId = /^[A-Za-z0-9_-]{8,64}$/

/** What answers even when nothing else may: probes and metrics. */
const alwaysOpen: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz", "/metrics"])

const requests = Metric.counter("countersign_http_requests", {
  description: "Requests answered, by status class.",
  incremental: true
})
const duration = Metric.histogram("countersign_http_request_duration_seconds", {
  description: "Time from the request's headers to the answer, in seconds.",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const inFlightGauge = Metric.gauge("countersign_http_requests_in_flight", { description: "Requests being answered." })
const byClass = [1, 2, 3, 4, 5].map((digit) => Metric.withAttributes(requests, { status: `${digit}xx` }))

/** A whole HTTP application, before anything common is done to its answers. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError.HttpServerError,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** The client's address: the nearest hop that is not one of our own proxies. */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<string>
): string => {
  const direct = peer.startsWith("::ffff:") ? peer.slice(7) : peer
  if (trustedProxies.length === 0 || forwardedFor === undefined || !inCidrs(direct, trustedProxies)) return direct
  const hops = forwardedFor.split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
  return hops.findLast((hop) => !inCidrs(hop, trustedProxies)) ?? hops[0] ?? direct
}

const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/**
 * Everything that happens to every request: its id, its origin, the phase the service is in, the overload limit, the
 * one encoder for whatever the app did not answer itself, and the headers of every answer.
 */
export const makeEdge = Effect.fnUntraced(function*(
  /** The methods a path has, for 405. */
  methodsOf: (path: string) => ReadonlyArray<string>
) {
  const identifiers = yield* Identifiers
  const readiness = yield* Readiness
  const settings = yield* Settings
  let inFlight = 0

  const guard = (app: App): App =>
    Effect.gen(function*() {
      const started = yield* Clock.currentTimeNanos
      const request = yield* HttpServerRequest.HttpServerRequest
      const offered = request.headers["x-request-id"]
      const requestId = offered !== undefined && callersRequestId.test(offered) ? offered : identifiers.next("req")
      const path = pathOf(request.url)
      const meta = (): Meta => ({ request_id: requestId, timestamp: new Date().toISOString() })
      const refuse = (message: string) =>
        errorResponse(failing(Unavailable, message), meta(), settings.publicUrl, { connection: "close" })

      const phase = yield* readiness.phase
      const answer: App = alwaysOpen.has(path)
        // The gauge is only of interest to who reads it.
        ? path === "/metrics" ? Effect.andThen(Metric.update(inFlightGauge, inFlight), app) : app
        : phase === "starting"
        ? Effect.succeed(refuse("The service is starting."))
        : phase === "draining"
        ? Effect.succeed(refuse("The service is shutting down."))
        : inFlight >= maximumInFlight
        ? Effect.succeed(refuse("The service is overloaded."))
        : app

      // The span of this request, or where there are none, its caller's.
      const place = Option.getOrElse(
        yield* Effect.serviceOption(Tracer.ParentSpan),
        () => parseTraceparent(request.headers["traceparent"])
      )

      inFlight++
      const response = yield* answer.pipe(
        Effect.provideService(RequestOrigin, {
          requestId,
          ipAddress: Option.match(request.remoteAddress, {
            onNone: () => undefined,
            onSome: (peer) => clientAddress(peer, request.headers["x-forwarded-for"], settings.trustedProxies)
          }),
          traceparent: place === undefined ? undefined : formatTraceparent(place)
        }),
        Effect.catchCause((cause) =>
          encodeFailure({
            cause,
            meta: meta(),
            publicUrl: settings.publicUrl,
            // A path that has this very method but cannot be decoded leads nowhere.
            methods: () => {
              const methods = methodsOf(path)
              return methods.includes(request.method) ? [] : methods
            }
          })
        ),
        Effect.ensuring(Effect.sync(() => {
          inFlight--
        }))
      )
      yield* Metric.update(byClass[Math.floor(response.status / 100) - 1] ?? requests, 1)
      yield* Metric.update(duration, Number((yield* Clock.currentTimeNanos) - started) / 1e9)
      return HttpServerResponse.setHeaders(
        response,
        response.headers["cache-control"] === undefined
          ? { "x-request-id": requestId, "cache-control": "no-store" }
          : { "x-request-id": requestId }
      )
    })

  /** Resolves when no request is being answered. */
  const idle: Effect.Effect<void> = Effect.suspend(() =>
    inFlight === 0 ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), idle)
  )

  return { guard, idle }
})
