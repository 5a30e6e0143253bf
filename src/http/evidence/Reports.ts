import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { pageLimit } from "../../domain/ground/wire/Page.ts"
import { Overviews } from "../../services/evidence/reports/Overviews.ts"
import { Reports } from "../../services/evidence/reports/Reports.ts"
import { one, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fn(function*(handlers) {
    const reports = yield* Reports
    const overviews = yield* Overviews
    return handlers.handleAll({
      getOverview: ({ query }) => one(overviews.read(query)),
      getUsageSummary: ({ query }) => one(reports.usage(query)),
      listUsageLedger: ({ query: { cursor: _cursor, limit: _limit, ...filters }, query }) =>
        writtenPage(reports.ledger(filters, pageOf(query))),
      getLicenseAudit: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("license-audit", filters, limit)),
      getCustomerSummary: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("customer-summary", filters, limit)),
      getSubscriptionSettlement: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("subscription-settlement", filters, limit)),
      getPurchasesReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.purchases(filters, limit)),
      getLicensesReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.licenses(filters, limit)),
      getAdoptionReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.adoption(filters, limit)),
      getStatement: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("statement", filters, limit))
    })
  })
)
