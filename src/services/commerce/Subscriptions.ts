import { Clock, Context, Effect, Layer } from "effect"
import { isOutdated, sourceFindings } from "../../domain/commerce/SourceInstant.ts"
import { subscriptionFindings } from "../../domain/commerce/Subscription.ts"
import { Subscription } from "../../domain/commerce/Subscription.ts"
import type { SubscriptionCreate, SubscriptionUpdate } from "../../domain/commerce/Subscription.ts"
import type {
  Conflict,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/wire/Errors.ts"
import { invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"
import { Products } from "../catalog/Products.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeLinkChecks } from "./LinkChecks.ts"

/** A subscription before and after a change. */
export interface SubscriptionChange {
  readonly before: Subscription
  readonly after: Subscription
}

/** Recurring contracts from billing systems. What they do to the licenses that follow them is the licenses' to know. */
export class Subscriptions extends Context.Service<Subscriptions, {
  readonly list: (productId: string, page: PageRequest) => Effect.Effect<Page<Subscription>, NotFound | InvalidCursor>
  readonly create: (
    productId: string,
    input: SubscriptionCreate
  ) => Effect.Effect<Subscription, NotFound | Conflict | ValidationError>
  readonly get: (id: string) => Effect.Effect<Subscription, NotFound>
  /**
   * An empty `customer_id` clears it; a status other than canceled clears `canceled_at`. The row stays locked until the
   * surrounding transaction ends. Licenses that follow it are not changed here. What is older than what is stored, by its
   * `source_updated_at`, changes nothing: `after` is then `before` itself.
   */
  readonly update: (
    id: string,
    changes: SubscriptionUpdate
  ) => Effect.Effect<SubscriptionChange, NotFound | Conflict | PreconditionFailed | ValidationError>
  /** Refused while licenses or orders refer to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/commerce/Subscriptions") {
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
        instants: ["current_period_start", "current_period_end", "canceled_at", "source_updated_at"]
      })

      const check = (left: SubscriptionUpdate) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const fields = [...subscriptionFindings(left), ...sourceFindings(left, now)]
          return fields.length === 0 ? Effect.void : Effect.fail(invalidRequest(fields))
        })

      const create = Effect.fn("Subscriptions.create")((productId: string, input: SubscriptionCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* products.hold(productId)
            yield* check(input)
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

      const update = Effect.fn("Subscriptions.update")((id: string, changes: SubscriptionUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const before = yield* subscriptions.lockToChange(id)
            if (isOutdated(before, changes)) return { before, after: before }
            const { canceled_at, ...rest } = before
            const stays = (changes.status ?? before.status) === "canceled" && canceled_at !== undefined
            yield* check({ ...rest, ...(stays ? { canceled_at } : {}), ...changes })
            if (changes.customer_id) yield* links.customer(changes.customer_id)
            const after = yield* subscriptions.update(id, {
              ...(stays || changes.canceled_at !== undefined ? {} : { canceled_at: null }),
              ...changes,
              ...(changes.customer_id === "" ? { customer_id: null } : {})
            })
            return { before, after }
          })
        )
      )

      return Subscriptions.of({
        list: (productId, page) =>
          Effect.andThen(products.get(productId), subscriptions.list(page, { product_id: productId })),
        create,
        get: subscriptions.get,
        update,
        remove: (id) => subscriptions.remove(id, { licenses: "subscription_id", orders: "subscription_id" })
      })
    })
  )
}
