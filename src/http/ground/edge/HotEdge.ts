import { Context, Effect, Exit, Layer, Option, References } from "effect"
import type { Tracer } from "effect"
import { HttpServerError, HttpTraceContext } from "effect/http"
import type { Headers, HttpServerResponse } from "effect/http"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import { CurrentExchange, makeArrivals } from "./Exchanges.ts"
import type { Exchange } from "./Exchanges.ts"
import type { ReceivedRequest } from "./ReceivedRequest.ts"
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
