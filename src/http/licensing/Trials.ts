import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Trials } from "../../services/licensing/seats/Trials.ts"
import { signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { PublishableCaller } from "../../api/ground/Middleware.ts"
import { aboutBindings, question } from "./Runtime.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "trials",
  Effect.fn(function*(handlers) {
    const trials = yield* Trials
    const warningsAbout = yield* aboutBindings
    return handlers.handleAll({
      openTrial: Effect.fnUntraced(function*(request) {
        const { address, key } = yield* PublishableCaller
        const trial = question(request)
        const { answer, isNew } = yield* trials.open({ key, address, request: trial })
        return HttpServerResponse.setStatus(
          yield* signed(Effect.succeed(answer), warningsAbout(trial)),
          isNew ? 201 : 200
        )
      })
    })
  })
)
