import { Effect, Exit, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { bodyStrictness } from "../../../api/ground/Middleware.ts"
import { nonceHeader } from "../../../api/licensing/Runtime.ts"
import { CurrentShare } from "../../../services/ground/admission/FairShare.ts"
import type { RuntimeCredential } from "../../../services/licensing/entitlements/EntitlementState.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import type { HotRoute } from "../edge/Edge.ts"
import { CurrentExchange } from "../edge/Exchanges.ts"
import type { ReceivedRequest } from "../edge/Exchanges.ts"
import { makeAppAdmission } from "./Authorization.ts"
import { makeFailureAnswer } from "./Envelope.ts"
import { makeIdempotent } from "./Idempotency.ts"
import { bodyOf, checkBody, checkMediaType, payloadRefusal } from "./RequestBody.ts"

const readNonce = Schema.decodeUnknownEffect(Schema.Struct(nonceHeader))

/** The nonce in the header of a request; refuses one that is none. */
const nonceOf = ({ headers }: ReceivedRequest) =>
  headers["x-nonce"] === undefined
    ? Effect.undefined
    : HttpApiError.HttpApiSchemaError.wrap(
      "Headers",
      Effect.map(readNonce({ "x-nonce": headers["x-nonce"] }), (read) => read["x-nonce"])
    )

/** The nonce may be in the body or in a header; the body takes precedence. */
export const withNonce = <Request extends { readonly nonce?: string }>(payload: Request, nonce: string | undefined) =>
  payload.nonce === undefined && nonce !== undefined ? { ...payload, nonce } : payload

/** Answers an operation, whose payload was decoded by the schema that the operation declares. */
export type HotAnswer<Payload> = (
  caller: RuntimeCredential,
  payload: Payload
) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>

/** The schema of the body that an operation takes; each of them may say a nonce. */
const schemaOf = (endpoint: HttpApiEndpoint.Top): Schema.Decoder<{ readonly nonce?: string }> => {
  const [payload] = endpoint.payload.values()
  return payload!.schemas[0] as Schema.Decoder<{ readonly nonce?: string }>
}

/**
 * Makes the one implementation of a hot operation: without path parameters and query, for a license key. It judges
 * credential, key, body and nonce in the order of the middleware of all other operations, and by the same functions, but
 * hands values on where those hand contexts.
 */
export const makeHotRoute = Effect.gen(function*() {
  const admit = yield* makeAppAdmission
  const failureAnswer = yield* makeFailureAnswer
  const idempotent = yield* makeIdempotent

  return (endpoint: HttpApiEndpoint.Top, answer: HotAnswer<any>): HotRoute => {
    const decode = Schema.decodeUnknownExit(schemaOf(endpoint), bodyStrictness)

    const judged = (caller: RuntimeCredential, request: ReceivedRequest) =>
      checkBody(request).pipe(
        Effect.andThen(checkMediaType(request)),
        Effect.andThen(nonceOf(request)),
        Effect.flatMap((nonce) =>
          Effect.flatMap(bodyOf(request), (body) => {
            const payload = decode(body)
            return Exit.isSuccess(payload)
              ? answer(caller, withNonce(payload.value, nonce))
              : Effect.fail(payloadRefusal(endpoint, body))
          })
        )
      )

    const admitted = (request: ReceivedRequest) =>
      Effect.withFiber((fiber) => {
        const { ipAddress = "" } = fiber.getRef(RequestOrigin)
        return Effect.flatMap(
          admit(request.headers["authorization"], ipAddress, endpoint, fiber.getRef(CurrentExchange)),
          ({ keyHash, settling, share }) => {
            const app = { keyHash }
            return settling(Effect.provideService(
              idempotent(endpoint, request, app, judged(app, request)),
              CurrentShare,
              share
            ))
          }
        )
      })

    return (request) => Effect.catchCause(admitted(request), (cause) => failureAnswer(endpoint, cause, request))
  }
})
