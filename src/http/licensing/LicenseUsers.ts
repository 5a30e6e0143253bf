import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { LicenseUserErasure } from "../../domain/licensing/users/LicenseUserErasure.ts"
import { LicenseUsers } from "../../services/licensing/licenses/LicenseUsers.ts"
import { UserErasures } from "../../services/portal/privacy/UserErasures.ts"
import { makeInSteps } from "../ground/edge/InSteps.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "license-users",
  Effect.fn(function*(handlers) {
    const users = yield* LicenseUsers
    const erasures = yield* UserErasures
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      listLicenseUsers: ({ params, query: { q, status, ...query } }) =>
        page(users.list(params.id, { q, status }, pageOf(query))),
      inviteLicenseUser: ({ params, payload }) => one(users.invite(params.id, payload)),
      getLicenseUser: ({ params }) => one(users.get(params.id, params.user_id)),
      removeLicenseUser: ({ params }) => one(users.remove(params.id, params.user_id)),
      eraseLicenseUser: ({ params }) => inSteps(200, LicenseUserErasure, erasures.erase(params.id, params.user_id))
    })
  })
)
