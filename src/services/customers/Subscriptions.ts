import { Clock, Context, Effect, Layer } from "effect"
import type { ExternalFilters } from "../../domain/customers/BillingFields.ts"
import type { ExternalName } from "../../domain/customers/Customer.ts"
import { Subscription, subscriptionChange, subscriptionFindings } from "../../domain/customers/Subscription.ts"
import type { SubscriptionChange, SubscriptionCreate, SubscriptionUpdate } from "../../domain/customers/Subscription.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import type {
  Conflict,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"
import { Products } from "../catalog/Products.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { makeLinkChecks } from "./LinkChecks.ts"

/** Recurring contracts from billing systems. What they do to the licenses that follow them is the licenses' to know. */
export class Subscriptions extends Context.Service<Subscriptions, {
  readonly list: (
    productId: string,
    filters: ExternalFilters,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<Subscription>, NotFound | InvalidCursor>
  readonly create: (
    productId: string,
    input: SubscriptionCreate
  ) => Effect.Effect<Subscription, NotFound | Conflict | ValidationError>
  /** The subscription that a billing system names; undefined where there is none. */
  readonly find: (productId: string, name: ExternalName) => Effect.Effect<Subscription | undefined>
  readonly get: (id: string) => Effect.Effect<Subscription, NotFound>
  /**
   * Locks a subscription until the surrounding transaction ends, and judges an update of it: what it changes, nothing where
   * it is older than what is stored, by its `source_updated_at`.
   */
  readonly judge: (id: string, changes: SubscriptionUpdate) => Effect.Effect<{
    readonly before: Subscription
    readonly change: SubscriptionChange | undefined
  }, NotFound | PreconditionFailed | ValidationError>
  /** Writes a change that was judged, with an event of that id. Licenses that follow the subscription are not changed here. */
  readonly write: (
    id: string,
    change: SubscriptionChange,
    eventId?: string
  ) => Effect.Effect<Subscription, NotFound | Conflict | PreconditionFailed>
  /** Refused while licenses or orders refer to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/customers/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const links = makeLinkChecks(sql)
      const subscriptions = yield* makeCrudResource({
        table: "subscriptions",
        schema: Subscription,
        idType: "sub",
        family: "subscription",
        noun: "subscription of the product",
        products: "owned",
        unique: "external_system and external_id",
        identity: [["product_id", "external_system", "external_id"]],
        instants: ["current_period_start", "current_period_end", "canceled_at", "ended_at", "source_updated_at"]
      })

      const create = Effect.fn("Subscriptions.create")((productId: string, input: SubscriptionCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* products.hold(productId)
            const found = subscriptionFindings(input, yield* Clock.currentTimeMillis)
            if (found.length > 0) return yield* invalidRequest(found)
            if (input.customer_id !== undefined) yield* links.customer(input.customer_id)
            return yield* subscriptions.create({
              product_id: productId,
              cancel_at_period_end: false,
              metadata: {},
              ...input
            })
          })
        )
      )

      const judge = Effect.fn("Subscriptions.judge")(function*(id: string, changes: SubscriptionUpdate) {
        const before = yield* subscriptions.lockToChange(id)
        const change = yield* Effect.fromResult(subscriptionChange(before, changes, yield* Clock.currentTimeMillis))
        if (change !== undefined && changes.customer_id) yield* links.customer(changes.customer_id)
        return { before, change }
      })

      return Subscriptions.of({
        list: (productId, filters, page) =>
          Effect.andThen(products.get(productId), subscriptions.list(page, { product_id: productId, ...filters })),
        create,
        find: (productId, name) => subscriptions.findBy({ product_id: productId, ...name }),
        get: subscriptions.get,
        judge,
        write: subscriptions.update,
        remove: (id) => subscriptions.remove(id, { licenses: "subscription_id", orders: "subscription_id" })
      })
    })
  )
}
