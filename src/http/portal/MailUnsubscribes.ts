import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { NotFound, RateLimited } from "../../domain/ground/wire/Errors.ts"
import { unsubscribePath, unsubscribeStylesPath } from "../../domain/mail/Unsubscribe.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { MailUnsubscribes } from "../../services/mail/MailUnsubscribes.ts"
import type { NoticeRecipient } from "../../services/mail/MailUnsubscribes.ts"
import { makeMailPages, stylesShown } from "./PortalVisits.ts"
import { resumeMember, unsubscribePage } from "./unsubscribe/UnsubscribePages.ts"
import type { UnsubscribeView } from "./unsubscribe/UnsubscribePages.ts"

const ResumeForm = Schema.Struct({ [resumeMember]: Schema.String })

/**
 * Opting out of notices. Mail programs look at every link, so that a GET changes nothing. They post without a page, with a body of either
 * form (RFC 8058), and follow no redirect.
 */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const unsubscribes = yield* MailUnsubscribes
  const settings = yield* ServiceSettings

  // No form is judged by its origin.
  const { page, refused } = yield* makeMailPages<UnsubscribeView>({ write: unsubscribePage, referrer: "no-referrer" })

  const answered = (
    work: (token: string) => Effect.Effect<NoticeRecipient, NotFound | RateLimited>,
    again: "resumed" | "subscribed"
  ) =>
    Effect.gen(function*() {
      const { token = "" } = yield* HttpRouter.params
      const of = yield* work(token)
      return yield* page({ is: of.isSubscribed ? again : "stopped" }, 200, of.language)
    }).pipe(Effect.catch(refused))

  yield* router.add("GET", `${unsubscribePath}/:token`, answered(unsubscribes.look, "subscribed"))
  yield* router.add(
    "POST",
    `${unsubscribePath}/:token`,
    Effect.flatMap(
      Effect.option(HttpServerRequest.schemaBodyUrlParams(ResumeForm)),
      ({ _tag }) => answered(_tag === "Some" ? unsubscribes.optIn : unsubscribes.optOut, "resumed")
    )
  )
  yield* router.add("GET", unsubscribeStylesPath, stylesShown(settings))
}))
