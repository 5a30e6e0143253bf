import { Context, Effect, Layer } from "effect"
import { ProductVersion } from "../../domain/catalog/ProductVersion.ts"
import type { ProductVersionCreate, ProductVersionUpdate, VersionLink } from "../../domain/catalog/ProductVersion.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import type { Conflict, InvalidCursor, PreconditionFailed } from "../../domain/ground/wire/Errors.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import { Database } from "../ground/persistence/Database.ts"
import { inTransaction } from "../ground/persistence/Transaction.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { Products } from "./Products.ts"

/** The versions of a product, and when each was released. */
export class ProductVersions extends Context.Service<ProductVersions, {
  readonly list: (
    productId: string,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<ProductVersion>, NotFound | InvalidCursor>
  /** `released_at` defaults to now. */
  readonly create: (
    productId: string,
    input: ProductVersionCreate
  ) => Effect.Effect<ProductVersion, NotFound | Conflict>
  readonly get: (productId: string, id: string) => Effect.Effect<ProductVersion, NotFound>
  readonly update: (
    productId: string,
    id: string,
    changes: ProductVersionUpdate
  ) => Effect.Effect<ProductVersion, NotFound | Conflict | PreconditionFailed>
  readonly remove: (productId: string, id: string) => Effect.Effect<void, NotFound | PreconditionFailed>
}>()("countersign/services/catalog/ProductVersions") {
  static readonly layer = Layer.effect(
    ProductVersions,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const versions = yield* makeCrudResource({
        table: "product_versions",
        schema: ProductVersion,
        idType: "ver",
        family: "version",
        noun: "version of the product",
        products: "owned",
        unique: "version",
        instants: ["released_at"]
      })

      /** The links as they are stored, if they are told: no list of none. */
      const stored = (links: ReadonlyArray<VersionLink> | undefined) =>
        links === undefined ? {} : { links: links.length === 0 ? null : sql`${JSON.stringify(links)}::jsonb` }

      const get = (productId: string, id: string) =>
        versions.get(id).pipe(
          Effect.filterOrFail(
            (version) => version.product_id === productId,
            () => failing(NotFound, "The product has no version with this id.")
          )
        )

      return ProductVersions.of({
        list: (productId, page) =>
          Effect.andThen(products.get(productId), versions.list(page, { product_id: productId })),
        create: (productId, input) =>
          inTransaction(
            sql,
            Effect.andThen(
              products.hold(productId),
              versions.create({
                product_id: productId,
                metadata: {},
                ...(input.released_at === undefined ? { released_at: sql`now()` } : {}),
                ...input,
                ...stored(input.links)
              })
            )
          ),
        get,
        update: (productId, id, changes) =>
          inTransaction(
            sql,
            Effect.andThen(get(productId, id), versions.update(id, { ...changes, ...stored(changes.links) }))
          ),
        remove: (productId, id) =>
          // Nothing references a version: apps name it by its text.
          inTransaction(sql, Effect.andThen(get(productId, id), versions.remove(id, {}))).pipe(
            Effect.catchTag("IN_USE", (error) => Effect.die(error))
          )
      })
    })
  )
}
