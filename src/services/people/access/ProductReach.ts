import { Context, Effect, Layer } from "effect"
import { failing, NotFound, TokenProductDenied } from "../../../domain/ground/wire/Errors.ts"
import type { LimitedResource, Reseller } from "../../../domain/keys/security/ProductRule.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { findReach } from "./ProductReachSql.ts"

/** The names of resources in a refusal. */
const nouns: Readonly<Record<LimitedResource, string>> = {
  product: "product",
  policy: "policy",
  feature: "feature",
  license: "license",
  customer: "customer",
  order: "order of the product",
  subscription: "subscription of the product",
  publishable_key: "publishable key",
  report_export: "report export",
  api_key: "API key",
  job: "job"
}

/** Whether what a key that is limited to products names is within them. */
export class ProductReach extends Context.Service<ProductReach, {
  /**
   * Fails as if there were no such resource where it is beyond these products. What there is not is for the operation to
   * find, which may have deleted it before and be repeated; but an owner that there is not must not be told from one that
   * is beyond. With `whole`, it is refused where it belongs to further products too. To a reseller there are
   * only licenses that have the tag.
   */
  readonly check: (
    named: {
      readonly of: LimitedResource
      readonly id: string
      readonly isOwner: boolean
      readonly whole: boolean
    },
    products: ReadonlyArray<string>,
    reseller?: Reseller
  ) => Effect.Effect<void, NotFound | TokenProductDenied>
}>()("countersign/services/people/access/ProductReach") {
  static readonly layer = Layer.effect(
    ProductReach,
    Effect.gen(function*() {
      const sql = yield* Database

      const check: ProductReach["Service"]["check"] = Effect.fn("ProductReach.check")(
        function*({ id, isOwner, of, whole }, products, reseller) {
          const noun = nouns[of]
          const [row] = yield* findReach(sql, { id, of, whole, tag: reseller?.tag }, products)
          if (row === undefined ? isOwner : !row.within) return yield* failing(NotFound, `No ${noun} has this id.`)
          if (row?.others === true) {
            return yield* failing(
              TokenProductDenied,
              `The ${noun} also belongs to products that this API key does not cover.`,
              { detail: products.join(" ") }
            )
          }
        }
      )

      return ProductReach.of({ check })
    })
  )
}
