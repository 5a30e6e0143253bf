import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Order, OrderCreate, OrderUpdate } from "../../domain/commerce/Order.ts"
import { Subscription, SubscriptionCreate, SubscriptionUpdate } from "../../domain/commerce/Subscription.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import {
  bodyErrors,
  created,
  declare,
  deleteErrors,
  listErrors,
  listQuery,
  noContent,
  one,
  page,
  pathId,
  resourceErrors,
  uniqueErrors
} from "./Operation.ts"

export class Commerce extends HttpApiGroup.make("commerce").add(
  HttpApiEndpoint.get("listProductSubscriptions", "/api/v1/products/:id/subscriptions", {
    params: { id: pathId },
    query: listQuery,
    success: page(Subscription),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "product:read", summary: "List a product's subscriptions, newest first" })),
  HttpApiEndpoint.post("createSubscription", "/api/v1/products/:id/subscriptions", {
    params: { id: pathId },
    payload: SubscriptionCreate,
    success: created(Subscription),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Record a subscription of a billing system",
    description: "`external_system` and `external_id` together are unique within the product. Only a canceled " +
      "subscription has `canceled_at`."
  })),
  HttpApiEndpoint.get("getSubscription", "/api/v1/subscriptions/:id", {
    params: { id: pathId },
    success: one(Subscription),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read a subscription" })),
  HttpApiEndpoint.patch("updateSubscription", "/api/v1/subscriptions/:id", {
    params: { id: pathId },
    payload: SubscriptionUpdate,
    success: one(Subscription),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Change a subscription",
    description: "An empty `customer_id` clears it. A status other than canceled clears `canceled_at`."
  })),
  HttpApiEndpoint.delete("deleteSubscription", "/api/v1/subscriptions/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "product:write",
    summary: "Delete a subscription",
    description: "Refused with IN_USE while licenses or orders point to it."
  })),
  HttpApiEndpoint.get("listProductOrders", "/api/v1/products/:id/orders", {
    params: { id: pathId },
    query: listQuery,
    success: page(Order),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "product:read", summary: "List a product's orders, newest first" })),
  HttpApiEndpoint.post("createOrder", "/api/v1/products/:id/orders", {
    params: { id: pathId },
    payload: OrderCreate,
    success: created(Order),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Record an order of a billing system",
    description: "`external_system` and `external_id` together are unique within the product. The period has both " +
      "dates or none. A subscription must be of the same product."
  })),
  HttpApiEndpoint.get("getOrder", "/api/v1/orders/:id", {
    params: { id: pathId },
    success: one(Order),
    error: resourceErrors
  }).pipe(declare({ scope: "product:read", summary: "Read an order" })),
  HttpApiEndpoint.patch("updateOrder", "/api/v1/orders/:id", {
    params: { id: pathId },
    payload: OrderUpdate,
    success: one(Order),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "product:write",
    summary: "Change an order",
    description: "An empty `customer_id` or `subscription_id` clears it. Licenses keep the subscription that the " +
      "order brought along when they were issued."
  })),
  HttpApiEndpoint.delete("deleteOrder", "/api/v1/orders/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "product:write",
    summary: "Delete an order",
    description: "Refused with IN_USE while licenses point to it."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
