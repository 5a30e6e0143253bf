import { Context, Effect, Layer } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Admission } from "../../../services/ground/admission/Admission.ts"
import { DatabaseHealth } from "../../../services/ground/platform/DatabaseHealth.ts"
import { MetricsExposition, metricsType, Readiness } from "../../../services/ground/platform/Ports.ts"
import type { Phase } from "../../../services/ground/platform/Ports.ts"
import { pathOf } from "./Refusal.ts"
import { meta } from "./Reply.ts"
import { sendShared } from "./StaticAnswer.ts"

/** Answers the metrics to who asks for them in an odd way, such as with a body; all others are answered at the door. */
export const metricsAnswer = Effect.map(
  Effect.all([Admission, MetricsExposition]),
  ([admission, metrics]) =>
    Effect.gen(function*() {
      const { method } = yield* HttpServerRequest.HttpServerRequest
      const { text } = yield* metrics.read
      return yield* sendShared(admission, method, text, {
        contentType: metricsType,
        headers: { vary: "accept-encoding" }
      })
    })
)

/** The data of `/readyz`, and its status. */
interface ReadinessAnswer {
  readonly status: number
  readonly data: {
    readonly status: "ready" | "not_ready"
    readonly db: "ok" | "unavailable"
    readonly phase: Exclude<Phase, "closing">
    readonly reason: string | undefined
  }
}

/**
 * The readiness of this node once its services are there, for the door, which is there before them. The application says it, and the
 * door answers probes.
 */
export class NodeReadiness extends Context.Service<NodeReadiness, {
  readonly tell: (answer: Effect.Effect<ReadinessAnswer>) => void
  readonly answer: () => Effect.Effect<ReadinessAnswer> | undefined
}>()("countersign/http/ground/edge/NodeReadiness") {
  static readonly layer = Layer.sync(NodeReadiness, () => {
    let told: Effect.Effect<ReadinessAnswer> | undefined
    return NodeReadiness.of({ tell: (answer) => void (told = answer), answer: () => told })
  })
}

/** Makes what tells whether requests should be sent to this node. */
export const readinessAnswer = Effect.gen(function*() {
  const admission = yield* Admission
  const database = yield* DatabaseHealth
  const readiness = yield* Readiness

  const answer = Effect.gen(function*() {
    const phase = yield* readiness.phase
    const answers = yield* database.answers
    const shortage = answers ? yield* database.shortage : undefined
    const reason = shortage ??
      (admission.overloaded() ? "The service is overloaded and sheds load." : undefined)
    // Every node has the same disk, and what only reads goes on: that is no reason to send requests elsewhere.
    const warning = yield* database.fullDisk
    const isReady = phase === "ready" && answers && reason === undefined
    return {
      status: isReady ? 200 : 503,
      data: {
        status: isReady ? "ready" : "not_ready",
        db: answers ? "ok" : "unavailable",
        phase: phase === "closing" ? "draining" : phase,
        reason: reason ?? warning
      }
    } satisfies ReadinessAnswer
  })
  const source = yield* NodeReadiness
  source.tell(answer)
  return { answer }
})

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
