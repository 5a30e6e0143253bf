import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ReportedUses } from "../../services/metering/ReportedUses.ts"
import { one } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RowFindings } from "../api/Middleware.ts"

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
