import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Receipts } from "../../services/evidence/receipts/Receipts.ts"
import { signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "receipts",
  Effect.fn(function*(handlers) {
    const receipts = yield* Receipts
    return handlers.handleAll({
      getUsageReceipt: ({ headers, query }) =>
        signed(
          Effect.flatMap(RuntimeCaller, (caller) =>
            receipts.find(caller, {
              eventId: query.event_id,
              featureCode: query.feature_code,
              userToken: headers["x-user-token"],
              nonce: headers["x-nonce"]
            }))
        )
    })
  })
)
