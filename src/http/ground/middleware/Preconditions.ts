import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Preconditions } from "../../../api/ground/Middleware.ts"
import { parseConditionTags } from "../../../domain/ground/wire/EntityTag.ts"
import { failing, InvalidHeader } from "../../../domain/ground/wire/Errors.ts"
import { finding } from "../../../domain/ground/wire/FieldFindings.ts"
import { CurrentPrecondition } from "../../../services/ground/persistence/Precondition.ts"
import type { Precondition } from "../../../services/ground/persistence/Precondition.ts"
import { decodedPathOf } from "../edge/Refusal.ts"

const malformed = failing(InvalidHeader, "If-Match must be entity tags from responses, including the quotes, or *.", {
  fields: [finding(["If-Match"], "invalid_value", "must be entity tags in quotes, separated by commas, or *")]
})

const isReplayed = (response: HttpServerResponse.HttpServerResponse): boolean =>
  response.headers["idempotency-replayed"] !== undefined

/**
 * `ETag` and `If-Match` of a resource, which is the one that the path ends with. Whoever locks its row judges the
 * condition, since only then nobody can change it any more. A change that nobody judged would have ignored the
 * condition, which is a defect.
 */
export const layer = Layer.succeed(
  Preconditions,
  Preconditions.of((httpEffect, { endpoint }) =>
    Effect.gen(function*() {
      const { headers, url } = yield* HttpServerRequest.HttpServerRequest
      const sent = endpoint.method === "GET" ? undefined : headers["if-match"]
      const expected = sent === undefined ? undefined : parseConditionTags(sent)
      if (sent !== undefined && expected === undefined) return yield* malformed
      const path = decodedPathOf(url)
      const precondition: Precondition = {
        id: path.slice(path.lastIndexOf("/") + 1),
        expected,
        isJudged: false,
        etag: undefined
      }
      const response = yield* Effect.provideService(httpEffect, CurrentPrecondition, precondition)
      if (expected !== undefined && !precondition.isJudged && !isReplayed(response)) {
        return yield* Effect.die(new Error(`If-Match was not checked by ${endpoint.identifier}`))
      }
      return precondition.etag === undefined || endpoint.method === "DELETE"
        ? response
        : HttpServerResponse.setHeader(response, "etag", precondition.etag)
    })
  )
)
