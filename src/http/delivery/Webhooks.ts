import { Effect, Layer, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import {
  warningsAboutUrl,
  WebhookEndpoint,
  WebhookEndpointResumed,
  WebhookEndpointWithSecret
} from "../../domain/delivery/webhooks/Webhook.ts"
import { DeliveryHealth } from "../../services/delivery/DeliveryHealth.ts"
import { EndpointTests } from "../../services/delivery/Sender.ts"
import { WebhookEndpoints } from "../../services/delivery/webhooks/WebhookEndpoints.ts"
import { makeInSteps, one, page } from "../ground/edge/Reply.ts"

const webhooks = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function*(handlers) {
    const endpoints = yield* WebhookEndpoints
    const tests = yield* EndpointTests
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      listWebhookEndpoints: ({ query }) => page(endpoints.list(pageOf(query))),
      createWebhookEndpoint: ({ payload }) =>
        inSteps(201, WebhookEndpointWithSecret, endpoints.creation(payload), warningsAboutUrl),
      getWebhookEndpoint: ({ params }) => one(endpoints.get(params.id)),
      updateWebhookEndpoint: ({ params, payload }) =>
        inSteps(
          200,
          Schema.Union([WebhookEndpointWithSecret, WebhookEndpoint]),
          endpoints.change(params.id, payload),
          (checked) => checked === undefined ? [] : warningsAboutUrl(checked)
        ),
      deleteWebhookEndpoint: ({ params }) => endpoints.remove(params.id),
      resumeWebhookEndpointFromNow: ({ params }) =>
        inSteps(200, WebhookEndpointResumed, endpoints.resumption(params.id)),
      testWebhookEndpoint: ({ params }) => one(tests.send(params.id))
    })
  })
)

const ops = HttpApiBuilder.group(
  Api,
  "ops",
  Effect.fn(function*(handlers) {
    const health = yield* DeliveryHealth
    return handlers.handleAll({ getWebhookHealth: () => one(health.get) })
  })
)

export const layer = Layer.mergeAll(webhooks, ops)
