import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { failing, InvalidJson } from "../../domain/wire/Errors.ts"
import { finding, invalidBody } from "../../domain/wire/FieldFindings.ts"
import { jsonErrorPosition } from "../../domain/wire/JsonPosition.ts"
import { payloadFindings } from "../../domain/wire/PayloadFindings.ts"
import type { PayloadFindings } from "../../domain/wire/PayloadFindings.ts"
import { RequestBody } from "../api/Middleware.ts"
import { declarationOf, isForApps } from "../api/Operation.ts"

/** Where a body goes wrong, and never what stands there: it may be a secret. */
const malformed = (text: string) => {
  const { column, line } = jsonErrorPosition(text)
  return failing(InvalidJson, `The body is not well-formed JSON: it goes wrong at line ${line}, column ${column}.`)
}

/** The maximum nesting depth. No valid body is nested deeper, and deep nesting is the most expensive to decode. */
const deepest = 64

const isDeeper = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) inString = !inString
    else if (inString) at += char === 0x5c ? 1 : 0
    // [ and {, ] and }
    else if (char === 0x5b || char === 0x7b) {
      depth += 1
      if (depth > deepest) return true
    } else if (char === 0x5d || char === 0x7d) depth -= 1
  }
  return false
}

/** The body as JSON, read as HttpApi reads it; undefined when absent. */
const bodyOf = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* Effect.orDie(request.text)
  if (text === "") return undefined
  return yield* Effect.try({ try: () => JSON.parse(text) as unknown, catch: () => malformed(text) })
})

const checkDepth = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isDeeper(yield* Effect.orDie(request.text))) return
  return yield* invalidBody([finding([], "invalid_value", `must be nested at most ${deepest} deep`)])
})

const judges = new WeakMap<HttpApiEndpoint.Top, PayloadFindings>()

/** Built at the operation's first request, to keep the start fast. */
const judgeOf = (endpoint: HttpApiEndpoint.Top): PayloadFindings => {
  const known = judges.get(endpoint)
  if (known !== undefined) return known
  const [payload] = endpoint.payload.values()
  const made = payloadFindings(payload!.schemas[0])
  judges.set(endpoint, made)
  return made
}

const isUndecoded = (error: unknown): boolean => HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Payload"

/**
 * Judges bodies. Decoding stops at the first error, because collecting all of them would cost as much as the caller
 * chooses. The findings of a refusal are collected afterwards, up to a limit.
 */
export const layer = Layer.succeed(
  RequestBody,
  RequestBody.of((httpEffect, { endpoint }) => {
    const judged = Effect.catchIf(
      httpEffect,
      isUndecoded,
      () => Effect.flatMap(bodyOf, (body) => Effect.fail(invalidBody(judgeOf(endpoint).of(body))))
    )
    // A runtime body is so small that a full read costs less than a second look.
    if (isForApps(declarationOf(endpoint))) return judged
    return Effect.andThen(
      checkDepth,
      Effect.flatMap(Effect.orElseSucceed(bodyOf, () => undefined), (body) => {
        const fields = judgeOf(endpoint).tooLong(body)
        return fields.length === 0 ? judged : Effect.fail(invalidBody(fields))
      })
    )
  })
)
