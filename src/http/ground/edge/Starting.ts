import { Effect } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { metricsAnswer } from "./MetricsAnswer.ts"
import { meta } from "./Reply.ts"
import { pathOf } from "./RequestTarget.ts"

/** The app while the service starts: it is live, not ready, and exposes metrics. */
export const starting = Effect.map(metricsAnswer, (metrics) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    switch (pathOf(request.url)) {
      case "/health":
      case "/healthz":
        return HttpServerResponse.jsonUnsafe({ data: { status: "ok" }, meta: yield* meta })
      case "/readyz":
        return HttpServerResponse.jsonUnsafe(
          { data: { status: "not_ready", db: "unknown", phase: "starting" }, meta: yield* meta },
          { status: 503 }
        )
      case "/metrics":
        return yield* metrics
      default:
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
    }
  }))
