import { Effect, Layer } from "effect"
import type { Cause } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { failing, UnsupportedMediaType, ValidationError } from "../../domain/wire/Errors.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { meta, QueryWarnings } from "../answers/Reply.ts"
import { Envelope } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"
import { hasBody } from "../edge/Exchange.ts"
import { refusedWith } from "../edge/Exchanges.ts"
import { encodeFailure, errorResponse } from "../edge/Failures.ts"
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

/** Answers a body that is not said to be JSON; an absent one counts as missing. */
export const otherMediaType = Effect.fnUntraced(function*(request: ReceivedRequest, publicUrl: string) {
  const error = hasBody(request)
    ? failing(UnsupportedMediaType, "Send the body as application/json.")
    : failing(ValidationError, "The request is not valid: send a JSON object, as application/json.", {
      fields: [{ path: "", code: "required", message: "Send a JSON object, as application/json" }]
    })
  yield* refusedWith(error._tag)
  return errorResponse(error, yield* meta, publicUrl)
})

/** Encodes the operation's failure before HttpApi would write it in its own shape. */
export const layer = Layer.effect(
  Envelope,
  Effect.gen(function*() {
    const { publicUrl } = yield* Settings
    const failureAnswer = yield* makeFailureAnswer

    /** Replaces HttpApi's plain-text 415. */
    const envelope = (response: HttpServerResponse.HttpServerResponse) =>
      response.status !== 415
        ? Effect.succeed(response)
        : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => otherMediaType(request, publicUrl))

    /** Runs an operation with what is to be told about its query. */
    const hinted = <A, E, R>(httpEffect: Effect.Effect<A, E, R>, endpoint: HttpApiEndpoint.Top) =>
      spacelessFilters(endpoint).length === 0 ? httpEffect : Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ url }) => Effect.provideService(httpEffect, QueryWarnings, warningsAboutFilters(endpoint, url))
      )

    return Envelope.of((httpEffect, { endpoint }) =>
      hinted(httpEffect, endpoint).pipe(
        Effect.flatMap(envelope),
        Effect.catchCause((cause) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => failureAnswer(endpoint, cause, request))
        )
      )
    )
  })
)
