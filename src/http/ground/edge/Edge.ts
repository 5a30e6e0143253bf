import { ByteSize, Context, Effect, Exit, Layer, Option, References, Tracer } from "effect"
import type { Scope } from "effect"
import {
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  HttpTraceContext
} from "effect/http"
import type { Headers } from "effect/http"
import { bodyLimit, bodyLimitOf, runtimeBodyLimit } from "../../../domain/ground/admission/DoorLimits.ts"
import { failing, RouteNotFound, Unavailable } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidQuery, Meta, RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { finding, invalidQuery } from "../../../domain/ground/wire/FieldFindings.ts"
import { Admission } from "../../../services/ground/admission/Admission.ts"
import type { RefusalReason } from "../../../services/ground/admission/Admission.ts"
import { Readiness } from "../../../services/ground/platform/Ports.ts"
import type { Phase } from "../../../services/ground/platform/Ports.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import { CurrentExchange, Exchanges, makeArrivals } from "./Exchanges.ts"
import type { Exchange } from "./Exchanges.ts"
import type { ReceivedRequest } from "./Exchanges.ts"
import { encodeFailure, errorResponse } from "./Failures.ts"
import { asPage } from "./FrontPage.ts"
import { alwaysOpen, isOfApps, noPath, otherSpelling, pathOf, unreadableParameter } from "./Refusal.ts"
import type { Cors } from "./Refusal.ts"
import { makeAnswerHeaders } from "./SecurityHeaders.ts"

/**
 * Answers a POST to a hot operation, whatever is wrong with it; fails only by interruption. Origin and exchange of the
 * request are in its context.
 */
export type HotRoute = (request: ReceivedRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/**
 * The routes of the operations that apps call all the time, by path. The router has them too, for requests that arrive
 * bit by bit. One that has arrived whole goes past the server and the edge of general requests, which cost a fifth of a
 * validate, and not past any rule of the operation.
 */
export class HotRoutes extends Context.Service<HotRoutes, {
  readonly add: (path: string, route: HotRoute) => void
  readonly find: (path: string) => HotRoute | undefined
}>()("countersign/http/ground/edge/HotRoutes") {
  static readonly layer = Layer.sync(HotRoutes, () => {
    const routes = new Map<string, HotRoute>()
    return HotRoutes.of({
      add: (path, route) => void routes.set(path, route),
      find: (path) => routes.get(path)
    })
  })
}

/** A request for a hot operation that has arrived whole. */
export interface HotRequest extends ReceivedRequest {
  /** The address of the peer, before any proxy is looked at. */
  readonly remoteAddress: string | undefined
  /** The parts of its line in the log. */
  readonly exchange: Exchange | undefined
}

/** The response to a {@link HotRequest}; `content-length` is left to the sender. */
export interface HotResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** The status that a general request's span has: of an interruption, by who ended it. */
const statusOf = (exit: Exit.Exit<HotResponse>): Effect.Effect<number> =>
  Exit.isSuccess(exit)
    ? Effect.succeed(exit.value.status)
    : Effect.map(HttpServerError.causeResponse(exit.cause), ([{ status }]) => status)

/**
 * Does the work of a hot request in the span that the general pipeline makes of a request (`HttpMiddleware.tracer`). The
 * work is given the span, or undefined while no traces leave: then this costs a look at the fiber.
 */
const inRequestSpan = (
  { exchange, headers, url }: HotRequest,
  work: (span: Tracer.Span | undefined) => Effect.Effect<HotResponse>
): Effect.Effect<HotResponse> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return work(undefined)
    const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(headers as Headers.Headers))
    return Effect.useSpan("POST", { parent, kind: "server" }, (span) =>
      work(span).pipe(
        Effect.withParentSpan(span),
        Effect.onExit((exit) =>
          Effect.map(statusOf(exit), (status) => {
            span.attribute("http.request.method", "POST")
            span.attribute("url.path", url)
            span.attribute("url.scheme", "http")
            span.attribute("http.response.status_code", status)
            if (exchange?.code !== undefined) span.attribute("countersign.code", exchange.code)
          })
        )
      ))
  })

/**
 * The steps of a hot request in place of the edge of all others (`makeEdge`): those that every request begins with, its span,
 * and the headers of its answer.
 */
export const makeHotEdge = Effect.gen(function*() {
  const arrived = yield* makeArrivals
  const answerHeaders = makeAnswerHeaders((yield* Settings).publicUrl)

  return (route: HotRoute, request: HotRequest): Effect.Effect<HotResponse> =>
    inRequestSpan(request, (span) => {
      const { exchange, headers, remoteAddress } = request
      const origin = arrived(headers, remoteAddress, span, exchange)
      const whole = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): HotResponse => {
        const { "content-length": _, ...own } = headers
        return {
          status,
          headers: answerHeaders(origin.requestId, own, "app"),
          body: body._tag === "Uint8Array" ? body.body : undefined
        }
      }
      return Effect.map(route(request), whole).pipe(
        Effect.provideService(RequestOrigin, origin),
        Effect.provideService(CurrentExchange, exchange)
      )
    })
})

