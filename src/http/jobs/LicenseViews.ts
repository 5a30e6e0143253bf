import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LicenseViews } from "../../services/people/notes/LicenseViews.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "license-views",
  Effect.fn(function*(handlers) {
    const views = yield* LicenseViews
    return handlers.handleAll({
      listLicenseViews: ({ query }) => page(views.list(pageOf(query))),
      createLicenseView: ({ payload }) => one(views.create(payload)),
      updateLicenseView: ({ params, payload }) => one(views.update(params.id, payload)),
      deleteLicenseView: ({ params }) => views.remove(params.id)
    })
  })
)
