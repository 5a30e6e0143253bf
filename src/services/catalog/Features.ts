import { Context, Effect, Layer } from "effect"
import { Feature, warningsAboutFeature } from "../../domain/catalog/Feature.ts"
import type { FeatureCreate, FeatureUpdate } from "../../domain/catalog/Feature.ts"
import { lostValues, valueTypeFindings } from "../../domain/catalog/terms/FeatureValue.ts"
import type { ValuedFeature } from "../../domain/catalog/terms/FeatureValue.ts"
import { decimalsMember, meterMembers } from "../../domain/catalog/terms/Measure.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import { failing, InUse } from "../../domain/ground/wire/Errors.ts"
import type {
  Conflict,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError,
  Warned
} from "../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../domain/ground/wire/Page.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { findLostValue } from "./CatalogSql.ts"
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
  readonly create: (
    productId: string,
    input: FeatureCreate
  ) => Effect.Effect<Feature, NotFound | Conflict | ValidationError>
  readonly get: (id: string) => Effect.Effect<Feature, NotFound>
  /**
   * An archived feature cannot be assigned to further licenses; licenses that have it keep it. The type of the values stays
   * while a policy or a license has one, and so does each option that one has.
   */
  readonly update: (
    id: string,
    changes: FeatureUpdate
  ) => Effect.Effect<Warned<Feature>, NotFound | Conflict | InUse | PreconditionFailed | ValidationError>
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
      const check = (feature: ValuedFeature) => {
        const found = valueTypeFindings(feature)
        return found.length === 0 ? Effect.void : Effect.fail(invalidRequest(found))
      }
      /** Refuses a change that would leave a value that the feature cannot have. The feature is locked. */
      const refuseLostValues = Effect.fnUntraced(function*(before: Feature, after: ValuedFeature) {
        yield* check(after)
        const lost = lostValues(before, after)
        if (lost === undefined) return
        const used = yield* findLostValue(sql, before.id, lost)
        if (used.length > 0) {
          return yield* failing(
            InUse,
            "A policy or license has a value that the feature would no longer allow.",
            {
              detail: lost === "all" ? "The value_type cannot change." : `Options that would go: ${lost.join(", ")}.`
            }
          )
        }
      })
      const checkMeter = ({ meter, meter_dimension }: FeatureCreate) =>
        (meter === "unique") === (meter_dimension !== undefined) ? Effect.void : Effect.fail(invalidField(
          "meter_dimension",
          meter === "unique" ? "required" : "contradiction",
          meter === "unique"
            ? "is required for a unique meter: whose values are counted"
            : "is for a unique meter alone"
        ))
      /** A feature to create; whole amounts have no decimal places. */
      const written = ({ decimals, meter, meter_dimension, ...input }: FeatureCreate) => ({
        ...input,
        ...decimalsMember(decimals),
        ...meterMembers({ meter: meter ?? null, meter_dimension: meter_dimension ?? null })
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
              Effect.andThen(
                Effect.andThen(check(input), checkMeter(input)),
                features.create({ product_id: productId, metadata: {}, ...written(input) })
              )
            )
          ),
        get: features.get,
        update: (id, { is_archived, ...changes }) =>
          inTransaction(
            sql,
            Effect.gen(function*() {
              const before = yield* features.lockToChange(id)
              yield* refuseLostValues(before, { ...before, ...changes })
              const data = yield* features.update(id, {
                ...changes,
                ...(is_archived === undefined
                  ? {}
                  : { archived_at: is_archived ? sql`coalesce(archived_at, now())` : sql`NULL` })
              })
              return { data, warnings: warningsAboutFeature(before, data) }
            })
          ),
        remove: (id) =>
          features.remove(id, { license_features: "feature_id", policy_features: "feature_id", pools: "feature_id" })
      })
    })
  )
}
