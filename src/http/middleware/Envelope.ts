import { Effect, Layer } from "effect"
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
import { makeRefused } from "../edge/Refused.ts"
import { makeSignedRefusals, withRefusal } from "../edge/SignedRefusals.ts"
import { spacelessFilters, warningsAboutFilters } from "./FilterWarnings.ts"

/** Encodes the operation's failure before HttpApi would write it in its own shape. */
export const layer = Layer.effect(
  Envelope,
  Effect.gen(function*() {
    const { publicUrl } = yield* Settings
    const refused = yield* makeRefused
    const signedRefusals = yield* makeSignedRefusals

    /** Replaces HttpApi's plain-text 415; an absent body of the wrong type counts as a missing body. */
    const envelope = (response: HttpServerResponse.HttpServerResponse) =>
      response.status !== 415
        ? Effect.succeed(response)
        : Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const error = hasBody(request)
            ? failing(UnsupportedMediaType, "Send the body as application/json.")
            : failing(ValidationError, "The request is not valid: send a JSON object, as application/json.", {
              fields: [{ path: "", code: "required", message: "Send a JSON object, as application/json" }]
            })
          yield* refusedWith(error._tag)
          return errorResponse(error, yield* meta, publicUrl)
        })

    /** Runs an operation with what is to be told about its query. */
    const hinted = <A, E, R>(httpEffect: Effect.Effect<A, E, R>, endpoint: HttpApiEndpoint.Top) =>
      spacelessFilters(endpoint).length === 0 ? httpEffect : Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        ({ url }) => Effect.provideService(httpEffect, QueryWarnings, warningsAboutFilters(endpoint, url))
      )

    return Envelope.of((httpEffect, { endpoint }) =>
      hinted(httpEffect, endpoint).pipe(
        Effect.flatMap(envelope),
        Effect.catchCause((cause) => {
          const answer = Effect.flatMap(signedRefusals.ofCurrent(endpoint, cause), (refusal) =>
            Effect.flatMap(meta, (meta) =>
              encodeFailure({ cause, meta: withRefusal(meta, refusal), publicUrl })))
          return declarationOf(endpoint).scope === "license"
            ? Effect.andThen(refused.runtime(endpoint, cause), answer)
            : answer
        })
      )
    )
  })
)
