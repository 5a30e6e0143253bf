import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CustomerErasure } from "../../domain/commerce/CustomerErasure.ts"
import { CustomerErasures } from "../../services/privacy/CustomerErasures.ts"
import { makeInSteps } from "../answers/InSteps.ts"
import { one } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { DryRun } from "../api/Middleware.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customer-erasures",
  Effect.fn(function*(handlers) {
    const erasures = yield* CustomerErasures
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      eraseCustomer: Effect.fnUntraced(function*({ params }) {
        return (yield* DryRun)
          ? yield* one(erasures.rehearse(params.id))
          : yield* inSteps(200, CustomerErasure, erasures.erase(params.id))
      })
    })
  })
)
