import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { UserMailSignIns } from "../../services/licensing/users/UserMailSignIns.ts"
import { ownPage } from "../ground/middleware/OwnPages.ts"
import { confirmingPage, confirmingPath } from "./confirming/ConfirmingPage.ts"
import type { ConfirmingView } from "./confirming/ConfirmingPage.ts"
import { makeMailPages, parameter } from "./PortalVisits.ts"

const LinkForm = Schema.Struct({ token: Schema.String.check(Schema.isMaxLength(100)) })

/** Confirming the sign-in of a user by the link in a mail. Mail programs look at every link, so that a GET changes nothing. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const signIns = yield* UserMailSignIns
  const { publicUrl } = yield* Settings

  // The form is judged by the host that it comes from.
  const { page, refused } = yield* makeMailPages<ConfirmingView>({ write: confirmingPage, referrer: "strict-origin" })

  const look = Effect.gen(function*() {
    const secret = (yield* parameter("token")) ?? ""
    const { email, language, product, reference } = yield* signIns.look(secret)
    const view = { is: "waiting", secret, product, reference, email: email ?? "" } as const
    return yield* page(view, 200, language ?? undefined)
  }).pipe(Effect.catch(refused))

  const confirm = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(LinkForm))
    yield* signIns.confirm(form._tag === "Some" ? form.value.token : "")
    return yield* page({ is: "confirmed" })
  }).pipe(Effect.catch(refused))

  yield* router.add("GET", confirmingPath, look)
  yield* router.add("POST", confirmingPath, confirm)
}))
