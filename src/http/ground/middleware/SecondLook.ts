import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { DryRun, SecondLook } from "../../../api/ground/Middleware.ts"
import { declarationOf } from "../../../api/ground/Operation.ts"
import { isMembers } from "../../../domain/ground/parsing/JsonMembers.ts"
import { isApprovable, secondLookOf } from "../../../domain/log/SecondLook.ts"
import { checkSecondLook } from "../../../services/log/Provenance.ts"
import {
  CurrentIdempotentRequest,
  Idempotency as IdempotencyStore
} from "../../../services/people/access/Idempotency.ts"
import { CurrentHandover } from "../edge/Reply.ts"
import { refusedByOperation } from "./Idempotency.ts"
import { bodyOf } from "./RequestBody.ts"

/**
 * Refuses what a role of the caller needs a second person for, and runs it once one has approved. It stands behind all other
 * middleware, so that nobody is asked about a request that is refused anyway; a dry run does nothing, and is let through.
 */
export const layer = Layer.effect(
  SecondLook,
  Effect.gen(function*() {
    const answers = yield* IdempotencyStore

    /** Whether the request was answered before: an operation of several steps looks for that itself, and later. */
    const isAnswered = Effect.flatMap(CurrentIdempotentRequest, (request) =>
      request === undefined
        ? Effect.succeed(false)
        : Effect.map(refusedByOperation(answers.find(request)), (found) => found !== undefined))

    return SecondLook.of((httpEffect, { endpoint }) =>
      Effect.gen(function*() {
        const handover = yield* CurrentHandover
        if (handover !== undefined) {
          // An operation of several steps hands its last one over itself.
          return yield* declarationOf(endpoint).answerKept === "last-step" ? httpEffect : handover.run(httpEffect)
        }
        const { identifier } = endpoint
        if (!(yield* DryRun) && isApprovable(identifier)) {
          const request = yield* HttpServerRequest.HttpServerRequest
          // A body that is no JSON is refused when it is decoded.
          const body = yield* Effect.orElseSucceed(bodyOf(request), () => undefined)
          const action = secondLookOf(identifier, isMembers(body) ? body : {})
          if (action !== undefined && !(yield* isAnswered)) yield* checkSecondLook(action)
        }
        return yield* httpEffect
      })
    )
  })
)
