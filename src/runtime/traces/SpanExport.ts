import { Clock, Deferred, Effect, Option, Redacted } from "effect"
import type { Scope } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { OtlpSerialization } from "effect/observability"
import type { Resource } from "effect/observability/OtlpResource"
import { parseRetryAfter, requestedRest } from "../../services/ground/platform/Transport.ts"
import type { TraceSettings } from "../config/TraceTable.ts"
import type { ExportedSpan } from "./SpanMaking.ts"

/** How long a stop waits for the last exports, in milliseconds. */
const patience = 3_000

/** The pauses between attempts: at first and at most, in milliseconds. */
const pauses = { first: 1_000, most: 30_000 } as const

/** The interval of log lines about lost spans, in milliseconds. */
const sayEvery = 60_000

/** Statuses after which the same export may be sent again (OTLP/HTTP, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The outcome of an attempt: `retry` says after how many milliseconds at least, if the collector named a time. */
type Attempt =
  | { readonly _tag: "taken" }
  | { readonly _tag: "refused"; readonly why: string }
  | { readonly _tag: "retry"; readonly why: string; readonly after: number | undefined }

const judge = (response: HttpClientResponse.HttpClientResponse, now: number): Attempt => {
  const { headers, status } = response
  if (status >= 200 && status < 300) return { _tag: "taken" }
  if (!retryable.has(status)) return { _tag: "refused", why: `the collector returned status ${status}` }
  return {
    _tag: "retry",
    why: `the collector returned status ${status}`,
    after: parseRetryAfter(headers["retry-after"], now)
  }
}

/**
 * Sends spans to the collector in batches. Requests never wait for it: spans that do not fit into the queue while the
 * collector is slow or unavailable are dropped, which is logged once a minute. The exporters of Effect and of the SDK lose
 * the spans of an outage: docs/decisions/0002-effect-4.md.
 */
export const makeSpanExport = Effect.fnUntraced(function*(
  settings: TraceSettings,
  resource: Resource,
  scope: { readonly name: string; readonly version: string }
): Effect.fn.Return<
  { readonly push: (span: ExportedSpan) => void },
  never,
  HttpClient.HttpClient | OtlpSerialization.OtlpSerialization | Scope.Scope
> {
  const client = yield* HttpClient.HttpClient
  const serialization = yield* OtlpSerialization.OtlpSerialization
  const clock = yield* Clock.Clock
  const { host } = new URL(settings.url)
  const request = HttpClientRequest.post(settings.url, { headers: Redacted.value(settings.headers) })

  let queue: Array<ExportedSpan> = []
  let lost = 0
  let saidAt = -Infinity
  let isAway = false
  /** Wakes the exporter early if a batch is full. */
  let full = Deferred.makeUnsafe<void>()

  const say = (why: string) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (now - saidAt < sayEvery) return Effect.void
      saidAt = now
      const count = lost
      lost = 0
      isAway = true
      return Effect.logWarning(`traces do not reach ${host}: ${why}`).pipe(Effect.annotateLogs({ spans_lost: count }))
    })

  const attempt = (batch: ReadonlyArray<ExportedSpan>): Effect.Effect<Attempt> =>
    Effect.suspend(() => {
      const body = serialization.traces({
        resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [...batch] }] }]
      })
      const whole = HttpClientRequest.setBody(request, body)
      const sent = settings.compression === "gzip"
        ? HttpClientRequest.compressBody(whole, "gzip")
        : Effect.succeed(whole)
      return sent.pipe(
        Effect.flatMap(client.execute),
        // The answer is read whole, so that its connection can be used again.
        Effect.tap((response) => response.arrayBuffer),
        Effect.map((response) => judge(response, clock.currentTimeMillisUnsafe())),
        Effect.timeoutOption(settings.timeout),
        Effect.map(
          Option.getOrElse((): Attempt => ({ _tag: "retry", why: "the collector does not respond", after: undefined }))
        ),
        Effect.catchCause(() =>
          Effect.succeed<Attempt>({ _tag: "retry", why: "the collector cannot be reached", after: undefined })
        )
      )
    })

  /** Sends a batch until it is accepted or refused. */
  const deliver = (batch: ReadonlyArray<ExportedSpan>, pause: number): Effect.Effect<void> =>
    Effect.flatMap(attempt(batch), (outcome) => {
      if (outcome._tag === "taken") {
        if (!isAway) return Effect.void
        isAway = false
        saidAt = -Infinity
        const count = lost
        lost = 0
        return Effect.logInfo(`traces reach ${host} again`).pipe(Effect.annotateLogs({ spans_lost: count }))
      }
      if (outcome._tag === "refused") {
        lost += batch.length
        return say(outcome.why)
      }
      return say(outcome.why).pipe(
        Effect.andThen(Effect.sleep(Math.max(requestedRest(outcome.after), pause))),
        Effect.andThen(deliver(batch, Math.min(2 * pause, pauses.most)))
      )
    })

  /** Sends all spans in the queue. */
  const drain: Effect.Effect<void> = Effect.suspend(() => {
    if (queue.length === 0) return Effect.void
    const batch = queue.slice(0, settings.batch)
    // It stays in the queue meanwhile, so that a stop can send it once more.
    const leave = Effect.sync(() => {
      queue = queue.slice(batch.length)
    })
    return deliver(batch, pauses.first).pipe(Effect.andThen(leave), Effect.andThen(drain))
  })

  const step = Effect.suspend(() => {
    full = Deferred.makeUnsafe<void>()
    const isFull = queue.length >= settings.batch
    return isFull ? Effect.void : Effect.ignore(Effect.timeoutOption(Deferred.await(full), settings.delay))
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(drain, patience).pipe(Effect.withTracerEnabled(false)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(step, drain)).pipe(Effect.withTracerEnabled(false)))

  return {
    push: (span) => {
      if (queue.length >= settings.queue) lost += 1
      else {
        queue.push(span)
        if (queue.length === settings.batch) Deferred.doneUnsafe(full, Effect.void)
      }
    }
  }
})
