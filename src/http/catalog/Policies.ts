import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Policies } from "../../services/catalog/Policies.ts"
import { PolicyFeatures } from "../../services/catalog/PolicyFeatures.ts"
import { PolicyDryRuns } from "../../services/licensing/lifecycle/PolicyDryRuns.ts"
import { PolicyRehearsals } from "../../services/evidence/rehearsals/PolicyRehearsals.ts"
import { one, oneWarned, page, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fn(function*(handlers) {
    const policies = yield* Policies
    const dryRuns = yield* PolicyDryRuns
    const features = yield* PolicyFeatures
    const rehearsals = yield* PolicyRehearsals
    return handlers.handleAll({
      listPoliciesByProduct: ({ params, query }) =>
        query.include_counts === "true"
          ? page(policies.listCounted(params.id, pageOf(query)))
          : writtenPage(policies.list(params.id, pageOf(query))),
      createPolicy: ({ params, payload: { dry_run, ...input } }) =>
        one((dry_run === true ? dryRuns : policies).create(params.id, input)),
      getPolicy: ({ params }) => one(policies.get(params.id)),
      updatePolicy: ({ params, payload: { dry_run, ...changes } }) =>
        one((dry_run === true ? dryRuns : policies).update(params.id, changes)),
      deletePolicy: ({ params }) => policies.remove(params.id),
      rehearsePolicy: ({ params, payload }) => one(rehearsals.rehearse(params.id, payload)),
      listPolicyFeatures: ({ params, query }) => page(features.list(params.id, params.policy_id, pageOf(query))),
      assignPolicyFeature: ({ params, payload }) => oneWarned(features.assign(params.id, params.policy_id, payload)),
      removePolicyFeature: ({ params }) => features.remove(params.id, params.policy_id, params.feature_id)
    })
  })
)
