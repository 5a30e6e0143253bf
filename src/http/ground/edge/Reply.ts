import { Clock, Context, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import { Meta } from "../../../domain/ground/wire/Errors.ts"
import type { TokenScopeDenied, Warned, Warning } from "../../../domain/ground/wire/Errors.ts"
import { PageInfo } from "../../../domain/ground/wire/Page.ts"
import type { Page } from "../../../domain/ground/wire/Page.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import { CurrentPrecondition } from "../../../services/ground/persistence/Precondition.ts"
import type { SignedAnswer } from "../../../services/keys/security/Signing.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import type { Actor } from "../../../services/log/Provenance.ts"
import { CurrentIdempotentRequest, Idempotency, inOrder } from "../../../services/people/access/Idempotency.ts"
import type { Repeatable, Steps, StoredAnswer } from "../../../services/people/access/Idempotency.ts"

/**
 * A request that another request makes, in the name of a person: to find out whether it would be done, when a second person is asked
 * for; or to do it, when one approves. It takes the way of every request, so that the operation judges and does the same.
 */
export interface Handover {
  /** Whether nothing of it is to stay: neither its effect nor its answer. */
  readonly isRehearsal: boolean
  /** Answers in whose name it is made, with the rights that it needs, and the products that others who answer for it are limited to. */
  readonly authorize: (
    needed: ReadonlyArray<Scope>
  ) => Effect.Effect<
    { readonly actor: Actor; readonly alsoWithin: ReadonlyArray<ReadonlyArray<string>> },
    TokenScopeDenied
  >
  /** Says that an operation of several steps begins, whose first one cannot be undone. Run once it was judged. */
  readonly begin: Effect.Effect<void>
  /** Runs the transaction of the operation. */
  readonly run: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The handover that the current request is; none for one that a caller sent. */
export const CurrentHandover = Context.Reference<Handover | undefined>("countersign/http/CurrentHandover", {
  defaultValue: () => undefined
})

/** The `meta` of the current answer. */
export const meta: Effect.Effect<Meta> = Effect.withFiber((fiber) => {
  const { requestId } = fiber.getRef(RequestOrigin)
  const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
  return Effect.succeed({ request_id: requestId ?? "", timestamp: new Date(now).toISOString() })
})

/** The `meta` of an answer with warnings, when there are any. */
export const withWarnings = (meta: Meta, warnings: ReadonlyArray<Warning>): Meta =>
  warnings.length === 0 ? meta : { ...meta, warnings }

/** Warnings about the query, for what is likely a mistake; they come before those about the data. */
export const QueryWarnings = Context.Reference<ReadonlyArray<Warning>>("countersign/http/QueryWarnings", {
  defaultValue: () => []
})

const warned = (warnings: ReadonlyArray<Warning>): Effect.Effect<Meta> =>
  Effect.flatMap(
    QueryWarnings,
    (ofQuery) => Effect.map(meta, (meta) => withWarnings(meta, [...ofQuery, ...warnings]))
  )

/** Answers `{data, meta}`, with warnings about the data in `meta` when there are any. */
export const one = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  warningsAbout: (data: A) => ReadonlyArray<Warning> = () => []
) => Effect.flatMap(effect, (data) => Effect.map(warned(warningsAbout(data)), (meta) => ({ data, meta })))

/** Answers `{data, meta}`, with the warnings that came with the data. */
export const oneWarned = <A, E, R>(
  effect: Effect.Effect<Warned<A>, E, R>
) => Effect.flatMap(effect, ({ data, warnings }) => Effect.map(warned(warnings), (meta) => ({ data, meta })))

/** Answers `{data: [], page_info, meta}`, with warnings in `meta` when there are any. */
export const page = <A, E, R>(effect: Effect.Effect<Page<A>, E, R>, warnings: ReadonlyArray<Warning> = []) =>
  Effect.flatMap(
    effect,
    ({ items, page_info }) => Effect.map(warned(warnings), (meta) => ({ data: items, page_info, meta }))
  )

const utf8 = new TextEncoder()

const encodeEnd = Schema.encodeSync(Schema.Struct({ page_info: PageInfo, meta: Meta }))

/** The bytes `{data: [], page_info, meta}` around rows that are written. */
const pageBytes = ({ page_info, rows: { bytes } }: WrittenPage<unknown>, meta: Meta): Uint8Array => {
  const head = utf8.encode("{\"data\":[")
  const tail = utf8.encode(`],${JSON.stringify(encodeEnd({ page_info, meta })).slice(1)}`)
  const all = new Uint8Array(head.length + bytes.length + tail.length)
  all.set(head)
  all.set(bytes, head.length)
  all.set(tail, head.length + bytes.length)
  return all
}

/** Answers a page whose rows are written as {@link page} would encode them. */
export const writtenPage = <A, E, R>(effect: Effect.Effect<WrittenPage<A>, E, R>) =>
  Effect.flatMap(
    effect,
    (page) =>
      Effect.map(warned([]), (meta) =>
        HttpServerResponse.uint8Array(pageBytes(page, meta), { contentType: "application/json" }))
  )

const signedText = ({ data, signature }: SignedAnswer, meta: Meta): string =>
  `{"data":${data},"signature":${JSON.stringify(signature)},"meta":${JSON.stringify(meta)}}`

/**
 * The body `{data, signature, meta}` with exactly the bytes that were signed as `data`: encoding them again could
 * change them.
 */
const signedBody = <E, R>(
  effect: Effect.Effect<SignedAnswer, E, R>,
  warnings: ReadonlyArray<Warning> = []
): Effect.Effect<string, E, R> =>
  Effect.flatMap(effect, (answer) => Effect.map(meta, (meta) => signedText(answer, withWarnings(meta, warnings))))

/** Answers {@link signedBody}. */
export const signed = <E, R>(effect: Effect.Effect<SignedAnswer, E, R>, warnings: ReadonlyArray<Warning> = []) =>
  Effect.map(signedBody(effect, warnings), (text) => HttpServerResponse.text(text, { contentType: "application/json" }))

/** The answer of {@link signed}, for an operation that stores its answer itself. */
export const storedSigned = (answer: SignedAnswer, meta: Meta): StoredAnswer => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: utf8.encode(signedText(answer, meta))
})

/** A stored answer, or a fresh one as it was stored. */
export const repeatable = ({ answer, replayed }: Repeatable): HttpServerResponse.HttpServerResponse => {
  const { body, status } = answer
  const headers = replayed ? { ...answer.headers, "idempotency-replayed": "true" } : answer.headers
  return body === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.uint8Array(body, {
      status,
      headers,
      contentType: headers["content-type"] ?? "application/json"
    })
}

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
