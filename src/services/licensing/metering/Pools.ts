import { Context, Effect, Layer } from "effect"
import { givingRefused } from "../../../domain/catalog/terms/Measure.ts"
import { failing, IdempotencyConflict, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Pool, poolIssued, repeatsPool } from "../../../domain/licensing/grants/Pool.ts"
import type { PoolCreate } from "../../../domain/licensing/grants/Pool.ts"
import { lockGrantable } from "../../catalog/PolicyFeatureSql.ts"
import { Customers } from "../../customers/Customers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import {
  countOpenPools,
  findPool,
  findPoolReferred,
  insertPool,
  isOfCustomer,
  isPoolOfProducts,
  listPools,
  lockPools,
  updatePoolRevoked
} from "./PoolSql.ts"

const readPool = rowReader(Pool)

const noPool = failing(NotFound, "The customer has no pool with this id.")

/** Units that customers own, and that their licenses share. */
export class Pools extends Context.Service<Pools, {
  readonly list: (customerId: string, page: PageRequest) => Effect.Effect<Page<Pool>, InvalidCursor | NotFound>
  readonly get: (customerId: string, id: string) => Effect.Effect<Pool, NotFound>
  /** Gives units. A repeated reference answers the pool that is there. */
  readonly give: (
    customerId: string,
    input: PoolCreate
  ) => Effect.Effect<Pool, IdempotencyConflict | NotFound | StateConflict | ValidationError>
  /** Takes back what is left of a pool; repeating it succeeds. */
  readonly revoke: (customerId: string, id: string) => Effect.Effect<Pool, NotFound>
}>()("countersign/services/licensing/metering/Pools") {
  static readonly layer = Layer.effect(
    Pools,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const customers = yield* Customers

      const append = (type: "customer.pool_given" | "customer.pool_revoked", pool: Pool) =>
        events.append({
          type,
          resourceId: pool.customer_id,
          data: pool,
          metadata: { pool_id: pool.id, feature_id: pool.feature_id, feature_code: pool.feature_code }
        })

      const list = Effect.fn("Pools.list")(function*(customerId: string, page: PageRequest) {
        yield* customers.get(customerId)
        return yield* sortedPage({
          sql,
          list: "pools",
          products: (products) => isPoolOfProducts(sql, products),
          filters: { customerId },
          page,
          conditions: isOfCustomer(sql, customerId),
          rows: (clauses, limit) => listPools(sql, clauses, limit),
          read: readPool
        })
      })

      const get = Effect.fn("Pools.get")(function*(customerId: string, id: string) {
        const [row] = yield* findPool(sql, customerId, id, yield* CurrentProducts)
        return row === undefined ? yield* noPool : readPool(row)
      })

      /** The pool that a request with a reference has given before, if it has. */
      const given = Effect.fnUntraced(function*(customerId: string, input: PoolCreate) {
        if (input.reference === undefined) return undefined
        const [row] = yield* findPoolReferred(sql, customerId, input.reference)
        if (row === undefined) return undefined
        const pool = readPool(row)
        if (repeatsPool(pool, input)) return pool
        return yield* failing(IdempotencyConflict, "The customer has another pool with this reference.", {
          detail: pool.id
        })
      })

      const give = Effect.fn("Pools.give")((customerId: string, input: PoolCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* customers.lock(customerId)
            const before = yield* given(customerId, input)
            if (before !== undefined) return before
            const [feature] = yield* lockGrantable(sql, input.feature_id, yield* CurrentProducts)
            if (feature === undefined || feature.isArchived) return yield* failing(NotFound, "No feature has this id.")
            const refused = givingRefused(feature.meter)
            if (refused !== undefined) return yield* refused
            const [counted] = yield* countOpenPools(sql, customerId)
            const { now, open } = counted!
            const issued = yield* Effect.fromResult(poolIssued({ open, now: now.getTime() }, input))
            const [row] = yield* insertPool(
              sql,
              { id: identifiers.next("pool"), customerId, featureId: input.feature_id },
              issued
            )
            const pool = readPool(row!)
            yield* append("customer.pool_given", pool)
            return pool
          })
        )
      )

      const revoke = Effect.fn("Pools.revoke")((customerId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* get(customerId, id)
            yield* lockPools(sql, [id])
            const [row] = yield* updatePoolRevoked(sql, customerId, id)
            if (row === undefined) return yield* get(customerId, id)
            const pool = readPool(row)
            yield* append("customer.pool_revoked", pool)
            return pool
          })
        )
      )

      return Pools.of({ list, get, give, revoke })
    })
  )
}
