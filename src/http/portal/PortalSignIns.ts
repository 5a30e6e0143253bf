import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitHeaders } from "../../domain/ground/admission/RateLimit.ts"
import { catalog, failing, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { DomainError } from "../../domain/ground/wire/Errors.ts"
import { Email } from "../../domain/ground/wire/Fields.ts"
import { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import { languageCookie } from "../../domain/portal/PortalLanguage.ts"
import { askingBrowserIn, askingCookie } from "../../domain/portal/PortalLink.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { holderActor } from "../../services/log/Provenance.ts"
import { PortalLinks } from "../../services/portal/PortalLinks.ts"
import { PortalSessions } from "../../services/portal/PortalSessions.ts"
import type { PortalSession } from "../../services/portal/PortalSessions.ts"
import { refusedWith } from "../ground/edge/Exchanges.ts"
import { formPageHeaders } from "../ground/edge/StaticAnswer.ts"
import { isSecure, ownPage } from "../ground/middleware/OwnPages.ts"
import { portalWords } from "./pages/PortalWords.ts"
import { customersPage, linkPage, sentPage } from "./pages/SignInPages.ts"
import { pageNamed, portalPath, signInWords } from "./pages/SignInWords.ts"
import { makePortalVisits, parameter, shown } from "./PortalVisits.ts"

const KeyForm = Schema.Struct({ license_key: Schema.String.check(Schema.isMaxLength(255)) })
const AddressForm = Schema.Struct({ email: Email })
const LanguageForm = Schema.Struct({ language: MailLanguage, to: Schema.String.check(Schema.isMaxLength(1_000)) })
const CodeForm = Schema.Struct({ code: Schema.String.check(Schema.isMaxLength(40)) })
/** The form of a page that a mail leads to. */
export const LinkForm = Schema.Struct({ token: Schema.String.check(Schema.isMaxLength(100)) })

/** The address of a link has its secret: of it a browser tells others no more than the host, itself included. */
export const secretInAddress = { "referrer-policy": "strict-origin" } as const

const seeOther = (headers: Readonly<Record<string, string>> = {}, page: string = portalPath) =>
  HttpServerResponse.redirect(page, { status: 303, headers: { ...formPageHeaders(), ...headers } })

/** The ways into the portal and out of it: by a license key, by a link, and by the code of a link. */
export const makePortalSignIns = Effect.gen(function*() {
  const links = yield* PortalLinks
  const sessions = yield* PortalSessions
  const { publicUrl } = yield* Settings
  const { atHome, cookie, readerOf, sessionOf, signInShown } = yield* makePortalVisits
  const secure = isSecure(publicUrl)

  const signIn = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(KeyForm))
    const token = yield* sessions.open(form._tag === "Some" ? form.value.license_key : "")
    return seeOther(cookie(token))
  }).pipe(Effect.catch((failure) => signInShown(failure)))

  const signOut = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    yield* sessions.end(yield* sessionOf)
    return seeOther(cookie())
  }).pipe(Effect.catch((failure) => signInShown(failure)))

  const askLink = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const { reader } = yield* readerOf()
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(AddressForm))
    if (form._tag === "None") {
      return yield* signInShown(undefined, { text: signInWords[reader.language].noEmail, status: 422 })
    }
    const browser = yield* links.ask(form.value.email)
    return shown(sentPage(reader), 200, { "set-cookie": askingCookie(browser, secure) })
  }).pipe(Effect.catch((failure) => signInShown(failure)))

  const enterCode = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(CodeForm))
    const code = form._tag === "Some" ? form.value.code : ""
    return seeOther(cookie(yield* links.spendCode(askingBrowserIn(headers["cookie"], secure), code)))
  }).pipe(Effect.catch((failure) =>
    Effect.gen(function*() {
      yield* refusedWith(failure._tag)
      const { reader } = yield* readerOf()
      const isLimited = failure._tag === "RATE_LIMITED"
      const text = isLimited ? portalWords[reader.language].tooMany : signInWords[reader.language].wrongCode
      return shown(
        sentPage(reader, { kind: "alert", text }),
        catalog[failure._tag].status,
        isLimited ? rateLimitHeaders(failure) : {}
      )
    })
  ))

  const overShown = (failure: DomainError) =>
    Effect.gen(function*() {
      const { reader } = yield* readerOf()
      const told = { text: signInWords[reader.language].linkOver, status: catalog.NOT_FOUND.status }
      return yield* signInShown(failure, failure._tag === "NOT_FOUND" ? told : undefined, secretInAddress)
    })

  const showLink = Effect.gen(function*() {
    const secret = (yield* parameter("token")) ?? ""
    const customers = yield* links.look(secret)
    const { reader } = yield* readerOf()
    const who = customers[0]?.email ?? customers.map(({ name }) => name).join(", ")
    return shown(linkPage(reader, { secret, who }), 200, secretInAddress)
  }).pipe(Effect.catch(overShown))

  const spendLink = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(LinkForm))
    return seeOther(cookie(yield* links.spend(form._tag === "Some" ? form.value.token : "")))
  }).pipe(Effect.catch(overShown))

  const widen = atHome(Effect.fnUntraced(function*({ email, license }: PortalSession) {
    if (email === undefined || license === undefined) {
      return yield* failing(StateConflict, "The session cannot have more licenses.")
    }
    const { reader } = yield* readerOf()
    const browser = yield* links.ask(email, holderActor(license.licenseId))
    return shown(sentPage(reader), 200, { "set-cookie": askingCookie(browser, secure) })
  }))

  const customersShown = (session: PortalSession) =>
    Effect.gen(function*() {
      const { reader } = yield* readerOf(session)
      return shown(customersPage(reader, yield* sessions.customers(session)))
    })

  const choose = atHome(Effect.fnUntraced(function*(session: PortalSession) {
    const { customer_id = "" } = yield* HttpRouter.params
    yield* sessions.choose(session, customer_id)
    return seeOther()
  }))

  const chooseLanguage = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(LanguageForm))
    if (form._tag === "None") return seeOther()
    const { language, to } = form.value
    return seeOther({ "set-cookie": languageCookie(language, secure) }, pageNamed(to))
  }).pipe(Effect.catch((failure) => signInShown(failure)))

  return {
    shown: {
      link: showLink,
      customers: Effect.flatMap(sessionOf, customersShown).pipe(Effect.catch((failure) => signInShown(failure)))
    },
    done: { signIn, signOut, askLink, enterCode, spendLink, widen, choose, chooseLanguage }
  }
})
