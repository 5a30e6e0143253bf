import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { sessionCookie } from "../../domain/people/SessionCookie.ts"
import { flowCookie } from "../../domain/people/SignInFlow.ts"
import { IdentitySignIns } from "../../services/people/IdentitySignIns.ts"
import { Sessions } from "../../services/people/Sessions.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"
import { isSecure, ownPage } from "../middleware/OwnPages.ts"
import { layer as returns } from "./SignInPages.ts"

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
    const identitySignIns = yield* IdentitySignIns
    return handlers.handleAll({
      getSignInWays: () => one(Effect.succeed(identitySignIns.ways)),
      beginSignIn: ({ payload }) =>
        Effect.gen(function*() {
          yield* ownPage(publicUrl)
          const { expiresAt, flow, url } = yield* identitySignIns.begin(payload)
          const started = { authorization_url: url, expires_at: expiresAt.toISOString() }
          return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(started)), {
            status: 201,
            headers: { "set-cookie": flowCookie(flow, isSecure(publicUrl)) }
          })
        }),
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

export const layer = Layer.mergeAll(sessions, signIns, returns)
