import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SelfService } from "../../services/seats/SelfService.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "self-service",
  Effect.fn(function*(handlers) {
    const selfService = yield* SelfService
    return handlers.handleAll({
      listOwnDevices: ({ query }) =>
        page(
          Effect.flatMap(RuntimeCaller, (caller) => selfService.list(caller, query.device_id, pageOf(query)))
        ),
      releaseOwnDevice: ({ params }) =>
        one(Effect.flatMap(RuntimeCaller, (caller) => selfService.release(caller, params.device_id)))
    })
  })
)
