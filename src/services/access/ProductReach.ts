import { Context, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { LimitedResource } from "../../domain/security/ProductRule.ts"
import { failing, NotFound, TokenProductDenied } from "../../domain/wire/Errors.ts"
import { Database } from "../persistence/Database.ts"
import { hasOtherProducts, isCustomerOfProducts, isOfProducts, isOnlyOfProducts } from "../persistence/ProductLimit.ts"

/** Whether what a key that is limited to products names is within them. */
export class ProductReach extends Context.Service<ProductReach, {
  /**
   * Fails as if there were no such resource where it is beyond these products. What there is not is for the operation to
   * find, which may have deleted it before and be repeated; but an owner that there is not must not be told from one that
   * is beyond. With `whole`, it is refused where it belongs to further products too.
   */
  readonly check: (
    named: {
      readonly of: LimitedResource
      readonly id: string
      readonly isOwner: boolean
      readonly whole: boolean
    },
    products: ReadonlyArray<string>
  ) => Effect.Effect<void, NotFound | TokenProductDenied>
}>()("countersign/services/access/ProductReach") {
  static readonly layer = Layer.effect(
    ProductReach,
    Effect.gen(function*() {
      const sql = yield* Database

      /** A table, what its resources are called in a refusal, and whether a row of it is within products. */
      interface Reach {
        readonly table: string
        readonly noun: string
        readonly isWithin: (products: ReadonlyArray<string>) => Statement.Fragment
      }

      const ofProduct = (table: string, noun: string): Reach => ({
        table,
        noun,
        isWithin: (products) => isOfProducts(sql, "product_id", products)
      })
      const limited = (table: string, noun: string): Reach => ({
        table,
        noun,
        isWithin: (products) => sql`coalesce(${isOnlyOfProducts(sql, "product_ids", products)}, false)`
      })
      const reaches: Readonly<Record<LimitedResource, Reach>> = {
        product: { table: "products", noun: "product", isWithin: (products) => isOfProducts(sql, "id", products) },
        policy: ofProduct("policies", "policy"),
        feature: ofProduct("features", "feature"),
        license: ofProduct("licenses", "license"),
        customer: {
          table: "customers",
          noun: "customer",
          isWithin: (products) => isCustomerOfProducts(sql, products)
        },
        order: ofProduct("orders", "order of the product"),
        subscription: ofProduct("subscriptions", "subscription of the product"),
        publishable_key: ofProduct("publishable_keys", "publishable key"),
        report_export: limited("report_exports", "report export"),
        api_key: limited("management_keys", "management key")
      }

      const check: ProductReach["Service"]["check"] = Effect.fn("ProductReach.check")(
        function*({ id, isOwner, of, whole }, products) {
          const { isWithin, noun, table } = reaches[of]
          const others = whole ? sql`${hasOtherProducts(sql, products)}` : sql`false`
          const [row] = yield* sql<{ readonly within: boolean; readonly others: boolean }>`
            SELECT ${isWithin(products)} AS within, ${others} AS others FROM ${sql(table)} WHERE id = ${id}`
          if (row === undefined ? isOwner : !row.within) return yield* failing(NotFound, `No ${noun} has this id.`)
          if (row?.others === true) {
            return yield* failing(
              TokenProductDenied,
              `The ${noun} has something of products that this management key is not limited to.`,
              { detail: products.join(" ") }
            )
          }
        }
      )

      return ProductReach.of({ check })
    })
  )
}
