import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WebhookEndpoints } from "../../services/WebhookEndpoints.ts"
import { WebhookHealth } from "../../services/WebhookHealth.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Operation.ts"
import { one, page } from "../Reply.ts"

const webhooks = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function*(handlers) {
    const endpoints = yield* WebhookEndpoints
    return handlers.handleAll({
      listWebhookEndpoints: ({ query }) => page(endpoints.list(pageOf(query))),
      createWebhookEndpoint: ({ payload }) => one(endpoints.create(payload)),
      getWebhookEndpoint: ({ params }) => one(endpoints.get(params.id)),
      updateWebhookEndpoint: ({ params, payload }) => one(endpoints.update(params.id, payload)),
      deleteWebhookEndpoint: ({ params }) => endpoints.remove(params.id)
    })
  })
)

const ops = HttpApiBuilder.group(
  Api,
  "ops",
  Effect.fn(function*(handlers) {
    const health = yield* WebhookHealth
    return handlers.handleAll({ getWebhookHealth: () => one(health.get) })
  })
)

export const layer = Layer.mergeAll(webhooks, ops)
