import { Effect, Layer, Option, Schema } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerRequest } from "effect/http"
import type { HttpServerError, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Idempotency, RuntimeCaller } from "../../../api/ground/Middleware.ts"
import { declarationOf, takesMember } from "../../../api/ground/Operation.ts"
import {
  catalog,
  failing,
  IdempotencyKeyRequired,
  InvalidHeader,
  InvalidJson,
  PayloadTooLarge
} from "../../../domain/ground/wire/Errors.ts"
import type { IdempotencyConflict, IdempotencyInFlight, RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { finding } from "../../../domain/ground/wire/FieldFindings.ts"
import { guessableFields } from "../../../domain/keys/security/SecretFields.ts"
import type { RuntimeWrite } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import { ConsumeRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import type { RuntimeCredential } from "../../../services/licensing/entitlements/EntitlementState.ts"
import { Replays } from "../../../services/licensing/entitlements/Replays.ts"
import { CurrentActor } from "../../../services/log/Provenance.ts"
import {
  CurrentIdempotentRequest,
  Idempotency as IdempotencyStore
} from "../../../services/people/access/Idempotency.ts"
import type { StoredAnswer } from "../../../services/people/access/Idempotency.ts"
import type { ReceivedRequest } from "../edge/Exchanges.ts"
import { isTooLarge } from "../edge/Failures.ts"
import { CurrentHandover, repeatable } from "../edge/Reply.ts"
import { payloadRefusal } from "./RequestBody.ts"

/** Whether a write is only asked about. Such a question is answered anew, and nothing is stored of it. */
const isDryRun = (endpoint: HttpApiEndpoint.Top, body: string): boolean => {
  // The name may be written with escapes.
  if (!takesMember(endpoint, "dry_run") || !/dry_run|\\u/.test(body)) return false
  const read = Option.getOrUndefined(readObject(body))
  return read?.["dry_run"] === true
}

const readObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const readLease = Schema.decodeUnknownOption(Schema.fromJsonString(LeaseRequest))
const readUse = Schema.decodeUnknownOption(Schema.fromJsonString(ConsumeRequest))
const readQuestion = Schema.decodeUnknownOption(Schema.fromJsonString(RuntimeRequest))

const keyPattern = /^[\x21-\x7e]{1,255}$/

const keyless = failing(IdempotencyKeyRequired, "This operation needs an Idempotency-Key header.")

const unprintable = failing(InvalidHeader, "Idempotency-Key must be 1 to 255 printable characters.", {
  fields: [finding(["Idempotency-Key"], "invalid_value", "must be 1 to 255 printable characters")]
})

/**
 * The parts that make two requests the same, beside their key. The answer carries the nonce, so the same body with another nonce
 * is another request, as is the same change of another state.
 */
const fingerprintOf = (
  crypto: Cryptography["Service"],
  request: {
    readonly method: string
    readonly url: string
    readonly nonce: string | undefined
    readonly ifMatch?: string | undefined
    readonly body: string
  }
): Uint8Array =>
  crypto.sha256(
    `${request.method} ${request.url}\n`,
    request.nonce === undefined ? "" : `x-nonce: ${request.nonce}\n`,
    request.ifMatch === undefined ? "" : `if-match: ${request.ifMatch}\n`,
    request.body
  )

const guessable = new RegExp(`"(?:${guessableFields.join("|")})"`)

/**
 * Whether a body has a field whose value may be short enough to be guessed from a plain hash of the request, and is
 * itself stored under a key or sealed.
 */
export const mayBeGuessed = (body: string): boolean => guessable.test(body)

/** The principal of an app: the keyed hash of its license key. */
const principalOf = (keyHash: Uint8Array): string => `license:${Hex.encode(keyHash)}`

/** Headers stored with the answer; all others belong to the single exchange. */
const kept = ["content-type", "etag", "location"] as const

const store = (response: HttpServerResponse.HttpServerResponse): StoredAnswer => {
  const headers: Record<string, string> = {}
  for (const name of kept) {
    const value = response.headers[name]
    if (value !== undefined) headers[name] = value
  }
  const { body } = response
  if (body._tag === "Uint8Array" && body.contentType !== undefined) headers["content-type"] = body.contentType
  return { status: response.status, headers, body: body._tag === "Uint8Array" ? body.body : undefined }
}

const unconditional = failing(
  InvalidHeader,
  "If-Match is taken by PATCH and DELETE of one resource, not by this operation.",
  {
    fields: [finding(["If-Match"], "not_allowed", "is not taken by this operation")]
  }
)

/** The refusal of a body that cannot be read. */
const unreadable = (error: HttpServerError.HttpServerError) =>
  isTooLarge(error)
    ? failing(PayloadTooLarge, catalog.PAYLOAD_TOO_LARGE.meaning)
    : failing(InvalidJson, "The body could not be read.")

/**
 * Hides failures from the type: the operation declares them, but HttpApi's types cannot know of a middleware that
 * raises them.
 */
export const refusedByOperation = <A, R>(effect: Effect.Effect<A, unknown, R>) => effect as Effect.Effect<A, never, R>

/** The fault of the key of a request, or the conflict with an earlier request of the same key. */
type KeyRefusal = IdempotencyConflict | IdempotencyInFlight | IdempotencyKeyRequired | InvalidHeader | RateLimited

/**
 * Runs a write under its `Idempotency-Key`. Without the header it runs as usual, unless the operation requires the key.
 * The operation declares how the answer is stored. A stored answer for an app is judged again before it is replayed.
 */
export const makeIdempotent = Effect.gen(function*() {
  const answers = yield* IdempotencyStore
  const crypto = yield* Cryptography
  const replays = yield* Replays
  const vault = yield* Vault

  /**
   * The fingerprint of a request as it is stored, and what a version before would have stored: where its body may hold
   * what can be guessed, it is a hash under a key.
   */
  const guarded = (fingerprint: Uint8Array, body: string) =>
    mayBeGuessed(body)
      ? { fingerprint: vault.keyedHash("idempotency-request", Hex.encode(fingerprint)), formerly: fingerprint }
      : { fingerprint }

  /**
   * Judges a replay. A version before may have stored an answer to a body that does not decode: it is refused as if it
   * were sent for the first time.
   */
  const judge = (
    endpoint: HttpApiEndpoint.Top,
    operation: RuntimeWrite,
    caller: RuntimeCredential,
    body: string
  ): Effect.Effect<unknown, unknown> => {
    const decoded = <A>(read: Option.Option<A>, judged: (request: A) => Effect.Effect<unknown, unknown>) =>
      Option.match(read, {
        onNone: () => Effect.fail(payloadRefusal(endpoint, Option.getOrUndefined(readJson(body)))),
        onSome: judged
      })
    switch (operation) {
      case "heartbeat":
      case "checkin":
        return decoded(readLease(body), (lease) => replays.judgeLease(operation, caller, lease))
      case "consume":
        return decoded(readUse(body), (use) => replays.judgeUse(operation, caller, use))
      case "release":
        return replays.judgeRelease(caller)
      default:
        return decoded(readQuestion(body), (question) => replays.judge(operation, caller, question))
    }
  }

  const keyed = Effect.fnUntraced(function*<E, R>(
    endpoint: HttpApiEndpoint.Top,
    request: ReceivedRequest,
    app: RuntimeCredential | undefined,
    key: string,
    operation: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) {
    const { answerKept, replayedAs } = declarationOf(endpoint)
    const body = yield* refusedByOperation(Effect.mapError(request.text, unreadable))
    if (isDryRun(endpoint, body)) return yield* operation
    const { method, url } = request
    const ifMatch = request.headers["if-match"]
    const nonce = app === undefined ? undefined : request.headers["x-nonce"]
    const idempotent = {
      principal: app === undefined ? (yield* CurrentActor).id : principalOf(app.keyHash),
      key,
      ...guarded(fingerprintOf(crypto, { method, url, nonce, ifMatch, body }), body)
    }
    if (answerKept === "last-step") {
      return yield* Effect.provideService(operation, CurrentIdempotentRequest, idempotent)
    }
    const answer = (yield* answers.find(idempotent)) ??
      (yield* answers.once(idempotent, Effect.map(operation, store)))
    if (answer.replayed && app !== undefined && replayedAs !== undefined) {
      yield* refusedByOperation(judge(endpoint, replayedAs, app, body))
    }
    return repeatable(answer)
  })

  return <E, R>(
    endpoint: HttpApiEndpoint.Top,
    request: ReceivedRequest,
    /** The app that asks; without it, management does. */
    app: RuntimeCredential | undefined,
    operation: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E | KeyRefusal, R> => {
    const { answerKept, conditional, idempotencyKey } = declarationOf(endpoint)
    const key = request.headers["idempotency-key"]
    // A caller who sends it relies on it: ignored, a change would be made that was not asked for.
    if (request.headers["if-match"] !== undefined && conditional !== "resource") return Effect.fail(unconditional)
    if (key === undefined || key === "") return idempotencyKey === "required" ? Effect.fail(keyless) : operation
    if (!keyPattern.test(key)) return Effect.fail(unprintable)
    return answerKept === "none" ? operation : keyed(endpoint, request, app, key, operation)
  }
})

/** {@link makeIdempotent} for every write. */
export const layer = Layer.effect(
  Idempotency,
  Effect.map(
    makeIdempotent,
    (idempotent) =>
      Idempotency.of((httpEffect, { endpoint }) =>
        endpoint.method === "GET" ? httpEffect : Effect.gen(function*() {
          if ((yield* CurrentHandover)?.isRehearsal === true) return yield* httpEffect
          const request = yield* HttpServerRequest.HttpServerRequest
          const app = Option.getOrUndefined(yield* Effect.serviceOption(RuntimeCaller))
          return yield* idempotent(endpoint, request, app, httpEffect)
        })
      )
  )
)
