import { Context, Effect, Layer } from "effect"
import type { PolicyCreate, PolicyUpdate } from "../../../domain/catalog/Policy.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import type { Conflict, NotFound, PreconditionFailed, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import { changedRules, noReach, reachOf } from "../../../domain/licensing/explaining/PolicyDryRun.ts"
import type { PolicyWritten } from "../../../domain/licensing/explaining/PolicyDryRun.ts"
import { previewsOf } from "../../../domain/licensing/explaining/PolicyPreview.ts"
import { Policies } from "../../catalog/Policies.ts"
import type { RehearsedPolicy } from "../../catalog/Policies.ts"
import { Products } from "../../catalog/Products.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { countReached, readReached } from "./PolicyReachSql.ts"

/** Says what writes of policies would do. Nothing is written, and what contradicts itself is a finding, not a refusal. */
export class PolicyDryRuns extends Context.Service<PolicyDryRuns, {
  readonly create: (productId: string, input: PolicyCreate) => Effect.Effect<PolicyWritten, NotFound | Conflict>
  readonly update: (
    id: string,
    changes: PolicyUpdate
  ) => Effect.Effect<PolicyWritten, NotFound | Conflict | PreconditionFailed | TokenScopeDenied>
}>()("countersign/services/licensing/lifecycle/PolicyDryRuns") {
  static readonly layer = Layer.effect(
    PolicyDryRuns,
    Effect.gen(function*() {
      const sql = yield* Database
      const policies = yield* Policies
      const products = yield* Products

      const reach = Effect.fnUntraced(function*(policyId: string, before: Rules, after: Rules) {
        const [row] = yield* countReached(sql, {
          policyId,
          rules: changedRules(before, after),
          after
        })
        return reachOf(before, after, readReached(row!))
      })

      const written = Effect.fnUntraced(function*({ after, before, findings }: RehearsedPolicy) {
        const product = yield* products.get(after.product_id)
        return {
          ...after,
          dry_run: {
            findings,
            reach: before === undefined ? noReach : yield* reach(after.id, rulesOf(before), rulesOf(after)),
            preview: findings.length > 0 ? [] : previewsOf(after, product, new Date(after.updated_at))
          }
        } satisfies PolicyWritten
      })

      return PolicyDryRuns.of({
        create: Effect.fn("PolicyDryRuns.create")((productId: string, input: PolicyCreate) =>
          Effect.flatMap(policies.rehearseCreation(productId, input), written)
        ),
        update: Effect.fn("PolicyDryRuns.update")((id: string, changes: PolicyUpdate) =>
          Effect.flatMap(policies.rehearseUpdate(id, changes), written)
        )
      })
    })
  )
}
