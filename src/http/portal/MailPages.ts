import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { rateLimitHeaders } from "../../domain/ground/admission/RateLimit.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import { languageIn, portalLanguage } from "../../domain/portal/PortalLanguage.ts"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { DomainError } from "../../domain/ground/wire/Errors.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { refusedWith } from "../ground/edge/Exchanges.ts"
import { isSecure } from "../ground/middleware/OwnPages.ts"
import type { MailPageReader } from "./unsubscribe/UnsubscribePages.ts"
import { shown } from "./PortalVisits.ts"

/** The refusals of every page that a mail leads to: the link leads nowhere, or there were too many attempts. */
export interface RefusedView {
  readonly is: "refused"
  readonly because: "unknown" | "tooMany"
}

/** How a page that a mail leads to is written, and whom its address, which has a secret, is told. */
interface MailPage<View> {
  readonly write: (reader: MailPageReader, view: View | RefusedView) => string
  readonly referrer: "no-referrer" | "strict-origin"
}

/** Answers with a page that a mail leads to, in the brand and in the language of the reader, and with its refusals. */
export const makeMailPages = Effect.fnUntraced(function*<View>({ referrer, write }: MailPage<View>) {
  const settings = yield* ServiceSettings
  const secure = isSecure((yield* Settings).publicUrl)

  const page = Effect.fnUntraced(
    function*(
      view: View | RefusedView,
      status = 200,
      of?: MailLanguage,
      more: Readonly<Record<string, string>> = {}
    ) {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const language = portalLanguage({
        accepted: headers["accept-language"],
        chosen: languageIn(headers["cookie"], secure),
        ofCustomer: of
      })
      return shown(write({ language, brand: yield* settings.brand }, view), status, {
        "referrer-policy": referrer,
        ...more
      })
    }
  )

  const refused = (failure: DomainError) =>
    Effect.andThen(
      refusedWith(failure._tag),
      failure._tag === "RATE_LIMITED"
        ? page({ is: "refused", because: "tooMany" }, catalog.RATE_LIMITED.status, undefined, rateLimitHeaders(failure))
        : page({ is: "refused", because: "unknown" }, catalog[failure._tag].status)
    )

  return { page, refused }
})
