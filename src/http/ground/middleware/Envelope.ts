import { Effect, Layer, SchemaAST } from "effect"
import type { Cause } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Envelope } from "../../../api/ground/Middleware.ts"
import { declarationOf } from "../../../api/ground/Operation.ts"
import type { Warning } from "../../../domain/ground/wire/Errors.ts"
import { spacelessOf } from "../../../domain/ground/wire/Fields.ts"
import type { IsValue } from "../../../domain/ground/wire/Fields.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import type { ReceivedRequest } from "../edge/Exchanges.ts"
import { encodeFailure, makeSignedRefusal, withRefusal } from "../edge/Failures.ts"
import { makeRefused } from "../edge/Refused.ts"
import { meta, QueryWarnings } from "../edge/Reply.ts"

/** A parameter of a query that looks for values without spaces. */
interface SpacelessFilter {
  readonly name: string
  readonly isValue: IsValue
}

const read = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<SpacelessFilter> =>
  query === undefined || !SchemaAST.isObjects(query.ast) ? [] : query.ast.propertySignatures.flatMap(
    ({ name, type }) => {
      const isValue = spacelessOf(type)
      return isValue === undefined ? [] : [{ name: String(name), isValue }]
    }
  )

const known = new WeakMap<HttpApiEndpoint.Top, ReadonlyArray<SpacelessFilter>>()

/** The filters of an operation whose values have no spaces. */
const spacelessFilters = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<SpacelessFilter> => {
  const filters = known.get(endpoint) ?? read(endpoint)
  known.set(endpoint, filters)
  return filters
}

const warningAbout = ({ isValue, name }: SpacelessFilter, value: string): Warning => {
  const restored = value.replaceAll(" ", "+")
  const cure = isValue(restored) ? `: ${name}=${encodeURIComponent(restored)}` : ""
  return {
    code: "SPACE_IN_FILTER",
    message:
      `The values that ${name} searches never contain a space, so there are no matches. A + in a query means a ` +
      `space: write + as %2B${cure}`,
    field: name
  }
}

/**
 * Warns who looks for what has a space in it where no value has one. That finds nothing, which looks like an answer, and
 * is nearly always a `+` that was not encoded (WHATWG URL, application/x-www-form-urlencoded).
 */
const warningsAboutFilters = (endpoint: HttpApiEndpoint.Top, url: string): ReadonlyArray<Warning> => {
  const at = url.indexOf("?")
  if (at === -1 || !/[+%]/.test(url.slice(at))) return []
  const query = new URLSearchParams(url.slice(at))
  return spacelessFilters(endpoint).flatMap((filter) => {
    const value = query.get(filter.name)
    return value === null || !/\s/.test(value) ? [] : [warningAbout(filter, value)]
  })
}

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