/** The HTTP application before the edge wraps it. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerError.HttpServerError | InvalidQuery | RateLimited | RouteNotFound | Unavailable,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Whether the framing headers (RFC 9112 section 6) allow a runtime body above the limit of runtime bodies. */
const mayBeTooLarge = (path: string, headers: Readonly<Record<string, string | undefined>>): boolean =>
  bodyLimitOf(path) < bodyLimit &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > runtimeBodyLimit)

const runtimeBytes = ByteSize.bytes(runtimeBodyLimit)

/** The app's answer to a request, or the refusal of one that does not reach the app in this phase of the service. */
const admitted = (
  app: App,
  { headers, url }: HttpServerRequest.HttpServerRequest,
  phase: Phase,
  refuse: (reason: RefusalReason, message: string) => App
): App => {
  const path = pathOf(url)
  if (path === noPath) return Effect.fail(failing(RouteNotFound, otherSpelling))
  if (alwaysOpen.has(path)) return app
  if (phase === "starting") return refuse("starting", "The service is starting.")
  if (phase === "closing") return refuse("draining", "The service is shutting down.")
  const unreadable = unreadableParameter(url)
  if (unreadable !== undefined) {
    return Effect.fail(invalidQuery([finding([unreadable], "invalid_value", "must be UTF-8, percent-encoded")]))
  }
  return mayBeTooLarge(path, headers) ? Effect.provideService(app, HttpIncomingMessage.MaxBodySize, runtimeBytes) : app
}

/**
 * The steps of every request: its id, its origin, the phase of the service, the one encoder for failures that the app
 * did not answer itself, and the headers of every answer.
 */
export const makeEdge = Effect.fnUntraced(function*(
  /** The methods a path has, for 405. */
  methodsOf: (path: string) => ReadonlyArray<string>,
  /** The nearest path that an operation has, for 404. */
  nearestPath: (path: string) => string | undefined,
  /** Which pages may read the answers; undefined for none. */
  cors?: Cors
) {
  const arrived = yield* makeArrivals
  const readiness = yield* Readiness
  const settings = yield* Settings
  const admission = yield* Admission
  const exchanges = yield* Exchanges
  const answerHeaders = makeAnswerHeaders(settings.publicUrl)

  const guard = (app: App): App =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const exchange = exchanges.of(request.source)
      const own = Option.getOrUndefined(yield* Effect.serviceOption(Tracer.ParentSpan))
      const origin = arrived(request.headers, Option.getOrUndefined(request.remoteAddress), own, exchange)
      const { requestId } = origin
      const path = pathOf(request.url)
      const meta = (): Meta => ({ request_id: requestId, timestamp: new Date().toISOString() })
      const refuse = (reason: RefusalReason, message: string) =>
        Effect.sync(() => {
          admission.count(reason)
          if (exchange !== undefined) exchange.code = "UNAVAILABLE"
          return errorResponse(failing(Unavailable, message), meta(), settings.publicUrl, { connection: "close" })
        })

      const allowed = request.method === "OPTIONS" ? cors?.preflight(path, request.headers) : undefined
      const answer = allowed === undefined
        ? admitted(app, request, yield* readiness.phase, refuse)
        // In every phase: without it, the page could not read the refusal of the request that follows.
        : Effect.succeed(HttpServerResponse.empty({ status: 204, headers: allowed }))

      const response = yield* answer.pipe(
        Effect.provideService(RequestOrigin, origin),
        Effect.catchCause((cause) =>
          encodeFailure({
            cause,
            meta: meta(),
            publicUrl: settings.publicUrl,
            paths: {
              method: request.method,
              // When the path has this very method, the path itself could not be decoded: not found instead of 405.
              methods: () => {
                const methods = methodsOf(path)
                return methods.includes(request.method) ? [] : methods
              },
              nearest: () => nearestPath(path)
            }
          })
        ),
        Effect.onExit((exit) =>
          Effect.sync(() => admission.leave(request.source, Exit.isSuccess(exit) ? exit.value.status : 0))
        ),
        Effect.provideService(CurrentExchange, exchange)
      )
      if (exchange?.code !== undefined && own?._tag === "Span") own.attribute("countersign.code", exchange.code)
      const shown = asPage(request, response, requestId)
      const vary = allowed === undefined ? cors?.varyOf(path, shown.headers["vary"]) : undefined
      return HttpServerResponse.setHeaders(shown, {
        ...answerHeaders(
          requestId,
          shown.headers,
          shown.status === 304 ? "unchanged" : request.method === "POST" && isOfApps(path) ? "app" : "document"
        ),
        ...(vary === undefined ? {} : { vary })
      })
    })

  /** Completes when no request is in flight. */
  const idle: Effect.Effect<void> = Effect.suspend(() =>
    admission.open() === 0 ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), idle)
  )

  return { guard, idle }
})
