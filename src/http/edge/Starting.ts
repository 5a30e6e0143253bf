import { Effect } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { MetricsExposition } from "../../services/platform/MetricsExposition.ts"
import { meta } from "../answers/Reply.ts"

/** The app while the service starts: it is live, not ready, and exposes metrics. */
export const starting = Effect.map(MetricsExposition, (metrics) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    switch (request.url.split("?")[0]) {
      case "/health":
      case "/healthz":
        return HttpServerResponse.jsonUnsafe({ data: { status: "ok" }, meta: yield* meta })
      case "/readyz":
        return HttpServerResponse.jsonUnsafe(
          { data: { status: "not_ready", db: "unknown", phase: "starting" }, meta: yield* meta },
          { status: 503 }
        )
      case "/metrics":
        return HttpServerResponse.text(yield* metrics.render, {
          contentType: "text/plain; version=0.0.4; charset=utf-8"
        })
      default:
        return yield* new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
    }
  }))
