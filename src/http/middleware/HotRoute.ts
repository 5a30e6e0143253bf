import { Context, Effect, Exit, Schema } from "effect"
import type { Cause, Tracer } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { formatTraceparent, parseTraceparent } from "../../domain/wire/TraceContext.ts"
import { CurrentIdempotentRequest } from "../../services/access/Idempotency.ts"
import { CurrentShare } from "../../services/admission/FairShare.ts"
import type { RuntimeCredential } from "../../services/entitlements/EntitlementState.ts"
import { RequestOrigin } from "../../services/events/Provenance.ts"
import type { Origin } from "../../services/events/Provenance.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { Settings } from "../../services/platform/Settings.ts"
import type { SignedAnswer } from "../../services/security/Signing.ts"
import { meta, signedBody } from "../answers/Reply.ts"
import { bodyStrictness } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"
import { nonceHeader } from "../api/Runtime.ts"
import { clientAddress } from "../edge/Exchange.ts"
import { CurrentExchange } from "../edge/Exchanges.ts"
import { encodeFailure } from "../edge/Failures.ts"
import { answerOf, HotRoutes } from "../edge/HotRoutes.ts"
import type { HotAnswer, HotRequest } from "../edge/HotRoutes.ts"
import { offeredRequestId } from "../edge/Refusal.ts"
import { makeRefused } from "../edge/Refused.ts"
import { makeAnswerHeaders } from "../edge/SecurityHeaders.ts"
import { makeSignedRefusals, withRefusal } from "../edge/SignedRefusals.ts"
import { makeAppAdmission } from "./Authorization.ts"
import { isKept } from "./BodyText.ts"
import { inRequestSpan } from "./HotSpan.ts"
import { fingerprintOf, isIdempotencyKey, principalOf } from "./Idempotency.ts"

/** `Authorization: License <license-key>`, without what needs a second look. */
const authorization = /^License (\S.*)$/i

/** The media types of nearly every body. All others are judged by HttpApi. */
const json = /^application\/json(; ?charset=utf-8)?$/i

const readNonce = Schema.decodeUnknownExit(Schema.Struct(nonceHeader))

const utf8 = new TextDecoder()

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const jsonHeaders = { "content-type": "application/json" }

/** The answer of a hot operation that is signed and not stored. */
export const hotSigned = <E, R>(answer: Effect.Effect<SignedAnswer, E, R>): Effect.Effect<HotAnswer, E, R> =>
  Effect.map(signedBody(answer), (body) => ({ status: 200, headers: jsonHeaders, body }))

/** What a plain request says. */
interface Plain<Payload> {
  readonly credential: string
  readonly key: string | undefined
  readonly nonce: string | undefined
  readonly text: string
  readonly payload: Payload
}

/**
 * Adds hot routes: each for an operation of the runtime API without path parameters and query. Whatever these routes
 * do, the middleware of the operation does too; what is common to both is one function. They take only requests that
 * are plain and well-formed, so that they need no refusals of their own for the others.
 */
