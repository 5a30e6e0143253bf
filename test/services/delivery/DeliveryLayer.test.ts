import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { DeliveryHealth } from "../../../src/services/delivery/DeliveryHealth.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { append, layerDelivery, until } from "../../fixtures/Delivery.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { layerTarget } from "../../fixtures/Target.ts"

describe("Delivery", () => {
  it.live("delivers what is committed after an endpoint, in order, signed for both kinds of verifier", () =>
    Effect.gen(function*() {
      const endpoints = yield* WebhookEndpoints
      const target = yield* receiver()
      // Not sequenced yet when the endpoint is made, so it may arrive or not.
      yield* append(3, { data: { isEarlier: true } })
      const { secret, webhook } = yield* endpoints.create({
        name: "Billing",
        url: target.url,
        event_types: ["license.*"]
      })
      yield* append(20)
      const indexes = () =>
        target.received.map(({ body }) => JSON.parse(body).data.index).filter((index) => index !== undefined)
      yield* until("20 deliveries", () => indexes().length === 20)
      assert.sameMembers(indexes(), Array.from({ length: 20 }, (_, index) => index))
      const last = target.received.at(-1)!
      const body = JSON.parse(last.body)
      assert.strictEqual(last.headers["x-service-event-sequence"], String(body.sequence))
      assert.strictEqual(last.headers["x-service-event-type"], "license.activated")
      assert.strictEqual(last.headers["x-service-delivery-id"], last.headers["webhook-id"])
      const verified = new Webhook(secret).verify(last.body, last.headers as Record<string, string>)
      assert.deepStrictEqual(verified, body)
      const health = yield* (yield* DeliveryHealth).get
      assert.strictEqual(health.status, "ok")
      assert.strictEqual((yield* endpoints.get(webhook.id)).status, "active")
    }).pipe(Effect.scoped, Effect.provide(layerDelivery().pipe(Layer.provide(layerTarget)))))
})
