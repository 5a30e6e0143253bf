import { Clock, Context, Effect, Layer } from "effect"
import type { ExternalFilters } from "../../domain/customers/BillingFields.ts"
import type { ExternalName } from "../../domain/customers/Customer.ts"
import { Subscription, subscriptionChange, subscriptionFindings } from "../../domain/customers/Subscription.ts"
import type { SubscriptionChange, SubscriptionCreate, SubscriptionUpdate } from "../../domain/customers/Subscription.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type {
  Conflict,
  FieldFinding,
  InUse,
  InvalidCursor,
  PreconditionFailed,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import type { FollowedSubscription } from "../../domain/licensing/licenses/SubscriptionStanding.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"
import { Products } from "../catalog/Products.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { lockNamed } from "./CustomerSql.ts"
import type { NamedLock } from "./CustomerSql.ts"

/** The order and subscription that a license claims to come from. */
export interface OriginClaim {
  readonly product_id: string
  readonly order_id?: string
  readonly subscription_id?: string
}

/** The claim, completed by the subscription of its order. */
interface Origin {
  readonly order_id?: string
  readonly subscription_id?: string
}

const otherProduct = (path: string) => invalidField(path, "other_product", "belongs to another product")

/**
 * Checks of the links between licenses, orders, subscriptions and customers. Each locks what it found until the
 * surrounding transaction ends, so that a stored link stays valid. What is beyond the products of a limited key is not
 * there for it.
 */
export const makeLinkChecks = (sql: Database) => {
  /** The customer in `customer_id`, which must exist. */
  const customer = Effect.fnUntraced(function*(id: string) {
    const [found] = yield* lockNamed(sql, "customers", [id], { limit: yield* CurrentProducts })
    return found ?? (yield* failing(NotFound, "No customer has the id in customer_id."))
  })

  /** Checks that the subscription in `subscription_id` exists and belongs to the product. */
  const subscription = Effect.fnUntraced(function*(productId: string, id: string, lock: NamedLock = "KEY SHARE") {
    const [row] = yield* lockNamed(sql, "subscriptions", [id], { limit: yield* CurrentProducts, lock })
    if (row === undefined) return yield* failing(NotFound, "No subscription has the id in subscription_id.")
    if (row.product_id !== productId) return yield* otherProduct("subscription_id")
  })

  /**
   * Checks that both belong to the product of the license. If the order has a subscription, the license takes it over,
   * and a subscription named beside it must be the same. An order without a subscription agrees with any. Callers that
   * go on to read what the subscription says lock it for that from the start: two locks one after the other could
   * deadlock.
   */
  const origin = Effect.fnUntraced(function*(claim: OriginClaim, lock: NamedLock = "KEY SHARE") {
    let brought: string | undefined
    if (claim.order_id !== undefined) {
      const [order] = yield* lockNamed(sql, "orders", [claim.order_id], {
        limit: yield* CurrentProducts,
        lock: "SHARE"
      })
      if (order === undefined) return yield* failing(NotFound, "No order has the id in order_id.")
      if (order.product_id !== claim.product_id) return yield* otherProduct("order_id")
      brought = order.subscription_id
    }
    if (claim.subscription_id !== undefined) {
      yield* subscription(claim.product_id, claim.subscription_id, lock)
      if (brought !== undefined && brought !== claim.subscription_id) {
        return yield* invalidField("subscription_id", "not_of_order", "is another one than that of the order")
      }
    }
    const subscription_id = claim.subscription_id ?? brought
    return {
      ...(claim.order_id === undefined ? {} : { order_id: claim.order_id }),
      ...(subscription_id === undefined ? {} : { subscription_id })
    } satisfies Origin
  })

  /** A subscription as licenses follow it; it stays so until the surrounding transaction ends. */
  const followed = (id: string) =>
    Effect.map(
      lockNamed(sql, "subscriptions", [id], { limit: undefined, lock: "SHARE" }),
      ([row]): FollowedSubscription | undefined => row
    )

  /**
   * The finding about further products of licenses: that one does not exist, or is the first. Locks those that exist
   * against deletion. Answers a function that judges what one license has. Those that a license `had` before may be
   * written back by a limited key, which reads them there.
   */
  const furtherProducts = Effect.fnUntraced(function*(ids: ReadonlyArray<string>, had: ReadonlyArray<string> = []) {
    const limit = yield* CurrentProducts
    const rows = ids.length === 0 ? [] : yield* lockNamed(sql, "products", [...new Set(ids)], {
      limit: limit === undefined ? undefined : [...limit, ...had]
    })
    const known = new Set(rows.map(({ id }) => id))
    return (productId: string, further: ReadonlyArray<string>): ReadonlyArray<FieldFinding> => {
      if (further.includes(productId)) {
        return [{ path: "product_ids", code: "duplicate", message: "names the product of product_id again" }]
      }
      const missing = further.find((id) => !known.has(id))
      return missing === undefined
        ? []
        : [{ path: "product_ids", code: "not_found", message: `names no product: ${missing}` }]
    }
  })

  return { customer, subscription, origin, followed, furtherProducts }
}

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
