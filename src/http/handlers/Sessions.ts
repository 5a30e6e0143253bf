import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { sessionCookie } from "../../domain/people/SessionCookie.ts"
import { Sessions } from "../../services/people/Sessions.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"
import { isSecure, ownPage } from "../middleware/OwnPages.ts"

const sessions = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function*(handlers) {
    const sessions = yield* Sessions
    return handlers.handleAll({
      listSessions: ({ query }) => page(sessions.list(pageOf(query))),
      endSession: ({ params }) => sessions.end(params.id)
    })
  })
)

const signIns = HttpApiBuilder.group(
  Api,
  "sign-ins",
  Effect.fn(function*(handlers) {
    const sessions = yield* Sessions
    const { publicUrl, sessionHours } = yield* Settings
    return handlers.handleAll({
      signIn: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const { session, token } = yield* sessions.open(payload.invitation, headers["user-agent"])
          return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(session)), {
            status: 201,
            headers: { "set-cookie": sessionCookie(token, isSecure(publicUrl), sessionHours * 3600) }
          })
        })
    })
  })
)

export const layer = Layer.mergeAll(sessions, signIns)
