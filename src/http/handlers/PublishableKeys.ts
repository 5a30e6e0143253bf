import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublishableKeys } from "../../services/access/PublishableKeys.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

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
