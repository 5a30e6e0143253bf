import { Context, Effect, Layer, Schema } from "effect"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Purchase, UnmappedPrice } from "../../../domain/sales/billing/Purchase.ts"
import type { PurchaseShown } from "../../../domain/sales/billing/Purchase.ts"
import { purchaseOf } from "../../../domain/sales/billing/PurchaseView.ts"
import { wireTime } from "../../../domain/sales/providers/SourceTime.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { insertWork } from "../billing/ConnectionSql.ts"
import { makePurchaseStory } from "./KnownEvents.ts"
import { PurchaseActor } from "./PurchaseActor.ts"
import { findPurchase, listPurchases, listUnmapped, purchaseConditions } from "./PurchaseColumnsSql.ts"
import type { PurchaseFilters } from "./PurchaseColumnsSql.ts"

/** How many prices are listed. */
const shownPrices = 500

const missing = () => failing(NotFound, "No purchase has this id.")

const noteOf = ({ at, detail, event_id, note }: PurchaseState["notes"][number]): PurchaseShown["notes"][number] => ({
  note,
  at: wireTime(at),
  ...(detail === undefined ? {} : { detail }),
  event_id
})

const readListed = rowReader(Schema.Struct({ id: Schema.String, purchase: Purchase }))

const readUnmapped = rowReader(UnmappedPrice)

/** Purchases at payment providers, as people see them. */
export class Purchases extends Context.Service<Purchases, {
  readonly list: (filters: PurchaseFilters, page: PageRequest) => Effect.Effect<Page<Purchase>, InvalidCursor>
  /** The purchase with its events. */
  readonly get: (id: string) => Effect.Effect<PurchaseShown, NotFound>
  /** Has a purchase looked at again, at once. */
  readonly retry: (id: string) => Effect.Effect<Purchase, NotFound>
  /** The prices that purchases wait for, the most wanted first. */
  readonly unmapped: Effect.Effect<ReadonlyArray<UnmappedPrice>>
}>()("countersign/services/sales/purchases/Purchases") {
  static readonly layer = Layer.effect(
    Purchases,
    Effect.gen(function*() {
      const sql = yield* Database
      const actor = yield* PurchaseActor

      const story = makePurchaseStory(sql)

      const find = Effect.fnUntraced(function*(id: string) {
        const [row] = yield* findPurchase(sql, id)
        return row === undefined ? yield* missing() : row
      })

      const get = Effect.fn("Purchases.get")(function*(id: string) {
        const row = yield* find(id)
        return { ...purchaseOf(row), events: yield* story.shown(row), notes: (row.state?.notes ?? []).map(noteOf) }
      })

      const retry = Effect.fn("Purchases.retry")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const row = yield* find(id)
            yield* insertWork(sql, [id])
            yield* sql.afterCommit(actor.wake(id))
            return purchaseOf(row)
          })
        )
      )

      return Purchases.of({
        list: (filters, page) =>
          sortedPage({
            sql,
            list: "purchases",
            products: "not-limited",
            filters,
            page,
            alias: "p.",
            conditions: purchaseConditions(sql, filters),
            rows: (clauses, limit) =>
              Effect.map(
                listPurchases(sql, clauses, limit),
                (rows) => rows.map((row) => ({ id: row.id, place: row.place, purchase: purchaseOf(row) }))
              ),
            read: (row) => readListed(row).purchase
          }),
        get,
        retry,
        unmapped: Effect.map(listUnmapped(sql, shownPrices), (rows) => rows.map(readUnmapped))
      })
    })
  )
}
