import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Meta } from "../domain/Errors.ts"
import type { Page } from "../domain/Page.ts"
import { RequestOrigin } from "../services/RequestContext.ts"
import type { SignedAnswer } from "../services/RuntimeSnapshot.ts"

/** The `meta` of the answer in hand. */
export const meta: Effect.Effect<Meta> = Effect.gen(function*() {
  const { requestId } = yield* RequestOrigin
  const now = yield* Clock.currentTimeMillis
  return { request_id: requestId ?? "", timestamp: new Date(now).toISOString() }
})

/** Answers `{data, meta}`. */
export const one = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(effect, (data) => Effect.map(meta, (meta) => ({ data, meta })))

/** Answers `{data: [], page_info, meta}`. */
export const page = <A, E, R>(effect: Effect.Effect<Page<A>, E, R>) =>
  Effect.flatMap(effect, ({ items, page_info }) => Effect.map(meta, (meta) => ({ data: items, page_info, meta })))

/**
 * Answers `{data, signature, meta}` with the very bytes that were signed as `data`: encoding them once more could only
 * change them.
 */
export const signed = <E, R>(effect: Effect.Effect<SignedAnswer, E, R>) =>
  Effect.flatMap(effect, ({ data, signature }) =>
    Effect.map(meta, (meta) =>
      HttpServerResponse.text(
        `{"data":${data},"signature":${JSON.stringify(signature)},"meta":${JSON.stringify(meta)}}`,
        { contentType: "application/json" }
      )))
