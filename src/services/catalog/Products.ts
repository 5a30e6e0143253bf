import { Context, Effect, Layer } from "effect"
import type { Policy } from "../../domain/catalog/Policy.ts"
import {
  catalogCounts,
  formerCodesAfter,
  productFindings,
  ProductRecord,
  warningsAboutCodes
} from "../../domain/catalog/Product.ts"
import type { Product, ProductCounts, ProductCreate, ProductUpdate } from "../../domain/catalog/Product.ts"
import { ProductVersion } from "../../domain/catalog/ProductVersion.ts"
import type { ProductVersionCreate, ProductVersionUpdate, VersionLink } from "../../domain/catalog/ProductVersion.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { Conflict, failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type {
  InUse,
  InvalidCursor,
  PreconditionFailed,
  ValidationError,
  Warned
} from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { countedUpTo } from "../../domain/ground/wire/Page.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { CurrentProducts, isOfProducts } from "../ground/persistence/ProductLimit.ts"
import { lackedScopes } from "../log/Provenance.ts"
import { countOfPolicies, countOfProducts, findFormerOwner, lockCodes } from "./CatalogSql.ts"
import type { ProductCountRow } from "./CatalogSql.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { FormerCodes } from "./FormerCodes.ts"

const most = catalogCounts.licenses

const seesLicenses = Effect.map(lackedScopes(["license:read"]), (lacked) => lacked.length === 0)

const countsOf = (row: ProductCountRow, hasLicenses: boolean): ProductCounts => {
  const inUse = countedUpTo(row.in_use, most)
  return {
    policies: row.policies,
    ...(hasLicenses
      ? {
        licenses: countedUpTo(row.licenses, most),
        licenses_in_use: { ...inUse, has_more: inUse.has_more || row.has_unseen }
      }
      : {}),
    ...(row.newest_version === null ? {} : { newest_version: row.newest_version })
  }
}

/** Products with what belongs to them, as far as the caller may see it. */
const countedProducts = Effect.fnUntraced(function*(sql: Database, products: ReadonlyArray<Product>) {
  const hasLicenses = yield* seesLicenses
  const rows = yield* countOfProducts(sql, products.map(({ id }) => id), hasLicenses)
  const byId = new Map(rows.map((row) => [row.id, countsOf(row, hasLicenses)]))
  return products.map((product): Product => ({ ...product, counts: byId.get(product.id)! }))
})

/** Policies with how many licenses were issued under them; without, where the caller may not see licenses. */
export const countedPolicies = Effect.fnUntraced(function*(sql: Database, policies: ReadonlyArray<Policy>) {
  if (!(yield* seesLicenses)) return policies
  const rows = yield* countOfPolicies(sql, policies.map(({ id }) => id))
  const byId = new Map(rows.map(({ id, licenses }) => [id, { licenses: countedUpTo(licenses, most) }]))
  return policies.map((policy): Policy => ({ ...policy, counts: byId.get(policy.id)! }))
})

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
