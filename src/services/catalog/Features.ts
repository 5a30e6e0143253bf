import { Context, Effect, Layer } from "effect"
import { Feature, warningsAboutFeature } from "../../domain/catalog/Feature.ts"
import type { FeatureCreate, FeatureUpdate } from "../../domain/catalog/Feature.ts"
import type { WrittenPage } from "../../domain/rows/WrittenRows.ts"
import type { Conflict, InUse, InvalidCursor, NotFound, PreconditionFailed, Warned } from "../../domain/wire/Errors.ts"
import type { PageRequest } from "../../domain/wire/Page.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { makeCrudResource } from "./CrudResource.ts"
import type { ListCondition } from "./CrudResource.ts"
import { Products } from "./Products.ts"

/** Features, which licenses can grant. */
export class Features extends Context.Service<Features, {
  /** `archived` selects only archived features, or only the others; without it, all are listed. */
  readonly list: (
    productId: string,
    page: PageRequest,
    archived?: boolean
  ) => Effect.Effect<WrittenPage<Feature>, NotFound | InvalidCursor>
  readonly create: (productId: string, input: FeatureCreate) => Effect.Effect<Feature, NotFound | Conflict>
  readonly get: (id: string) => Effect.Effect<Feature, NotFound>
  /** An archived feature cannot be assigned to further licenses; licenses that have it keep it. */
  readonly update: (
    id: string,
    changes: FeatureUpdate
  ) => Effect.Effect<Warned<Feature>, NotFound | Conflict | PreconditionFailed>
  /** Refused while a license has the feature, or a policy grants it. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/catalog/Features") {
  static readonly layer = Layer.effect(
    Features,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const features = yield* makeCrudResource({
        table: "features",
        schema: Feature,
        idType: "feat",
        family: "feature",
        noun: "feature",
        products: "owned"
      })
      const only: Readonly<Record<"true" | "false", ReadonlyArray<ListCondition>>> = {
        true: [{ filter: ["archived", true], condition: sql`archived_at IS NOT NULL` }],
        false: [{ filter: ["current", true], condition: sql`archived_at IS NULL` }]
      }
      return Features.of({
        list: (productId, page, archived) =>
          Effect.andThen(
            products.get(productId),
            features.list(page, { product_id: productId }, archived === undefined ? [] : only[`${archived}`])
          ),
        create: (productId, input) =>
          inTransaction(
            sql,
            Effect.andThen(
              products.hold(productId),
              features.create({ product_id: productId, metadata: {}, ...input })
            )
          ),
        get: features.get,
        update: (id, { is_archived, ...changes }) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const before = yield* features.lockToChange(id)
              const data = yield* features.update(id, {
                ...changes,
                ...(is_archived === undefined
                  ? {}
                  : { archived_at: is_archived ? sql`coalesce(archived_at, now())` : sql`NULL` })
              })
              return { data, warnings: warningsAboutFeature(before, data) }
            })
          ),
        remove: (id) => features.remove(id, { license_features: "feature_id", policy_features: "feature_id" })
      })
    })
  )
}
