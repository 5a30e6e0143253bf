import { Effect, Exit, Option, References } from "effect"
import type { Tracer } from "effect"
import { HttpServerError, HttpTraceContext } from "effect/http"
import type { Headers } from "effect/http"
import type { HotAnswer, HotRequest } from "../edge/HotRoutes.ts"

/** The status that the general pipeline gives to the span of a request: of an interruption, by who ended it. */
const statusOf = (exit: Exit.Exit<HotAnswer>): Effect.Effect<number> =>
  Exit.isSuccess(exit)
    ? Effect.succeed(exit.value.status)
    : Effect.map(HttpServerError.causeResponse(exit.cause), ([{ status }]) => status)

/**
 * Does the work of a hot request in the span that the general pipeline makes of a request (`HttpMiddleware.tracer`). The
 * work is given the span, or undefined while no traces leave: then this costs a look at the fiber.
 */
export const inRequestSpan = (
  path: string,
  { exchange, headers }: HotRequest,
  work: (span: Tracer.Span | undefined) => Effect.Effect<HotAnswer>
): Effect.Effect<HotAnswer> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(References.TracerEnabled)) return work(undefined)
    // Fields that HTTP allows several of are no part of a trace's place.
    const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(headers as Headers.Headers))
    return Effect.useSpan("POST", { parent, kind: "server" }, (span) =>
      work(span).pipe(
        Effect.withParentSpan(span),
        Effect.onExit((exit) =>
          Effect.map(statusOf(exit), (status) => {
            span.attribute("http.request.method", "POST")
            span.attribute("url.path", path)
            span.attribute("url.scheme", "http")
            span.attribute("http.response.status_code", status)
            if (exchange?.code !== undefined) span.attribute("countersign.code", exchange.code)
          })
        )
      ))
  })
