import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ReportedUses } from "../../services/licensing/metering/ReportedUses.ts"
import { one } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RowFindings } from "../../api/ground/Middleware.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fn(function*(handlers) {
    const uses = yield* ReportedUses
    return handlers.handleAll({
      reportUsage: ({ payload }) => one(Effect.flatMap(RowFindings, (lost) => uses.report(payload, lost)))
    })
  })
)
