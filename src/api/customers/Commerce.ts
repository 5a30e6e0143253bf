import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { externalFilters } from "../../domain/customers/BillingFields.ts"
import { Order, OrderCreate, OrderPut, OrderUpdate } from "../../domain/customers/Order.ts"
import {
  Subscription,
  SubscriptionCreate,
  SubscriptionPut,
  SubscriptionUpdate
} from "../../domain/customers/Subscription.ts"
import { Conflict, NotFound, PreconditionFailed } from "../../domain/ground/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, externalPath } from "../ground/Parameters.ts"
import { bodyErrors, crud, one } from "../ground/Responses.ts"

export class Commerce extends HttpApiGroup.make("commerce").add(
  ...crud({
    noun: "Subscription",
    list: "listProductSubscriptions",
    collection: "/api/v1/products/:id/subscriptions",
    products: {
      list: { of: "product" },
      create: { of: "product" },
      get: { of: "subscription" },
      change: { of: "subscription" }
    },
    item: "/api/v1/subscriptions/:id",
    schema: Subscription,
    create: SubscriptionCreate,
    update: SubscriptionUpdate,
    query: { ...countedQuery, ...externalFilters },
    scopes: { read: "product:read", write: "product:write" },
    action: "subscription",
    inUse: ["delete"],
    documents: {
      list: { summary: "List subscriptions", description: "The subscriptions of a product, newest first." },
      create: {
        summary: "Record a subscription",
        description: "Mirrors a subscription of a billing system. " +
          "`external_system` and `external_id` together are unique within the product; a CONFLICT names the " +
          "subscription that has them. Only a canceled subscription has `canceled_at`."
      },
      get: { summary: "Read a subscription", description: "One subscription by its ID." },
      update: {
        summary: "Change a subscription",
        description:
          "Omitted fields stay as they are; `null` removes `quantity`, `canceled_at` or `ended_at`, and an empty " +
          "`customer_id` the link. A status other than canceled clears `canceled_at`. Licenses that follow the " +
          "subscription change in the same transaction, each with an event. They expire with the period and enter the " +
          "grace period with `past_due`. They are suspended while it is `paused`, `unpaid`, `disputed` or " +
          "`incomplete`. Once it is `canceled` or `incomplete_expired`, they expire without a grace period: at " +
          "`ended_at`, or at the end of the period. When it continues, licenses that it " +
          "suspended are reinstated; licenses that a person suspended are not."
      },
      delete: {
        summary: "Delete a subscription",
        description: "Refused with IN_USE while licenses or orders point to it."
      }
    }
  }),
  ...crud({
    noun: "Order",
    list: "listProductOrders",
    collection: "/api/v1/products/:id/orders",
    products: { list: { of: "product" }, create: { of: "product" }, get: { of: "order" }, change: { of: "order" } },
    item: "/api/v1/orders/:id",
    schema: Order,
    create: OrderCreate,
    update: OrderUpdate,
    query: { ...countedQuery, ...externalFilters },
    scopes: { read: "product:read", write: "product:write" },
    action: "order",
    inUse: ["delete"],
    documents: {
      list: { summary: "List orders", description: "The orders of a product, newest first." },
      create: {
        summary: "Record an order",
        description: "Mirrors an order of a billing system. " +
          "`external_system` and `external_id` together are unique within the product; a CONFLICT names the order " +
          "that has them. The period has both dates or none. A subscription must be of the same product."
      },
      get: { summary: "Read an order", description: "One order by its ID." },
      update: {
        summary: "Change an order",
        description:
          "Omitted fields stay as they are; `null` removes the period, `quantity` or `ended_at`, and an empty " +
          "`customer_id` or `subscription_id` the link. Licenses keep the subscription that they got from the order " +
          "when they were issued."
      },
      delete: { summary: "Delete an order", description: "Refused with IN_USE while licenses point to it." }
    }
  }),
  HttpApiEndpoint.put("putSubscription", "/api/v1/products/:id/subscriptions/by-external-id/:system/:external_id", {
    params: externalPath,
    payload: SubscriptionPut,
    success: one(Subscription),
    error: [NotFound, ...bodyErrors, Conflict, PreconditionFailed]
  }).pipe(declare({
    scope: "product:write",
    products: { of: "product" },
    action: "subscription.updated",
    summary: "Put a subscription",
    description:
      "Creates the subscription that the path names, or makes of it what is sent: licenses that follow it change as by " +
      "`updateSubscription`. An omitted `quantity`, `canceled_at` or `ended_at` is removed. Several requests at once make one " +
      "subscription."
  })),
  HttpApiEndpoint.put("putOrder", "/api/v1/products/:id/orders/by-external-id/:system/:external_id", {
    params: externalPath,
    payload: OrderPut,
    success: one(Order),
    error: [NotFound, ...bodyErrors, Conflict, PreconditionFailed]
  }).pipe(declare({
    scope: "product:write",
    products: { of: "product" },
    action: "order.updated",
    summary: "Put an order",
    description:
      "Creates the order that the path names, or makes of it what is sent: an omitted period, `quantity` or `ended_at` is " +
      "removed. Several requests at once make one order."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
