import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Grants } from "../../services/metering/Grants.ts"
import { Refunds } from "../../services/metering/Refunds.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "license-grants",
  Effect.fn(function*(handlers) {
    const grants = yield* Grants
    const refunds = yield* Refunds
    return handlers.handleAll({
      listLicenseGrants: ({ params, query }) => page(grants.list(params.id, query, pageOf(query))),
      createLicenseGrant: ({ params, payload }) => one(grants.give(params.id, payload)),
      getLicenseGrant: ({ params }) => one(grants.get(params.id, params.grant_id)),
      refundLicenseUsage: ({ params, payload }) => one(refunds.refund(params.id, payload)),
      revokeLicenseGrant: ({ params }) => one(grants.revoke(params.id, params.grant_id))
    })
  })
)
