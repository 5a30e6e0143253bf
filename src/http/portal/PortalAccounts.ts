import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { PortalAccounts } from "../../services/portal/PortalAccounts.ts"
import type { PortalSession } from "../../services/portal/PortalSessions.ts"
import { purchasesPage } from "./pages/AccountPages.ts"
import { purchaseWords } from "./pages/PurchaseWords.ts"
import { unsubscribeWords } from "./unsubscribe/UnsubscribeWords.ts"
import { makePortalVisits, parameter, shown } from "./PortalVisits.ts"

const NoticesForm = Schema.Struct({ notices: Schema.Literals(["on", "off"]) })

/** Pages about what is a customer's, and of no license. */
export const makePortalAccounts = Effect.gen(function*() {
  const accounts = yield* PortalAccounts
  const { atHome, homeShown, readerOf, refusedAtHome, sessionOf, signInShown } = yield* makePortalVisits

  const purchasesOf = Effect.fnUntraced(function*(session: PortalSession) {
    const customer = yield* Effect.option(accounts.of(session))
    const { reader } = yield* readerOf(session)
    if (customer._tag === "None") {
      return yield* refusedAtHome(session, "NOT_FOUND", () => purchaseWords[reader.language].onlyByLink)
    }
    const { items, page_info } = yield* accounts.purchases(customer.value, yield* parameter("cursor"))
    return shown(purchasesPage(reader, { purchases: items, next: page_info.next_cursor }))
  })

  const setNotices = atHome(Effect.fnUntraced(function*(session: PortalSession) {
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(NoticesForm))
    const { reader, words } = yield* readerOf(session)
    if (form._tag === "None") return yield* homeShown(session, { kind: "alert", text: words.badRequest }, 422)
    const customer = yield* Effect.option(accounts.of(session))
    if (customer._tag === "None") {
      return yield* refusedAtHome(session, "NOT_FOUND", () => purchaseWords[reader.language].onlyByLink)
    }
    const areSent = form.value.notices === "on"
    yield* accounts.setNotices(customer.value, areSent)
    const { resumed, stopped } = unsubscribeWords[reader.language]
    return yield* homeShown(session, { kind: "status", text: areSent ? resumed : stopped })
  }))

  return {
    purchasesShown: Effect.flatMap(sessionOf, purchasesOf).pipe(Effect.catch((failure) => signInShown(failure))),
    setNotices
  }
})
