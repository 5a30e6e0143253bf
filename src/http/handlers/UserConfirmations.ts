import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { rateLimitHeaders } from "../../domain/admission/RateLimit.ts"
import type { MailLanguage } from "../../domain/mail/MailLanguage.ts"
import { portalLanguage } from "../../domain/portal/PortalLanguage.ts"
import { catalog } from "../../domain/wire/Errors.ts"
import type { DomainError } from "../../domain/wire/Errors.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { ServiceSettings } from "../../services/settings/ServiceSettings.ts"
import { UserMailSignIns } from "../../services/users/UserMailSignIns.ts"
import { refusedWith } from "../edge/Exchanges.ts"
import { ownPage } from "../middleware/OwnPages.ts"
import { confirmingPage, confirmingPath } from "../pages/confirming/ConfirmingPage.ts"
import type { ConfirmingView } from "../pages/confirming/ConfirmingPage.ts"
import { parameter, shown } from "./PortalVisits.ts"

const LinkForm = Schema.Struct({ token: Schema.String.check(Schema.isMaxLength(100)) })

/** Confirming the sign-in of a user by the link in a mail. Mail programs look at every link, so that a GET changes nothing. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const signIns = yield* UserMailSignIns
  const settings = yield* ServiceSettings
  const { publicUrl } = yield* Settings

  const page = Effect.fnUntraced(
    function*(view: ConfirmingView, status = 200, of?: MailLanguage, more: Readonly<Record<string, string>> = {}) {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const language = portalLanguage(headers["accept-language"], of)
      // The address has a secret: others are told the host alone, by which the form is judged.
      const secret = { "referrer-policy": "strict-origin", ...more }
      return shown(confirmingPage({ language, brand: yield* settings.brand }, view), status, secret)
    }
  )

  const refused = (failure: DomainError) =>
    Effect.andThen(
      refusedWith(failure._tag),
      failure._tag === "RATE_LIMITED"
        ? page({ is: "refused", because: "tooMany" }, catalog.RATE_LIMITED.status, undefined, rateLimitHeaders(failure))
        : page({ is: "refused", because: "unknown" }, catalog[failure._tag].status)
    )

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
