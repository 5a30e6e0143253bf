import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CustomerErasure } from "../../domain/CustomerErasure.ts"
import { CustomerErasures } from "../../services/CustomerErasures.ts"
import { Api } from "../api/Api.ts"
import { makeInSteps } from "../InSteps.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customer-erasures",
  Effect.fn(function*(handlers) {
    const erasures = yield* CustomerErasures
    const inSteps = yield* makeInSteps
    return handlers.handleAll({
      eraseCustomer: ({ params }) => inSteps(200, CustomerErasure, erasures.erase(params.id))
    })
  })
)
