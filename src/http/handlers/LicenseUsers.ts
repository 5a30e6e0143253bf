import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LicenseUsers } from "../../services/licenses/LicenseUsers.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "license-users",
  Effect.fn(function*(handlers) {
    const users = yield* LicenseUsers
    return handlers.handleAll({
      listLicenseUsers: ({ params, query: { q, status, ...query } }) =>
        page(users.list(params.id, { q, status }, pageOf(query))),
      inviteLicenseUser: ({ params, payload }) => one(users.invite(params.id, payload)),
      getLicenseUser: ({ params }) => one(users.get(params.id, params.user_id)),
      removeLicenseUser: ({ params }) => one(users.remove(params.id, params.user_id))
    })
  })
)
