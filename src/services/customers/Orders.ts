import { Clock, Context, Effect, Layer } from "effect"
import { present } from "../../domain/customers/BillingFields.ts"
import type { ExternalFilters } from "../../domain/customers/BillingFields.ts"
import type { ExternalName } from "../../domain/customers/Customer.ts"
import { Order, orderChange, orderFindings, orderReplacement } from "../../domain/customers/Order.ts"
import type { OrderCreate, OrderPut, OrderUpdate } from "../../domain/customers/Order.ts"
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
import { makeLinkChecks } from "./Subscriptions.ts"

/**
 * Creates a record that its billing system names, or changes the one that has the name. Two at once make one: the second
 * waits for the first, and then changes what that one made. To be run in a transaction.
 */
export const putBy = Effect.fnUntraced(function*<A, E1, E2, R>(
  find: Effect.Effect<A | undefined, never, R>,
  create: Effect.Effect<A, E1 | Conflict, R>,
  change: (found: A) => Effect.Effect<A, E2, R>
) {
  const found = yield* find
  if (found !== undefined) return yield* change(found)
  const made = yield* Effect.result(create)
  if (made._tag === "Success") return made.success
  const other = yield* find
  return yield* other === undefined ? Effect.fail(made.failure) : change(other)
})

/** Purchases from billing systems. They have no effect of their own: licenses only refer to them. */
export class Orders extends Context.Service<Orders, {
  readonly list: (
    productId: string,
    filters: ExternalFilters,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<Order>, NotFound | InvalidCursor>
  readonly create: (
    productId: string,
    input: OrderCreate
  ) => Effect.Effect<Order, NotFound | Conflict | ValidationError>
  /** The order that a billing system names; undefined where there is none. */
  readonly find: (productId: string, name: ExternalName) => Effect.Effect<Order | undefined>
  /** Creates the order that a billing system names, or makes of it what that has now. */
  readonly put: (
    productId: string,
    name: ExternalName,
    input: OrderPut
  ) => Effect.Effect<Order, NotFound | Conflict | PreconditionFailed | ValidationError>
  readonly get: (id: string) => Effect.Effect<Order, NotFound>
  /**
   * Null clears a member, an empty `customer_id` or `subscription_id` the link. Licenses keep the subscription that they took over from the
   * order when they were issued. What is older than what is stored, by its `source_updated_at`, changes nothing.
   */
  readonly update: (
    id: string,
    changes: OrderUpdate
  ) => Effect.Effect<Order, NotFound | Conflict | PreconditionFailed | ValidationError>
  /** Refused while licenses refer to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/customers/Orders") {
  static readonly layer = Layer.effect(
    Orders,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const links = makeLinkChecks(sql)
      const orders = yield* makeCrudResource({
        table: "orders",
        schema: Order,
        idType: "ord",
        family: "order",
        noun: "order of the product",
        products: "owned",
        unique: "external_system and external_id",
        identity: [["product_id", "external_system", "external_id"]],
        instants: ["period_start", "period_end", "ended_at", "source_updated_at"]
      })

      /** An empty link means none. */
      const checkLinks = Effect.fnUntraced(
        function*(productId: string, given: Pick<OrderUpdate, "customer_id" | "subscription_id">) {
          if (given.customer_id) yield* links.customer(given.customer_id)
          if (given.subscription_id) yield* links.subscription(productId, given.subscription_id)
        }
      )

      const create = Effect.fn("Orders.create")((productId: string, input: OrderCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* products.hold(productId)
            const found = orderFindings(input, yield* Clock.currentTimeMillis)
            if (found.length > 0) return yield* invalidRequest(found)
            yield* checkLinks(productId, input)
            return yield* orders.create({ product_id: productId, metadata: {}, ...input })
          })
        )
      )

      const update = Effect.fn("Orders.update")((id: string, changes: OrderUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const before = yield* orders.lockToChange(id)
            const change = yield* Effect.fromResult(orderChange(before, changes, yield* Clock.currentTimeMillis))
            if (change === undefined) return before
            yield* checkLinks(before.product_id, changes)
            return yield* orders.update(id, change)
          })
        )
      )

      const find = (productId: string, name: ExternalName) => orders.findBy({ product_id: productId, ...name })

      const put = Effect.fn("Orders.put")((productId: string, name: ExternalName, input: OrderPut) =>
        inTransaction(
          sql,
          putBy(
            find(productId, name),
            create(productId, { ...name, ...present(input) }),
            ({ id }) => update(id, orderReplacement(input))
          )
        )
      )

      return Orders.of({
        find,
        put,
        list: (productId, filters, page) =>
          Effect.andThen(products.get(productId), orders.list(page, { product_id: productId, ...filters })),
        create,
        get: orders.get,
        update,
        remove: (id) => orders.remove(id, { licenses: "order_id" })
      })
    })
  )
}
