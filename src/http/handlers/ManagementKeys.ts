import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { warningsAbout } from "../../domain/security/ManagementKey.ts"
import { ManagementKeys } from "../../services/access/ManagementKeys.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { filtersOf, pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fn(function*(handlers) {
    const keys = yield* ManagementKeys
    return handlers.handleAll({
      listAPIKeys: ({ query }) => page(keys.list(filtersOf(query), pageOf(query))),
      createAPIKey: ({ payload }) => one(keys.create(payload), () => warningsAbout(payload)),
      rotateAPIKey: ({ params, payload }) => one(keys.rotate(params.id, payload)),
      getAPIKey: ({ params }) => one(keys.get(params.id)),
      revokeAPIKey: ({ params }) => keys.revoke(params.id),
      getWhoami: () => one(keys.acting)
    })
  })
)
