import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { UserSignIns } from "../../services/users/UserSignIns.ts"
import { signed } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { RuntimeCaller } from "../api/Middleware.ts"
import { question } from "./Runtime.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "user-sign-ins",
  Effect.fn(function*(handlers) {
    const signIns = yield* UserSignIns
    return handlers.handleAll({
      getUserIssuer: ({ headers }) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.findIssuer(caller, headers["x-nonce"]))),
      beginUserMailSignIn: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.beginByMail(caller, question(request)))),
      signInLicenseUser: (request) =>
        signed(Effect.flatMap(RuntimeCaller, (caller) => signIns.signIn(caller, question(request))))
    })
  })
)
