import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { UserSignIns } from "../../services/licensing/users/UserSignIns.ts"
import { signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"
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
