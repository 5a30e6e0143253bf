import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { warningsAbout } from "../../domain/keys/security/ManagementKey.ts"
import { ManagementKeys } from "../../services/people/access/ManagementKeys.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

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
