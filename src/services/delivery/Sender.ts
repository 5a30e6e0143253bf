import { Clock, Context, Effect, Exit, Layer, References, Tracer } from "effect"
import type { Metric } from "effect"
import type { AttemptVerdict } from "../../domain/delivery/LaneChange.ts"
import { classify } from "../../domain/delivery/RetryPolicy.ts"
import type { AttemptResult } from "../../domain/delivery/RetryPolicy.ts"
import { advised, outcomeClass, testType } from "../../domain/delivery/webhooks/LastOutcome.ts"
import type { TestType, WebhookTestResult } from "../../domain/delivery/webhooks/LastOutcome.ts"
import { noHeaders } from "../../domain/delivery/webhooks/RequestHeaders.ts"
import type { RequestHeaders } from "../../domain/delivery/webhooks/RequestHeaders.ts"
import { eventDataOf, maskedLocation } from "../../domain/delivery/webhooks/Webhook.ts"
import { deliveryHeaders, deliveryId, fixedHeaders } from "../../domain/delivery/webhooks/WebhookSignature.ts"
import type { SigningKeys } from "../../domain/delivery/webhooks/WebhookSignature.ts"
import { formatTraceparent, parseTraceparent } from "../../domain/ground/parsing/TraceContext.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import { currentEpoch } from "../../domain/log/EpochPlace.ts"
import { deliveryBody } from "../../domain/log/EventLeaf.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { CurrentEnvironment, MovableClock } from "../ground/environments/CurrentEnvironment.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { parseRetryAfter, Transport } from "../ground/platform/Transport.ts"
import type { AttemptAnswer, OutgoingRequest } from "../ground/platform/Transport.ts"
import { knownEpochStarts } from "../log/MerkleLog.ts"
import { RequestOrigin } from "../log/Provenance.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { findTested } from "./EndpointTestSql.ts"
import type { FeedEvent } from "./FeedBuffer.ts"
import { EndpointDirectory } from "./webhooks/EndpointDirectory.ts"
import { WebhookEndpoints } from "./webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "./webhooks/WebhookSecrets.ts"

/** The outcome of an attempt, and how long it took, in milliseconds. */
export interface Attempted extends AttemptVerdict {
  readonly duration: number
}

/** The outcome in a word: the status, or the transport's error. */
const labelOf = (answer: AttemptAnswer): string => "error" in answer ? answer.error : String(answer.status)

/** The attributes that the span of an attempt has of its answer, by the conventions for HTTP clients. */
const answeredAs = (answer: AttemptAnswer): Readonly<Record<string, unknown>> =>
  "error" in answer
    ? { "error.type": answer.error }
    : {
      "http.response.status_code": answer.status,
      ...(answer.status >= 400 ? { "error.type": String(answer.status) } : {})
    }

/** Where a request goes. The rest of its URL may hold a secret of the receiver. */
const serverOf = (url: string): Readonly<Record<string, unknown>> => {
  const { hostname, port, protocol } = new URL(url)
  return {
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
  }
}

/** The span of the request that caused the event, so that its deliveries can be found from it. */
const linkTo = (traceparent: string | null): ReadonlyArray<Tracer.SpanLink> => {
  const place = parseTraceparent(traceparent)
  return place === undefined ? [] : [{ span: Tracer.externalSpan(place), attributes: {} }]
}

const locationOf = ({ location }: Extract<AttemptAnswer, { readonly status: number }>["headers"]): string | undefined =>
  typeof location === "string" ? location : location?.[0]

/** The content that is sent: an event of the feed, or one that is none and tries an endpoint. */
type SentEvent = Omit<FeedEvent, "type"> & { readonly type: FeedEvent["type"] | TestType }

/** One attempt of a delivery. */
export interface Delivery {
  readonly endpointId: string
  readonly url: string
  readonly keys: ReadonlyArray<SigningKeys>
  /** Headers of the receiver; none of them is one of ours. */
  readonly headers: RequestHeaders
  readonly event: SentEvent
  /** From 1. */
  readonly attempt: number
}

