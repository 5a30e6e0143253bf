import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ProductVersions } from "../../services/catalog/ProductVersions.ts"
import { one, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "versions",
  Effect.fn(function*(handlers) {
    const versions = yield* ProductVersions
    return handlers.handleAll({
      listProductVersions: ({ params, query }) => writtenPage(versions.list(params.id, pageOf(query))),
      createProductVersion: ({ params, payload }) => one(versions.create(params.id, payload)),
      getProductVersion: ({ params }) => one(versions.get(params.id, params.version_id)),
      updateProductVersion: ({ params, payload }) => one(versions.update(params.id, params.version_id, payload)),
      deleteProductVersion: ({ params }) => versions.remove(params.id, params.version_id)
    })
  })
)
