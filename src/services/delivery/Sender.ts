import { Clock, Context, Effect, Layer, Metric, References, Tracer } from "effect"
import type { AttemptVerdict } from "../../domain/delivery/LaneState.ts"
import type { AttemptResult } from "../../domain/delivery/RetryPolicy.ts"
import { classify, parseRetryAfter } from "../../domain/delivery/RetryPolicy.ts"
import { deliveryHeaders, deliveryId, headerNames } from "../../domain/webhooks/WebhookSignature.ts"
import type { SigningKeys } from "../../domain/webhooks/WebhookSignature.ts"
import { parseTraceparent } from "../../domain/wire/TraceContext.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Settings } from "../platform/Settings.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { EndpointDirectory } from "./EndpointDirectory.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import type { AttemptAnswer } from "./Transport.ts"
import { Transport } from "./Transport.ts"

/** What an attempt came to, and how long it took, in milliseconds. */
export interface Attempted extends AttemptVerdict {
  readonly duration: number
}

const outcomeCounters = new Map<string, typeof DeliveryMetrics.attempts>()
const counterOf = (outcome: string) => {
  const known = outcomeCounters.get(outcome)
  if (known !== undefined) return known
  const made = Metric.withAttributes(DeliveryMetrics.attempts, { outcome })
  outcomeCounters.set(outcome, made)
  return made
}

/** What happened, in a word: the status, or the transport's error. */
const labelOf = (answer: AttemptAnswer): string => "error" in answer ? answer.error : String(answer.status)

/** The span of the request that caused the event, so that its deliveries can be found from it. */
const linkTo = (traceparent: string | null): ReadonlyArray<Tracer.SpanLink> => {
  const place = parseTraceparent(traceparent)
  return place === undefined ? [] : [{ span: Tracer.externalSpan(place), attributes: {} }]
}

/** Makes one attempt of a delivery: body, headers, signatures, and what the answer means. */
export class Sender extends Context.Service<Sender, {
  readonly send: (delivery: {
    readonly endpointId: string
    readonly url: string
    readonly keys: ReadonlyArray<SigningKeys>
    readonly event: FeedEvent
    /** From 1. */
    readonly attempt: number
  }) => Effect.Effect<Attempted>
}>()("countersign/services/delivery/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const settings = yield* Settings
      const transport = yield* Transport
      const directory = yield* EndpointDirectory
      // Lanes run untraced, in fibers of the cluster engine, so the tracer that was configured is taken here.
      const isTraced = yield* References.TracerEnabled
      const tracer = yield* Effect.tracer
      const fixed = { "content-type": "application/json", "user-agent": `Countersign/${settings.version}` }

      const judge = (answer: AttemptAnswer, duration: number, now: number): Attempted => {
        if ("error" in answer) {
          return {
            outcome: "failed",
            reason: answer.error,
            status: undefined,
            congested: answer.error === "timeout",
            retryAfter: undefined,
            duration
          }
        }
        const { headers, status } = answer
        const retryAfter = headers["retry-after"]
        return {
          outcome: classify(answer satisfies AttemptResult),
          reason: String(status),
          status,
          congested: status === 429,
          retryAfter: parseRetryAfter(typeof retryAfter === "string" ? retryAfter : undefined, now),
          duration
        }
      }

      const clock = yield* Clock.Clock
      const now = () => clock.currentTimeMillisUnsafe()
      const context = yield* Effect.context<never>()
      /**
       * Updates a metric without an effect: an attempt changes five, and a node makes thousands of attempts a second.
       */
      const count = <Input>(metric: Metric.Metric<Input, unknown>, value: Input): void =>
        metric.updateUnsafe(value, context)

      const ended = (answer: AttemptAnswer, event: FeedEvent, started: number): Attempted => {
        const at = now()
        const time = directory.databaseTime(at)
        const attempted = judge(answer, at - started, time)
        count(counterOf("error" in answer ? answer.error : attempted.outcome), 1)
        count(DeliveryMetrics.attemptDuration, attempted.duration / 1000)
        if (attempted.outcome === "delivered") {
          count(DeliveryMetrics.latency, Math.max(0, time - event.createdAt) / 1000)
        }
        return attempted
      }

      const traced = (
        request: Effect.Effect<AttemptAnswer>,
        { attempt, endpointId, event }: Parameters<Sender["Service"]["send"]>[0],
        delivery: string
      ) =>
        request.pipe(
          Effect.tap((answer) => Effect.annotateCurrentSpan("webhook.outcome", labelOf(answer))),
          Effect.withSpan("webhook.delivery", {
            kind: "client",
            root: true,
            links: linkTo(event.traceparent),
            attributes: {
              "webhook.endpoint": endpointId,
              "webhook.delivery": delivery,
              "webhook.event": event.id,
              "webhook.sequence": event.sequence,
              "webhook.attempt": attempt
            }
          }),
          Effect.withTracer(tracer),
          Effect.withTracerEnabled(true)
        )

      const send: Sender["Service"]["send"] = (delivery) =>
        Effect.suspend(() => {
          const { endpointId, event, keys, url } = delivery
          const started = now()
          const id = deliveryId(endpointId, event.id, crypto.sha256)
          const headers = deliveryHeaders({
            deliveryId: id,
            sequence: event.sequence,
            type: event.type,
            // Receivers compare with their own clocks; the database's is the one that all nodes agree on.
            timestamp: Math.floor(directory.databaseTime(started) / 1000),
            rawBody: event.body,
            keys
          }, crypto.hmacSha256)
          DeliveryMetrics.inFlight.modifyUnsafe(1, context)
          const request = transport.send({
            url,
            headers: { ...fixed, ...headers, [headerNames.epoch]: String(event.epoch) },
            body: event.body
          })
          return Effect.onExit(
            Effect.map(isTraced ? traced(request, delivery, id) : request, (answer) => ended(answer, event, started)),
            () => {
              DeliveryMetrics.inFlight.modifyUnsafe(-1, context)
              return Effect.void
            }
          )
        })

      return Sender.of({ send })
    })
  )
}
