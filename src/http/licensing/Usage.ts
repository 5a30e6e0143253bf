import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { RowFindings } from "../../api/ground/Middleware.ts"
import { pageOf } from "../../api/ground/Parameters.ts"
import { Balances } from "../../services/licensing/metering/Balances.ts"
import { Grants } from "../../services/licensing/metering/Grants.ts"
import { Pools } from "../../services/licensing/metering/Pools.ts"
import { Refunds } from "../../services/licensing/metering/Refunds.ts"
import { ReportedUses } from "../../services/licensing/metering/ReportedUses.ts"
import { one, page } from "../ground/edge/Reply.ts"

export const poolsLayer = HttpApiBuilder.group(
  Api,
  "customer-pools",
  Effect.fn(function*(handlers) {
    const balances = yield* Balances
    const pools = yield* Pools
    return handlers.handleAll({
      listCustomerBalances: ({ params, query }) => page(balances.list(params.id, query, pageOf(query))),
      listCustomerPools: ({ params, query }) => page(pools.list(params.id, pageOf(query))),
      createCustomerPool: ({ params, payload }) => one(pools.give(params.id, payload)),
      getCustomerPool: ({ params }) => one(pools.get(params.id, params.pool_id)),
      revokeCustomerPool: ({ params }) => one(pools.revoke(params.id, params.pool_id))
    })
  })
)

export const grantsLayer = HttpApiBuilder.group(
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

export const usageLayer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function*(handlers) {
    const uses = yield* ReportedUses
    return handlers.handleAll({
      reportUsage: ({ payload }) => one(Effect.flatMap(RowFindings, (lost) => uses.report(payload, lost)))
    })
  })
)
