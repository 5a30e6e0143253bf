import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublishableKeys } from "../../services/people/access/PublishableKeys.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "publishable-keys",
  Effect.fn(function*(handlers) {
    const keys = yield* PublishableKeys
    return handlers.handleAll({
      listPublishableKeys: ({ params, query }) => page(keys.list(params.id, pageOf(query))),
      createPublishableKey: ({ params, payload }) => one(keys.create(params.id, payload)),
      revokePublishableKey: ({ params }) => keys.revoke(params.id)
    })
  })
)
