import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Admission } from "../../../services/ground/admission/Admission.ts"
import { MetricsExposition, metricsType } from "../../../services/ground/platform/MetricsExposition.ts"
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
