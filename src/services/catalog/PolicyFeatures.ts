import { Context, Effect, Layer } from "effect"
import { grantFindings, PolicyFeature } from "../../domain/catalog/PolicyFeature.ts"
import type { PolicyFeatureAssign } from "../../domain/catalog/PolicyFeature.ts"
import { policyFeatureTermsOf } from "../../domain/catalog/terms/EffectiveFeatures.ts"
import { valueFindings } from "../../domain/catalog/terms/FeatureValue.ts"
import { warningsAboutQuotas } from "../../domain/catalog/terms/QuotaWarnings.ts"
import type { InvalidCursor, ValidationError, Warned } from "../../domain/ground/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { keysetPageBy } from "../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Events } from "../log/Events.ts"
import { Policies } from "./Policies.ts"
import {
  deleteGrant,
  findGrant,
  findWithoutSubscription,
  insertPolicyFeature,
  listPolicyFeatures,
  lockGrantable,
  lockPolicyOf
} from "./PolicyFeatureSql.ts"

const readFeature = rowReader(PolicyFeature)

/**
 * The features that a policy grants to the licenses under it. Nothing is copied to the licenses: a change is effective
 * at the next call of each.
 */
export class PolicyFeatures extends Context.Service<PolicyFeatures, {
  readonly list: (
    productId: string,
    policyId: string,
    page: PageRequest
  ) => Effect.Effect<Page<PolicyFeature>, NotFound | InvalidCursor>
  /**
   * Grants a feature or changes how it is granted; members left out keep their value, null takes an optional one away.
   * An archived feature cannot be granted anew. A feature of another product is granted to licenses that carry that
   * product too.
   */
  readonly assign: (
    productId: string,
    policyId: string,
    input: PolicyFeatureAssign
  ) => Effect.Effect<Warned<PolicyFeature>, NotFound | ValidationError | StateConflict>
  /** Takes a feature from the policy. What licenses used of it stays counted. */
  readonly remove: (productId: string, policyId: string, featureId: string) => Effect.Effect<void, NotFound>
}>()("countersign/services/catalog/PolicyFeatures") {
  static readonly layer = Layer.effect(
    PolicyFeatures,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const policies = yield* Policies

      const missing = () => failing(NotFound, "The product has no policy with this id.")

      const ofProduct = Effect.fnUntraced(function*(productId: string, policyId: string) {
        const policy = yield* policies.get(policyId)
        if (policy.product_id !== productId) return yield* missing()
      })

      /** Locks the policy until the surrounding transaction ends, so that its grants change one after the other. */
      const hold = Effect.fnUntraced(function*(productId: string, policyId: string) {
        const rows = yield* lockPolicyOf(sql, productId, policyId)
        if (rows.length === 0) return yield* missing()
      })

      const find = (policyId: string, featureId: string) =>
        Effect.map(findGrant(sql, policyId, featureId), ([row]) => row && readFeature(row))

      const append = (type: "policy.feature_assigned" | "policy.feature_removed", feature: PolicyFeature) =>
        events.append({
          type,
          resourceId: feature.policy_id,
          data: feature,
          metadata: { feature_id: feature.feature_id, feature_code: feature.feature_code }
        })

      /** Warnings about a grant to the licenses under its policy that have no subscription. */
      const warningsAbout = Effect.fnUntraced(function*(grant: PolicyFeature) {
        const found = warningsAboutQuotas([policyFeatureTermsOf(grant)], "period", "policy")
        if (found.length === 0) return []
        const lacking = yield* findWithoutSubscription(sql, grant.policy_id)
        return lacking.length === 0 ? [] : found
      })

      const list = Effect.fn("PolicyFeatures.list")((productId: string, policyId: string, page: PageRequest) =>
        Effect.andThen(
          ofProduct(productId, policyId),
          keysetPageBy({
            list: "policy_features",
            products: "owned",
            filters: { policyId },
            page,
            idOf: ({ feature_id }: PolicyFeature) => feature_id,
            rows: (after, limit) =>
              Effect.map(listPolicyFeatures(sql, policyId, { after, limit }), (rows) => rows.map(readFeature))
          })
        )
      )

      const assign = Effect.fn("PolicyFeatures.assign")((
        productId: string,
        policyId: string,
        { feature_id, ...changes }: PolicyFeatureAssign
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* hold(productId, policyId)
            const [granted] = yield* lockGrantable(sql, feature_id, yield* CurrentProducts)
            if (granted === undefined) return yield* failing(NotFound, "No feature has the id in feature_id.")
            const before = yield* find(policyId, feature_id)
            if (granted.isArchived && before === undefined) {
              return yield* failing(StateConflict, "The feature is archived and can be granted by no further policy.", {
                detail: "archived"
              })
            }
            const left = { enabled: true, metadata: {}, ...before, ...changes, feature_id }
            const found = [
              ...grantFindings(Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null))),
              ...valueFindings(granted, changes.value),
              ...(granted.meter === "last" && left.rollover != null
                ? [{
                  path: "rollover",
                  code: "contradiction",
                  message: "is not for a feature that measures the latest amount"
                }]
                : [])
            ]
            if (found.length > 0) return yield* invalidRequest(found)
            const [row] = yield* insertPolicyFeature(sql, policyId, left)
            const feature = readFeature(row!)
            yield* append("policy.feature_assigned", feature)
            return { data: feature, warnings: yield* warningsAbout(feature) }
          })
        )
      )

      const remove = Effect.fn("PolicyFeatures.remove")((productId: string, policyId: string, featureId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* hold(productId, policyId)
            const feature = yield* find(policyId, featureId)
            if (feature === undefined) return yield* failing(NotFound, "The policy does not grant this feature.")
            yield* deleteGrant(sql, policyId, featureId)
            yield* append("policy.feature_removed", feature)
          })
        )
      )

      return PolicyFeatures.of({ list, assign, remove })
    })
  )
}
