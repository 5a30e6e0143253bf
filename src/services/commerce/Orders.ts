import { Clock, Context, Effect, Layer } from "effect"
import type { ExternalFilters } from "../../domain/commerce/BillingFields.ts"
import type { ExternalName } from "../../domain/commerce/Customer.ts"
import { orderFindings } from "../../domain/commerce/Order.ts"
import { Order } from "../../domain/commerce/Order.ts"
import type { OrderCreate, OrderPut, OrderUpdate } from "../../domain/commerce/Order.ts"
import { isOutdated, sourceFindings } from "../../domain/commerce/SourceInstant.ts"
import type { WrittenPage } from "../../domain/rows/WrittenRows.ts"
import type {
  Conflict,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/wire/Errors.ts"
import { invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/wire/Page.ts"
import { makeCrudResource } from "../catalog/CrudResource.ts"
import { Products } from "../catalog/Products.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeLinkChecks } from "./LinkChecks.ts"
import { putBy } from "./PutBy.ts"

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
  /** Creates the order that a billing system names, or changes it. */
  readonly put: (
    productId: string,
    name: ExternalName,
    input: OrderPut
  ) => Effect.Effect<Order, NotFound | Conflict | PreconditionFailed | ValidationError>
  readonly get: (id: string) => Effect.Effect<Order, NotFound>
  /**
   * An empty `customer_id` or `subscription_id` clears it. Licenses keep the subscription that they took over from the
   * order when they were issued. What is older than what is stored, by its `source_updated_at`, changes nothing.
   */
  readonly update: (
    id: string,
    changes: OrderUpdate
  ) => Effect.Effect<Order, NotFound | Conflict | PreconditionFailed | ValidationError>
  /** Refused while licenses refer to it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/commerce/Orders") {
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
      const check = Effect.fnUntraced(function*(productId: string, left: OrderUpdate, given: OrderUpdate) {
        const fields = [...orderFindings(left), ...sourceFindings(left, yield* Clock.currentTimeMillis)]
        if (fields.length > 0) return yield* invalidRequest(fields)
        if (given.customer_id) yield* links.customer(given.customer_id)
        if (given.subscription_id) yield* links.subscription(productId, given.subscription_id)
      })

      const create = Effect.fn("Orders.create")((productId: string, input: OrderCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* products.hold(productId)
            yield* check(productId, input, input)
            return yield* orders.create({ product_id: productId, metadata: {}, ...input })
          })
        )
      )

      const update = Effect.fn("Orders.update")((id: string, changes: OrderUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const before = yield* orders.lockToChange(id)
            if (isOutdated(before, changes)) return before
            yield* check(before.product_id, { ...before, ...changes }, changes)
            return yield* orders.update(id, {
              ...changes,
              ...(changes.customer_id === "" ? { customer_id: null } : {}),
              ...(changes.subscription_id === "" ? { subscription_id: null } : {})
            })
          })
        )
      )

      const find = (productId: string, name: ExternalName) => orders.findBy({ product_id: productId, ...name })

      const put = Effect.fn("Orders.put")((productId: string, name: ExternalName, input: OrderPut) =>
        inTransaction(
          sql,
          putBy(find(productId, name), create(productId, { ...name, ...input }), ({ id }) => update(id, input))
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
