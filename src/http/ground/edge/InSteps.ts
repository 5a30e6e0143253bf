import { Effect, Schema } from "effect"
import type { Warning } from "../../../domain/ground/wire/Errors.ts"
import { CurrentIdempotentRequest, Idempotency, inOrder } from "../../../services/people/access/Idempotency.ts"
import type { Repeatable, Steps, StoredAnswer } from "../../../services/people/access/Idempotency.ts"
import { CurrentPrecondition } from "../../../services/ground/persistence/Precondition.ts"
import { CurrentHandover } from "./Handover.ts"
import { meta, repeatable, withWarnings } from "./Reply.ts"

/**
 * Answers `{data, meta}` for a write of several steps, with warnings about what the first one found. If the request has an Idempotency-Key, the answer is stored with
 * the last step.
 */
export const makeInSteps = Effect.gen(function*() {
  const answers = yield* Idempotency

  return Effect.fnUntraced(function*<First, Data extends Schema.Encoder<unknown>, E, E2>(
    status: 200 | 201,
    data: Data,
    { first, judge, last }: Steps<First, Data["Type"], E, E2>,
    warningsAbout: (first: First) => ReadonlyArray<Warning> = () => []
  ) {
    const sent = yield* meta
    const write = Effect.fnUntraced(function*(value: Data["Type"], warnings: ReadonlyArray<Warning>) {
      const encoded = yield* Effect.orDie(Schema.encodeEffect(data)(value))
      const text = JSON.stringify({ data: encoded, meta: withWarnings(sent, warnings) })
      const etag = (yield* CurrentPrecondition)?.etag
      return {
        status,
        headers: { "content-type": "application/json", ...(etag === undefined ? {} : { etag }) },
        body: new TextEncoder().encode(text)
      } satisfies StoredAnswer
    })
    // Written inside the last transaction, so that a write whose answer cannot be stored is rolled back.
    const handover = yield* CurrentHandover
    const written = (value: First) => Effect.flatMap(last(value), (data) => write(data, warningsAbout(value)))
    const steps = {
      first: handover === undefined || judge === undefined
        ? first
        : judge.pipe(Effect.andThen(handover.begin), Effect.andThen(first)),
      last: (value: First) => handover === undefined ? written(value) : handover.run(written(value))
    }
    const request = yield* CurrentIdempotentRequest
    const answer: Repeatable = request === undefined
      ? { answer: yield* inOrder(steps), replayed: false }
      : yield* answers.inSteps(request, steps)
    return repeatable(answer)
  })
})