export const makeHotRoutes = Effect.gen(function*() {
  const routes = yield* HotRoutes
  const crypto = yield* Cryptography
  const identifiers = yield* Identifiers
  const { publicUrl, trustedProxies } = yield* Settings
  const admit = yield* makeAppAdmission
  const refused = yield* makeRefused
  const signedRefusals = yield* makeSignedRefusals
  const answerHeaders = makeAnswerHeaders(publicUrl)

  const originOf = (
    { exchange, headers, remoteAddress }: HotRequest,
    requestId: string,
    span: Tracer.Span | undefined
  ): Origin => {
    const forwarded = headers["x-forwarded-for"]
    const traceparent = headers["traceparent"]
    // The span of this request, or its caller's when there is none.
    const place = span ?? (typeof traceparent === "string" ? parseTraceparent(traceparent) : undefined)
    if (exchange !== undefined) {
      exchange.requestId = requestId
      exchange.traceId = place?.traceId
    }
    return {
      requestId,
      ipAddress: remoteAddress === undefined
        ? undefined
        : clientAddress(remoteAddress, typeof forwarded === "string" ? forwarded : undefined, trustedProxies),
      traceparent: place === undefined ? undefined : formatTraceparent(place)
    }
  }

  return <Payload extends { readonly nonce?: string }>(
    endpoint: HttpApiEndpoint.Top,
    schema: Schema.Decoder<Payload>,
    answer: (caller: RuntimeCredential, payload: Payload) => Effect.Effect<HotAnswer, unknown>
  ): void => {
    const decode = Schema.decodeUnknownExit(schema, bodyStrictness)
    const { answerKept = "transaction", idempotencyKey } = declarationOf(endpoint)

    /** Whether these routes can handle a request with this Idempotency-Key, or without one. */
    const isKeyHandled = (key: unknown): boolean =>
      key === undefined
        ? idempotencyKey !== "required"
        : answerKept !== "transaction" && typeof key === "string" && isIdempotencyKey(key)

    const plain = ({ body, headers }: HotRequest): Plain<Payload> | undefined => {
      const credential = authorization.exec(String(headers["authorization"]))?.[1]
      const key = headers["idempotency-key"]
      if (credential === undefined || !json.test(String(headers["content-type"]))) return undefined
      if (!isKeyHandled(key) || headers["content-encoding"] !== undefined) return undefined
      if (headers["if-match"] !== undefined) return undefined
      const nonce = headers["x-nonce"]
      if (nonce !== undefined && Exit.isFailure(readNonce({ "x-nonce": nonce }))) return undefined
      const text = utf8.decode(body)
      const payload = decode(parsed(text))
      if (Exit.isFailure(payload) || !isKept(text)) return undefined
      return { credential, key, nonce, text, payload: payload.value } as Plain<Payload>
    }

    const operation = (
      { credential, key, nonce, payload, text }: Plain<Payload>,
      origin: Origin,
      { exchange }: HotRequest
    ) =>
      Effect.flatMap(
        admit(`License ${credential}`, origin.ipAddress ?? "", endpoint, exchange),
        ({ keyHash, settling, share }) => {
          const context = Context.make(RequestOrigin, origin).pipe(Context.add(CurrentShare, share))
          const asked = nonce === undefined || payload.nonce !== undefined ? payload : { ...payload, nonce }
          return settling(Effect.provideContext(
            answer({ keyHash }, asked),
            key === undefined || answerKept === "none" ? context : Context.add(context, CurrentIdempotentRequest, {
              principal: principalOf(keyHash),
              key,
              fingerprint: fingerprintOf(crypto, { method: endpoint.method, url: endpoint.path, nonce, body: text })
            })
          ))
        }
      )

    const failed = (
      cause: Cause.Cause<unknown>,
      { exchange, headers }: HotRequest,
      { nonce, text }: Plain<Payload>,
      origin: Origin
    ) => {
      const authorization = String(headers["authorization"])
      const { method, path: target } = endpoint
      const signed = signedRefusals.of(
        endpoint,
        cause,
        { method, target, authorization, nonce, text: Effect.succeed(text), exchange }
      )
      return refused.app(endpoint, cause, {
        id: origin.requestId,
        authorization,
        text: Effect.succeed(text)
      }).pipe(
        Effect.andThen(Effect.zip(signed, Effect.provideService(meta, RequestOrigin, origin))),
        Effect.flatMap(([refusal, meta]) => encodeFailure({ cause, meta: withRefusal(meta, refusal), publicUrl })),
        Effect.provideService(CurrentExchange, exchange),
        Effect.map(answerOf)
      )
    }

    routes.add(endpoint.path, (request) => {
      const question = plain(request)
      if (question === undefined) return undefined
      return inRequestSpan(endpoint.path, request, (span) => {
        const requestId = offeredRequestId(request.headers["x-request-id"]) ?? identifiers.next("req")
        span?.attribute("countersign.request_id", requestId)
        const origin = originOf(request, requestId, span)
        const whole = ({ body, headers, status }: HotAnswer): HotAnswer => ({
          status,
          headers: answerHeaders(requestId, headers, "app"),
          body
        })
        return Effect.matchCauseEffect(operation(question, origin, request), {
          onSuccess: (answer) => Effect.succeed(whole(answer)),
          onFailure: (cause) => Effect.map(failed(cause, request, question, origin), whole)
        })
      })
    })
  }
})
