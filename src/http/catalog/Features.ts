import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Features } from "../../services/catalog/Features.ts"
import { LicenseFeatures } from "../../services/licensing/licenses/LicenseFeatures.ts"
import { warningsAboutFeatureQuota } from "../../services/licensing/licenses/QuotaWarnings.ts"
import { one, oneWarned, page, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "features",
  Effect.fn(function*(handlers) {
    const features = yield* Features
    const assigned = yield* LicenseFeatures
    return handlers.handleAll({
      listFeaturesByProduct: ({ params, query }) =>
        writtenPage(
          features.list(
            params.id,
            pageOf(query),
            query.is_archived === undefined ? undefined : query.is_archived === "true"
          )
        ),
      createFeature: ({ params, payload }) => one(features.create(params.id, payload)),
      getFeature: ({ params }) => one(features.get(params.id)),
      updateFeature: ({ params, payload }) => oneWarned(features.update(params.id, payload)),
      deleteFeature: ({ params }) => features.remove(params.id),
      listLicenseFeatures: ({ params, query }) => page(assigned.list(params.id, pageOf(query))),
      assignLicenseFeature: ({ params, payload }) =>
        one(assigned.assign(params.id, payload), warningsAboutFeatureQuota),
      removeLicenseFeature: ({ params }) => assigned.remove(params.id, params.feature_id),
      resetLicenseUsage: ({ params, payload }) =>
        one(assigned.resetUsage(params.id, payload), warningsAboutFeatureQuota)
    })
  })
)
