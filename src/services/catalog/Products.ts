import { Context, Effect, Layer } from "effect"
import { formerCodesAfter, productFindings, ProductRecord, warningsAboutCodes } from "../../domain/catalog/Product.ts"
import type { Product, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { Conflict, failing } from "../../domain/ground/wire/Errors.ts"
import type {
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError,
  Warned
} from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { Database } from "../ground/persistence/Database.ts"
import { CurrentProducts, isOfProducts } from "../ground/persistence/ProductLimit.ts"
import { inTransaction } from "../ground/persistence/Transaction.ts"
import { countedProducts } from "./CatalogCounts.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { FormerCodes } from "./FormerCodes.ts"
import { findFormerOwner, lockCodes } from "./ProductSql.ts"

/** Products, which a vendor sells licenses for. */
export class Products extends Context.Service<Products, {
  readonly list: (
    filters: { readonly product_id?: string },
    page: PageRequest,
    shown: { readonly counts: boolean }
  ) => Effect.Effect<Page<Product>, InvalidCursor>
  /** No code is given to two products, also not one that another had before and its apps still ask by. */
  readonly create: (input: ProductCreate) => Effect.Effect<Product, Conflict>
  readonly get: (id: string) => Effect.Effect<Product, NotFound>
  /** Locks the product against deletion until the surrounding transaction ends. */
  readonly hold: (id: string) => Effect.Effect<void, NotFound>
  /** A code that is replaced stays an alias of the product until it is taken out of `former_codes`. */
  readonly update: (
    id: string,
    changes: ProductUpdate
  ) => Effect.Effect<Warned<Product>, NotFound | Conflict | PreconditionFailed | ValidationError>
  /** Refused while anything belongs to the product. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/catalog/Products") {
  static readonly layer = Layer.effect(
    Products,
    Effect.gen(function*() {
      const sql = yield* Database
      const formerCodes = yield* FormerCodes
      const products = yield* makeCrudResource({
        table: "products",
        schema: ProductRecord,
        idType: "prod",
        family: "product",
        noun: "product",
        products: (products) => isOfProducts(sql, "id", products)
      })

      const shown = Effect.fnUntraced(function*(found: ReadonlyArray<ProductRecord>) {
        const renamed = found.filter(({ former_codes }) => former_codes !== undefined)
        const uses = yield* formerCodes.usesOf(renamed.map(({ id }) => id))
        return found.map((product): Product => {
          const of = uses.get(product.id)
          return of === undefined ? product : { ...product, former_code_uses: of }
        })
      })

      const shownOne = (product: ProductRecord) => Effect.map(shown([product]), ([one]) => one!)

      const checkCode = Effect.fnUntraced(function*(code: string, id: string) {
        const [owner] = yield* findFormerOwner(sql, code, id)
        if (owner === undefined) return
        const limit = yield* CurrentProducts
        if (limit !== undefined && !limit.includes(owner.id)) {
          return yield* failing(Conflict, "Another product has this code.")
        }
        return yield* failing(
          Conflict,
          `The product ${owner.id} had this code, and installed apps ask for it by that. Take it out of its former_codes first.`,
          { detail: owner.id }
        )
      })

      const create = Effect.fn("Products.create")((input: ProductCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockCodes(sql)
            yield* checkCode(input.code, "")
            return yield* products.create({ metadata: {}, ...input })
          })
        )
      )

      const update = Effect.fn("Products.update")((id: string, changes: ProductUpdate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { code, former_codes: _, ...plain } = changes
            if (code !== undefined) yield* lockCodes(sql)
            const before = yield* products.lockToChange(id)
            const findings = productFindings(before, changes)
            if (findings.length > 0) return yield* invalidRequest(findings)
            if (code !== undefined) yield* checkCode(code, id)
            const left = formerCodesAfter(before, changes)
            const after = yield* products.update(id, {
              ...plain,
              ...(code === undefined ? {} : { code }),
              ...(left === undefined ? {} : { former_codes: left.length === 0 ? null : left })
            })
            const retired = left === undefined ? [] : yield* formerCodes.keepOnly(id, left)
            if (after.code !== before.code) yield* formerCodes.begin(id, before.code)
            return {
              data: yield* shownOne(after),
              warnings: warningsAboutCodes(before, after, retired.filter(({ code }) => code !== after.code))
            }
          })
        )
      )

      const remove = Effect.fn("Products.remove")((id: string) =>
        inTransaction(
          sql,
          Effect.andThen(
            products.remove(id, {
              policies: "product_id",
              features: "product_id",
              product_versions: "product_id",
              custom_field_definitions: "product_id",
              subscriptions: "product_id",
              orders: "product_id",
              licenses: ["product_id", "product_ids"],
              publishable_keys: "product_id"
            }),
            formerCodes.keepOnly(id, [])
          )
        )
      )

      return Products.of({
        list: Effect.fn("Products.list")(function*({ product_id }, page, { counts }) {
          const { page_info, rows } = yield* products.list(page, product_id === undefined ? {} : { id: product_id })
          const items = yield* shown(products.rows.read(rows))
          return { items: counts ? yield* countedProducts(sql, items) : items, page_info }
        }),
        create,
        get: (id) => Effect.flatMap(products.get(id), shownOne),
        hold: products.hold,
        update,
        remove: (id) => Effect.asVoid(remove(id))
      })
    })
  )
}
