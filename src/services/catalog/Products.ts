import { Context, Effect, Layer } from "effect"
import { Product } from "../../domain/catalog/Product.ts"
import type { ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import type { Conflict, InUse, InvalidCursor, NotFound } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { makeCrudResource } from "./CrudResource.ts"

/** What a vendor sells licenses for. */
export class Products extends Context.Service<Products, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<Product>, InvalidCursor>
  readonly create: (input: ProductCreate) => Effect.Effect<Product, Conflict>
  readonly get: (id: string) => Effect.Effect<Product, NotFound>
  /** Locks the product against deletion until the surrounding transaction ends. */
  readonly hold: (id: string) => Effect.Effect<void, NotFound>
  readonly update: (id: string, changes: ProductUpdate) => Effect.Effect<Product, NotFound | Conflict>
  /** Refused while anything belongs to the product. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse>
}>()("countersign/services/catalog/Products") {
  static readonly layer = Layer.effect(
    Products,
    Effect.gen(function*() {
      const products = yield* makeCrudResource({
        table: "products",
        schema: Product,
        idType: "prod",
        family: "product",
        noun: "product"
      })
      return Products.of({
        list: (page) => products.list(page),
        create: (input) => products.create({ metadata: {}, ...input }),
        get: products.get,
        hold: products.hold,
        update: products.update,
        remove: (id) =>
          products.remove(id, {
            policies: "product_id",
            features: "product_id",
            product_versions: "product_id",
            custom_field_definitions: "product_id",
            subscriptions: "product_id",
            orders: "product_id",
            licenses: ["product_id", "product_ids"],
            publishable_keys: "product_id"
          })
      })
    })
  )
}
