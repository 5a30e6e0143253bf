import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { warningsAbout } from "../../domain/ManagementKey.ts"
import { ManagementKeys } from "../../services/ManagementKeys.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Operation.ts"
import { one, page } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fn(function*(handlers) {
    const keys = yield* ManagementKeys
    return handlers.handleAll({
      listAPIKeys: ({ query }) => page(keys.list(pageOf(query))),
      createAPIKey: ({ payload }) => one(keys.create(payload), warningsAbout(payload)),
      getAPIKey: ({ params }) => one(keys.get(params.id)),
      revokeAPIKey: ({ params }) => keys.revoke(params.id)
    })
  })
)
