import { HttpApiGroup } from "effect/http-api"
import { Order, OrderCreate, OrderUpdate } from "../../domain/commerce/Order.ts"
import { Subscription, SubscriptionCreate, SubscriptionUpdate } from "../../domain/commerce/Subscription.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"

export class Commerce extends HttpApiGroup.make("commerce").add(
  ...crud({
    noun: "Subscription",
    list: "listProductSubscriptions",
    collection: "/api/v1/products/:id/subscriptions",
    item: "/api/v1/subscriptions/:id",
    schema: Subscription,
    create: SubscriptionCreate,
    update: SubscriptionUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "subscription",
    inUse: ["delete"],
    documents: {
      list: { summary: "List a product's subscriptions, newest first" },
      create: {
        summary: "Record a subscription of a billing system",
        description: "`external_system` and `external_id` together are unique within the product. Only a canceled " +
          "subscription has `canceled_at`."
      },
      get: { summary: "Read a subscription" },
      update: {
        summary: "Change a subscription",
        description: "An empty `customer_id` clears it. A status other than canceled clears `canceled_at`."
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
    item: "/api/v1/orders/:id",
    schema: Order,
    create: OrderCreate,
    update: OrderUpdate,
    scopes: { read: "product:read", write: "product:write" },
    action: "order",
    inUse: ["delete"],
    documents: {
      list: { summary: "List a product's orders, newest first" },
      create: {
        summary: "Record an order of a billing system",
        description:
          "`external_system` and `external_id` together are unique within the product. The period has both " +
          "dates or none. A subscription must be of the same product."
      },
      get: { summary: "Read an order" },
      update: {
        summary: "Change an order",
        description: "An empty `customer_id` or `subscription_id` clears it. Licenses keep the subscription that the " +
          "order brought along when they were issued."
      },
      delete: { summary: "Delete an order", description: "Refused with IN_USE while licenses point to it." }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
