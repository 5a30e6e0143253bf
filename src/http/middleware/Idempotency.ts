import { Effect, Layer, Option } from "effect"
import { Hex } from "effect/encoding"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { failing, IdempotencyKeyRequired, InvalidHeader } from "../../domain/Errors.ts"
import { Cryptography } from "../../services/Cryptography.ts"
import { CurrentIdempotentRequest, Idempotency as IdempotencyStore } from "../../services/Idempotency.ts"
import type { StoredAnswer } from "../../services/Idempotency.ts"
import { CurrentActor } from "../../services/RequestContext.ts"
import { Idempotency, RuntimeCaller } from "../api/Middleware.ts"
import { declarationOf } from "../api/Operation.ts"
import { repeatable } from "../Reply.ts"

const keyPattern = /^[\x21-\x7e]{1,255}$/

/** Headers that describe this very answer; the rest belongs to the exchange it travelled in. */
const kept = ["content-type", "location"] as const

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

/** `Idempotency-Key` on every write; without the header a write runs plainly, unless the operation requires it. */
export const layer = Layer.effect(
  Idempotency,
  Effect.gen(function*() {
    const answers = yield* IdempotencyStore
    const crypto = yield* Cryptography

    return Idempotency.of((httpEffect, { endpoint }) => {
      if (endpoint.method === "GET") return httpEffect
      const { idempotencyKey, storesItsAnswer } = declarationOf(endpoint)
      const required = idempotencyKey === "required"
      return Effect.gen(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        const key = request.headers["idempotency-key"]
        if (key === undefined || key === "") {
          if (required) return yield* failing(IdempotencyKeyRequired, "This operation needs an Idempotency-Key header.")
          return yield* httpEffect
        }
        if (!keyPattern.test(key)) {
          return yield* failing(InvalidHeader, "Idempotency-Key must be 1 to 255 printable characters.")
        }
        const actor = yield* CurrentActor
        const caller = yield* Effect.serviceOption(RuntimeCaller)
        const body = yield* Effect.orDie(request.text)
        const idempotent = {
          principal: Option.match(caller, {
            onNone: () => actor.id,
            onSome: ({ keyHash }) => `license:${Hex.encode(keyHash)}`
          }),
          key,
          fingerprint: crypto.sha256(`${endpoint.method} ${request.url}\n`, body)
        }
        if (storesItsAnswer === true) {
          return yield* Effect.provideService(httpEffect, CurrentIdempotentRequest, idempotent)
        }
        return repeatable(yield* answers.once(idempotent, Effect.map(httpEffect, store)))
      })
    })
  })
)
