import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Grants } from "../../services/licensing/metering/Grants.ts"
import { Refunds } from "../../services/licensing/metering/Refunds.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

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
