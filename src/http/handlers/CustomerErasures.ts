import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CustomerErasures } from "../../services/CustomerErasures.ts"
import { Api } from "../api/Api.ts"
import { one } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customer-erasures",
  Effect.fn(function*(handlers) {
    const erasures = yield* CustomerErasures
    return handlers.handleAll({ eraseCustomer: ({ params }) => one(erasures.erase(params.id)) })
  })
)
