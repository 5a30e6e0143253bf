import { Context, Effect, Layer } from "effect"
import { grantFindings, PolicyFeature } from "../../domain/catalog/PolicyFeature.ts"
import type { PolicyFeatureAssign } from "../../domain/catalog/PolicyFeature.ts"
import { policyGrantOf } from "../../domain/terms/EffectiveFeatures.ts"
import { warningsAboutQuotas } from "../../domain/terms/QuotaWarnings.ts"
import type { InvalidCursor, ValidationError, Warned } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import { invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { keysetPageBy } from "../persistence/KeysetPagination.ts"
import { andWithinProducts, CurrentProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Policies } from "./Policies.ts"

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

      const select = sql`
        SELECT g.policy_id, g.feature_id, f.code AS feature_code, f.name AS feature_name, g.enabled, g.max_consumptions,
          g.period, g.overage, g.expires_after, g.metadata
        FROM policy_features g JOIN features f ON f.id = g.feature_id`

      const missing = () => failing(NotFound, "The product has no policy with this id.")

      const ofProduct = Effect.fnUntraced(function*(productId: string, policyId: string) {
        const policy = yield* policies.get(policyId)
        if (policy.product_id !== productId) return yield* missing()
      })

      /** Locks the policy until the surrounding transaction ends, so that its grants change one after the other. */
      const hold = Effect.fnUntraced(function*(productId: string, policyId: string) {
        const rows = yield* sql`
          SELECT 1 FROM policies WHERE id = ${policyId} AND product_id = ${productId} FOR NO KEY UPDATE`
        if (rows.length === 0) return yield* missing()
      })

      const find = (policyId: string, featureId: string) =>
        sql`${select} WHERE g.policy_id = ${policyId} AND g.feature_id = ${featureId}`.pipe(
          Effect.map(([row]) => row === undefined ? undefined : readFeature(row))
        )

      const append = (type: "policy.feature_assigned" | "policy.feature_removed", feature: PolicyFeature) =>
        events.append({
          type,
          resourceId: feature.policy_id,
          data: feature,
          metadata: { feature_id: feature.feature_id, feature_code: feature.feature_code }
        })

      /**
       * Warnings about a grant to the licenses under its policy that have no subscription. The newest are looked at: of a
       * million that all have one, none would be found for seconds.
       */
      const warningsAbout = Effect.fnUntraced(function*(grant: PolicyFeature) {
        const found = warningsAboutQuotas([policyGrantOf(grant)], "period", "policy")
        if (found.length === 0) return []
        const lacking = yield* sql`
          SELECT 1 FROM (
            SELECT subscription_id, state FROM licenses WHERE policy_id = ${grant.policy_id} ORDER BY id DESC LIMIT 1000
          ) newest
          WHERE subscription_id IS NULL AND state <> 'revoked' LIMIT 1`
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
              sql`
                ${select} WHERE g.policy_id = ${policyId}
                ${after === undefined ? sql`` : sql`AND g.feature_id < ${after}`}
                ORDER BY g.feature_id DESC LIMIT ${limit}`.pipe(
                Effect.map((rows) => rows.map(readFeature))
              )
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
            const features = yield* sql<{ readonly product_id: string; readonly archived_at: Date | null }>`
              SELECT product_id, archived_at FROM features WHERE id = ${feature_id}
                ${andWithinProducts(sql, "product_id", yield* CurrentProducts)} FOR SHARE`
            if (features[0] === undefined) return yield* failing(NotFound, "No feature has the id in feature_id.")
            const before = yield* find(policyId, feature_id)
            if (features[0].archived_at !== null && before === undefined) {
              return yield* failing(StateConflict, "The feature is archived and can be granted by no further policy.", {
                detail: "archived"
              })
            }
            const left = { enabled: true, metadata: {}, ...before, ...changes }
            const found = grantFindings(
              Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null))
            )
            if (found.length > 0) return yield* invalidRequest(found)
            yield* sql`
              INSERT INTO policy_features (policy_id, feature_id, enabled, max_consumptions, period, overage,
                expires_after, metadata)
              VALUES (${policyId}, ${feature_id}, ${left.enabled}, ${left.max_consumptions ?? null}::int8,
                ${left.period ?? null}::text, ${left.overage ?? null}::text, ${left.expires_after ?? null}::text,
                ${JSON.stringify(left.metadata)}::jsonb)
              ON CONFLICT (policy_id, feature_id) DO UPDATE SET enabled = excluded.enabled,
                max_consumptions = excluded.max_consumptions, period = excluded.period, overage = excluded.overage,
                expires_after = excluded.expires_after, metadata = excluded.metadata`
            const feature = (yield* find(policyId, feature_id))!
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
            yield* sql`DELETE FROM policy_features WHERE policy_id = ${policyId} AND feature_id = ${featureId}`
            yield* append("policy.feature_removed", feature)
          })
        )
      )

      return PolicyFeatures.of({ list, assign, remove })
    })
  )
}
