import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SelfService } from "../../services/licensing/seats/SelfService.ts"
import type { Asker } from "../../services/licensing/seats/SelfService.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

const askerOf = (headers: { readonly "x-user-token"?: string }): Asker => ({ userToken: headers["x-user-token"] })

export const layer = HttpApiBuilder.group(
  Api,
  "self-service",
  Effect.fn(function*(handlers) {
    const selfService = yield* SelfService
    return handlers.handleAll({
      listOwnDevices: ({ headers, query }) =>
        page(
          Effect.flatMap(RuntimeCaller, (caller) =>
            selfService.list(caller, { by: askerOf(headers), thisId: query.device_id, page: pageOf(query) }))
        ),
      releaseOwnDevice: ({ headers, params }) =>
        one(Effect.flatMap(RuntimeCaller, (caller) => selfService.release(caller, params.device_id, askerOf(headers))))
    })
  })
)
