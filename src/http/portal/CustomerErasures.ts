import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { DryRun } from "../../api/ground/Middleware.ts"
import { CustomerErasure } from "../../domain/customers/CustomerErasure.ts"
import { CustomerErasures } from "../../services/portal/privacy/CustomerErasures.ts"
import { makeInSteps, one } from "../ground/edge/Reply.ts"

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
