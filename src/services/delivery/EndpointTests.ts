import { Clock, Context, Effect, Layer } from "effect"
import { advised, outcomeClass } from "../../domain/delivery/webhooks/LastOutcome.ts"
import { eventDataOf } from "../../domain/delivery/webhooks/Webhook.ts"
import { testType } from "../../domain/delivery/webhooks/WebhookTest.ts"
import type { WebhookTestResult } from "../../domain/delivery/webhooks/WebhookTest.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import { currentEpoch } from "../../domain/log/EpochPlace.ts"
import { deliveryBody } from "../../domain/log/EventLeaf.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { knownEpochStarts } from "../log/LogEpochs.ts"
import { RequestOrigin } from "../log/Provenance.ts"
import { findTested } from "./EndpointTestSql.ts"
import { Sender } from "./Sender.ts"
import type { SentEvent } from "./Sender.ts"
import { WebhookEndpoints } from "./webhooks/WebhookEndpoints.ts"
import { WebhookSecrets } from "./webhooks/WebhookSecrets.ts"

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