/** Makes one attempt of a delivery: body, headers, signatures, and what the answer means. */
export class Sender extends Context.Service<Sender, {
  /** Sends, and calls `settled` once. What is returned ends the attempt; `settled` is not called then. */
  readonly send: (delivery: Delivery, settled: (attempted: Attempted) => void) => () => void
  /** Sends what tries an endpoint: one attempt that no measure of deliveries counts. Answers the delivery's id too. */
  readonly test: (delivery: Delivery) => Effect.Effect<Attempted & { readonly deliveryId: string }>
}>()("countersign/services/delivery/Sender") {
  static readonly layer = Layer.effect(
    Sender,
    Effect.gen(function*() {
      const crypto = yield* Cryptography
      const settings = yield* Settings
      const transport = yield* Transport
      const directory = yield* EndpointDirectory
      const movable = yield* MovableClock
      // Lanes run untraced, in fibers of the cluster engine, so the tracer that was configured is taken here.
      const isTraced = yield* References.TracerEnabled
      const tracer = yield* Effect.tracer
      let fixed: { readonly epoch: number; readonly headers: Readonly<Record<string, string>> } = {
        epoch: -1,
        headers: {}
      }
      /** The headers that every attempt has while the log is in this epoch. */
      const fixedOf = (epoch: number): Readonly<Record<string, string>> => {
        if (fixed.epoch !== epoch) fixed = { epoch, headers: fixedHeaders(epoch, settings.version) }
        return fixed.headers
      }

      const judge = (answer: AttemptAnswer, url: string, duration: number, now: number): Attempted => {
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
        return {
          outcome: classify(answer satisfies AttemptResult),
          reason: String(status),
          status,
          congested: false,
          retryAfter: parseRetryAfter(headers["retry-after"], now),
          location: status >= 300 && status < 400 ? maskedLocation(locationOf(headers), url) : undefined,
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

      const ended = (answer: AttemptAnswer, { event, url }: Delivery, started: number): Attempted => {
        const at = now()
        const time = directory.databaseTime(at)
        const attempted = judge(answer, url, at - started, time)
        count(DeliveryMetrics.attempts["error" in answer ? answer.error : attempted.outcome], 1)
        count(DeliveryMetrics.attemptDuration, attempted.duration / 1000)
        if (attempted.outcome === "delivered") {
          count(DeliveryMetrics.latency, Math.max(0, time - event.createdAt) / 1000)
        }
        return attempted
      }

      const fork = Effect.runForkWith(context)

      /** {@link Transport} in a span, of which the receiver is told (W3C Trace Context). */
      const postTraced = (
        request: OutgoingRequest,
        { attempt, endpointId, event }: Delivery,
        delivery: string,
        answered: (answer: AttemptAnswer) => void
      ) => {
        const fiber = fork(
          Effect.orDie(Effect.currentSpan).pipe(
            Effect.flatMap((span) =>
              Effect.callback<AttemptAnswer>((resume) => {
                const headers = { ...request.headers, traceparent: formatTraceparent(span) }
                const cancel = transport.post({ ...request, headers }, (answer) => resume(Effect.succeed(answer)))
                return Effect.sync(cancel)
              })
            ),
            Effect.tap((answer) =>
              Effect.annotateCurrentSpan({ ...answeredAs(answer), "webhook.outcome": labelOf(answer) })
            ),
            Effect.withSpan("POST webhook", {
              kind: "client",
              root: true,
              links: linkTo(event.traceparent),
              attributes: {
                "http.request.method": "POST",
                ...(attempt > 1 ? { "http.request.resend_count": attempt - 1 } : {}),
                ...serverOf(request.url),
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
        )
        fiber.addObserver((exit) => {
          if (Exit.isSuccess(exit)) answered(exit.value)
        })
        return () => fiber.interruptUnsafe()
      }

      /** The request of an attempt, signed now, and the id of its delivery. */
      const requestOf = ({ endpointId, event, headers: own, keys, url }: Delivery, started: number) => {
        const id = deliveryId(endpointId, event.id, crypto.sha256)
        const fixed = fixedOf(event.epoch)
        const headers = deliveryHeaders(
          {
            deliveryId: id,
            sequence: event.sequence,
            type: event.type,
            // Receivers compare with their own clocks; the database's is the one that all nodes agree on.
            // Receivers compare it with real time, wherever the clock of the environment was moved to.
            timestamp: Math.floor((movable?.real() ?? directory.databaseTime(started)) / 1000),
            rawBody: event.body,
            keys
          },
          crypto.hmacSha256,
          own === noHeaders ? fixed : { ...own, ...fixed }
        )
        return { id, request: { url, headers, body: event.body } satisfies OutgoingRequest }
      }

      /** Posts, in a span where there is tracing. */
      const post = (
        request: OutgoingRequest,
        delivery: Delivery,
        id: string,
        answered: (answer: AttemptAnswer) => void
      ) => isTraced ? postTraced(request, delivery, id, answered) : transport.post(request, answered)

      const send: Sender["Service"]["send"] = (delivery, settled) => {
        const started = now()
        const { id, request } = requestOf(delivery, started)
        let isUnderWay = true
        const leave = () => {
          isUnderWay = false
          DeliveryMetrics.inFlight.modifyUnsafe(-1, context)
        }
        const answered = (answer: AttemptAnswer) => {
          leave()
          settled(ended(answer, delivery, started))
        }
        DeliveryMetrics.inFlight.modifyUnsafe(1, context)
        const cancel = post(request, delivery, id, answered)
        return () => {
          if (!isUnderWay) return
          leave()
          cancel()
        }
      }

      const test = (delivery: Delivery) =>
        Effect.callback<Attempted & { readonly deliveryId: string }>((resume) => {
          const started = now()
          const { id, request } = requestOf(delivery, started)
          const cancel = post(request, delivery, id, (answer) => {
            const at = now()
            const attempted = judge(answer, delivery.url, at - started, directory.databaseTime(at))
            resume(Effect.succeed({ ...attempted, deliveryId: id }))
          })
          return Effect.sync(cancel)
        })

      return Sender.of({ send, test })
    })
  )
}

/** Tries endpoints: one attempt each, signed as deliveries are, that says what came of it. */
export class EndpointTests extends Context.Service<EndpointTests, {
  /** Sends a test to an endpoint, also to one that is paused: somebody asks for it. Nothing of its lane changes. */
  readonly send: (id: string) => Effect.Effect<WebhookTestResult, NotFound | RateLimited>
}>()("countersign/services/delivery/EndpointTests") {
  static readonly layer = Layer.effect(
    EndpointTests,
    Effect.gen(function*() {
      const sql = yield* Database
      const endpoints = yield* WebhookEndpoints
      const identifiers = yield* Identifiers
      const limits = yield* RateLimits
      const secrets = yield* WebhookSecrets
      const sender = yield* Sender
      const environment = yield* CurrentEnvironment
      const epochStarts = yield* knownEpochStarts(sql)

      const send = Effect.fn("EndpointTests.send")(function*(id: string) {
        const webhook = yield* endpoints.get(id)
        yield* limits.request("webhook_tests", id)
        const [row] = yield* findTested(sql, id)
        if (row === undefined) return yield* failing(NotFound, "No webhook endpoint has this id.")
        const live = yield* secrets.live(id)
        const { traceparent } = yield* RequestOrigin
        const at = yield* Clock.currentTimeMillis
        const event: Omit<SentEvent, "body"> = {
          id: identifiers.next("evt"),
          type: testType,
          // It has no place of its own. A receiver that takes this one for its own has missed nothing up to it that it is
          // not sent anyway.
          sequence: Number(row.head),
          epoch: currentEpoch(yield* epochStarts),
          createdAt: row.at.getTime(),
          traceparent: traceparent ?? null
        }
        const body = deliveryBody({
          ...event,
          environment,
          event_type: event.type,
          created_at: row.at.toISOString(),
          data: canonicalJson(eventDataOf(webhook))
        })
        const attempted = yield* sender.test({
          endpointId: id,
          url: webhook.url,
          keys: live.filter(({ until }) => until > at).map(({ keys }) => keys),
          headers: yield* secrets.headers(id, row.headers),
          event: { ...event, body },
          attempt: 1
        })
        return advised({
          event_id: event.id,
          delivery_id: attempted.deliveryId,
          class: outcomeClass(attempted),
          ...(attempted.status === undefined ? {} : { status: attempted.status }),
          ...(attempted.location === undefined ? {} : { location: attempted.location }),
          duration_ms: Math.round(attempted.duration)
        }) satisfies WebhookTestResult
      })

      return EndpointTests.of({ send })
    })
  )
}
