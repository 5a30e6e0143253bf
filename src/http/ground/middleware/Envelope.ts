import { Effect, Layer } from "effect"
import type { Cause } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { meta, QueryWarnings } from "../edge/Reply.ts"
import { Envelope } from "../../../api/ground/Middleware.ts"
import { declarationOf } from "../../../api/ground/Operation.ts"
import { encodeFailure } from "../edge/Failures.ts"
import type { ReceivedRequest } from "../edge/ReceivedRequest.ts"
import { makeRefused } from "../edge/Refused.ts"
import { makeSignedRefusal, withRefusal } from "../edge/SignedRefusals.ts"
import { spacelessFilters, warningsAboutFilters } from "./FilterWarnings.ts"

/** Answers the failure of an operation; that of an app is recorded, and signed where it is a verdict. */
export const makeFailureAnswer = Effect.gen(function*() {
  const { publicUrl } = yield* Settings
  const refused = yield* makeRefused
  const signedRefusal = yield* makeSignedRefusal

  return (endpoint: HttpApiEndpoint.Top, cause: Cause.Cause<unknown>, request: ReceivedRequest) => {
    const answer = Effect.zip(signedRefusal(endpoint, cause, request), meta).pipe(
      Effect.flatMap(([refusal, meta]) => encodeFailure({ cause, meta: withRefusal(meta, refusal), publicUrl }))
    )
    return declarationOf(endpoint).scope === "license"
      ? Effect.andThen(refused.app(endpoint, cause, request), answer)
      : answer
  }
})

/** Encodes the operation's failure before HttpApi would write it in its own shape. */
export const layer = Layer.effect(
  Envelope,
  Effect.gen(function*() {
    const failureAnswer = yield* makeFailureAnswer

    /** Runs an operation with what is to be told about its query. */
    const hinted = <A, E, R>(httpEffect: Effect.Effect<A, E, R>, endpoint: HttpApiEndpoint.Top) =>
      spacelessFilters(endpoint).length === 0 ? httpEffect : Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ url }) => Effect.provideService(httpEffect, QueryWarnings, warningsAboutFilters(endpoint, url))
      )

    return Envelope.of((httpEffect, { endpoint }) =>
      Effect.catchCause(
        hinted(httpEffect, endpoint),
        (cause) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => failureAnswer(endpoint, cause, request))
      )
    )
  })
)
