import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitHeaders } from "../../domain/ground/admission/RateLimit.ts"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { Code, DomainError } from "../../domain/ground/wire/Errors.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { Brand } from "../../domain/keys/settings/ServiceSettings.ts"
import { languageIn, portalLanguage } from "../../domain/portal/PortalLanguage.ts"
import { portalCookie, portalTokenIn } from "../../domain/portal/PortalUser.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { isUnasked } from "../../services/log/Provenance.ts"
import { Portal } from "../../services/portal/Portal.ts"
import { PortalLinks } from "../../services/portal/PortalLinks.ts"
import { PortalSessions } from "../../services/portal/PortalSessions.ts"
import type { PortalSession, PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { PortalAccounts, PortalTransfers } from "../../services/portal/PortalTransfers.ts"
import { notePrincipal, refusedWith } from "../ground/edge/Exchanges.ts"
import { formPageHeaders } from "../ground/edge/StaticAnswer.ts"
import { isSecure, ownPage } from "../ground/middleware/OwnPages.ts"
import { licensePage } from "./pages/PortalPages.ts"
import type { PortalNotice, PortalReader } from "./pages/PortalPages.ts"
import { portalWords } from "./pages/PortalWords.ts"
import type { PortalWords } from "./pages/PortalWords.ts"
import { customersPage, licensesPage, signInPage } from "./pages/SignInPages.ts"
import { pageAt } from "./pages/SignInWords.ts"
import type { MailPageReader } from "./unsubscribe/UnsubscribePages.ts"

const rules = `* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; border-top: 4px solid var(--accent); background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
header, main, footer { max-width: 40rem; margin: 0 auto; padding: 1rem }
header { display: flex; gap: .75rem; align-items: center; justify-content: space-between }
header p { display: flex; gap: .75rem; align-items: center; margin: 0; font-weight: 650 }
header form, li form { margin: 0; flex: none }
header img { max-height: 2.5rem; max-width: 8rem }
footer { padding-bottom: 4rem }
.languages { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center }
.languages .plain { border: 0; margin: 0; padding: 0; font-weight: inherit; text-decoration: underline }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.125rem; line-height: 1.3; margin: 0 0 .5rem }
p, ul, table, form, fieldset { margin: 0 0 1rem }
section, .card { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 0 0 1rem }
section > :last-child, .card > :last-child { margin-bottom: 0 }
ul { list-style: none; padding: 0 }
li { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding: .6rem 0; border-top: 1px solid var(--line) }
ul:first-child > li:first-child { border-top: 0; padding-top: 0 }
ul:last-child > li:last-child { padding-bottom: 0 }
li.whole { display: block }
.line { display: flex; gap: .75rem; align-items: center; justify-content: space-between }
.wraps { align-items: flex-start; flex-wrap: wrap }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .25rem 0 0 }
.links a, summary { display: inline-block; padding: .35rem 0 }
summary { color: var(--link); cursor: pointer; text-decoration: underline }
details p { margin: 0 0 .5rem; font-size: .875rem }
li span { display: block }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); font-weight: inherit }
thead th { border-top: 0; color: var(--quiet) }
fieldset { border: 0; padding: 0 }
legend { padding: 0; font-weight: 600 }
label { display: block; padding: .35rem 0 }
label.name { font-weight: 600 }
input[type=text], input[type=email], select, textarea { display: block; resize: vertical; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--ground); color: inherit; font-family: inherit; font-size: 1rem; line-height: 1.5 }
input[name=license_key], input[name=code], textarea, .key { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
::file-selector-button { min-height: 2.75rem; margin: 0 .75rem 0 0; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; background: none;
  color: var(--link); font: inherit; font-weight: 600; cursor: pointer }
input[type=file] { display: block; max-width: 100%; min-height: 2.75rem; font: inherit; color: inherit }
input[type=radio] { width: 1.15rem; height: 1.15rem; margin: 0 .5rem 0 0; vertical-align: -.2rem; accent-color: var(--link) }
button { min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; background: var(--link); color: var(--on);
  font: inherit; font-weight: 600; cursor: pointer }
button.plain { background: none; color: var(--link) }
button + button { margin-top: .5rem } button:not(:last-child) { margin-right: .5rem }
a.button { display: inline-block; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; font-weight: 600;
  text-decoration: none }
.qr { display: block; width: 100%; max-width: 30rem; margin: 0 0 1rem }
.quiet { color: var(--quiet); font-size: .9375rem }
.key { user-select: all }
[role=status], [role=alert] { border-left: 4px solid var(--link); padding: .5rem .75rem; background: var(--raised) }
[role=alert] { border-color: var(--bad); color: var(--bad) }
`

/**
 * The stylesheet: made for a phone first, light or dark as the reader's system is, every text above a contrast of 4.5 to what it
 * stands on (WCAG 2.2, 1.4.3). The color of the brand is a line above the page, which no text stands on. Fields have at least 16
 * pixels, because phones zoom into smaller ones.
 */
const portalStyles = (accent: Brand["accent"]): string =>
  `:root {
  color-scheme: light dark; --accent: ${accent ?? "var(--link)"};
  --ground: #f5f6f8; --raised: #ffffff; --line: #d9dde3; --edge: #79828e; --text: #1b1f24; --quiet: #57606a; --link: #0b57b8; --on: #ffffff;
  --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --raised: #181d24; --line: #303842; --edge: #7d8894; --text: #e4e8ed; --quiet: #9aa5b1; --link: #7db4ff; --on: #0f1318;
    --bad: #ff9d94;
  }
}
${rules}`

type Headers = Readonly<Record<string, string>>

/** Work that answers a customer. */
type Work<Who, R> = (who: Who) => Effect.Effect<HttpServerResponse.HttpServerResponse, DomainError, R>

/** A page as a response. */
export const shown = (html: string, status = 200, headers: Headers = {}) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...formPageHeaders(), ...headers }
  })

/** The stylesheet of pages that are written for customers, in the color of the brand. */
export const stylesShown = ({ brand }: ServiceSettings["Service"]) =>
  Effect.map(brand, (of) =>
    HttpServerResponse.text(portalStyles(of?.accent), {
      contentType: "text/css; charset=utf-8",
      headers: { "cache-control": "public, max-age=60" }
    }))

/** A refusal, in the words of the reader. What is not named here, a customer could do nothing about. */
const textOf = (code: Code, words: PortalWords): string => {
  switch (code) {
    case "LICENSE_KEY_INVALID":
      return words.unknownKey
    case "RATE_LIMITED":
      return words.tooMany
    case "NOT_FOUND":
      return words.unknownDevice
    case "SELF_SERVICE_LIMIT_EXCEEDED":
      return words.limitReached
    case "ACTIVATION_LIMIT_EXCEEDED":
      return words.seatsTaken
    case "VALIDATION_ERROR":
      return words.wrongKey
    case "STATE_CONFLICT":
      return words.changedMeanwhile
    case "APPROVAL_REQUIRED":
      return words.openedByVendor
    case "DEVICE_BLACKLISTED":
    case "LICENSE_EXPIRED":
    case "OFFLINE_NOT_ALLOWED":
    case "LICENSE_INACTIVE":
    case "SELF_SERVICE_NOT_ALLOWED":
      return words.notAllowed
    default:
      return words.badRequest
  }
}

/** The value of a query parameter of the current request. */
export const parameter = (name: string) =>
  Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ url }) => new URLSearchParams(url.slice(url.indexOf("?") + 1)).get(name) ?? undefined
  )

/** Words and a status in the place of those of a refusal. */
interface ToldRefusal {
  readonly text: string
  readonly status: number
}

/** Pages of the portal: for whom each is, in whose words. */
const makePortalPages = Effect.gen(function*() {
  const portal = yield* Portal
  const links = yield* PortalLinks
  const sessions = yield* PortalSessions
  const transfers = yield* PortalTransfers
  const settings = yield* ServiceSettings
  const { publicUrl, sessionHours } = yield* Settings
  const secure = isSecure(publicUrl)
  /** The cookie of a session; of an ended one without a secret. */
  const cookie = (token?: string) => ({
    "set-cookie": portalCookie(token ?? "", secure, token === undefined ? 0 : sessionHours * 3600)
  })

  const readerOf = Effect.fnUntraced(function*(session?: PortalSession) {
    const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
    const reader: PortalReader = {
      at: pageAt(method, url),
      language: portalLanguage({
        accepted: headers["accept-language"],
        chosen: languageIn(headers["cookie"], secure),
        ofCustomer: session?.language
      }),
      brand: yield* settings.brand
    }
    return { reader, words: portalWords[reader.language] }
  })

  /** The page on which a customer signs in, with why it is shown. */
  const signInShown = Effect.fnUntraced(function*(failure?: DomainError, told?: ToldRefusal, more: Headers = {}) {
    const { reader, words } = yield* readerOf()
    const { isOffered } = links
    if (failure !== undefined) yield* refusedWith(failure._tag)
    const shownOf = told ??
      (failure === undefined ? undefined : { text: textOf(failure._tag, words), status: catalog[failure._tag].status })
    if (shownOf === undefined) return shown(signInPage(reader, isOffered), 200, more)
    const notice: PortalNotice = { kind: "alert", text: shownOf.text }
    const limits = failure?._tag === "RATE_LIMITED" ? rateLimitHeaders(failure) : {}
    return shown(signInPage(reader, isOffered, notice), shownOf.status, { ...limits, ...more })
  })

  const sessionOf = Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const session = yield* sessions.authorize(portalTokenIn(headers["cookie"], secure))
    const id = session.license?.licenseId ?? session.customerId
    if (id !== undefined) yield* notePrincipal({ kind: session.license === undefined ? "customer" : "license", id })
    return session
  })

  /** The page of a license, with what was done or why it was not. */
  const licenseShown = Effect.fnUntraced(function*(visitor: PortalVisitor, notice?: PortalNotice, status = 200) {
    const { reader } = yield* readerOf(visitor)
    const view = yield* portal.see(visitor, yield* parameter("cursor"))
    const others = visitor.license === undefined
      ? "signed-in"
      : links.isOffered && visitor.email !== undefined
      ? "offered"
      : "none"
    const transfer = yield* transfers.see(visitor)
    return shown(licensePage(reader, view, { notice, others, transfer }), status)
  })

  /** A refusal, on the page of the license, unless on another one. */
  const refusedAt = (
    visitor: PortalVisitor,
    code: Code,
    text: (words: PortalWords) => string = (words) => textOf(code, words),
    page: typeof licenseShown = licenseShown
  ) =>
    Effect.gen(function*() {
      yield* refusedWith(code)
      const { words } = yield* readerOf(visitor)
      return yield* page(visitor, { kind: "alert", text: text(words) }, catalog[code].status)
    })

  return { cookie, readerOf, signInShown, sessionOf, licenseShown, refusedAt }
})

/** Visits of the portal: whose they are, and the pages that answer them. */
export const makePortalVisits = Effect.gen(function*() {
  const portal = yield* Portal
  const accounts = yield* PortalAccounts
  const sessions = yield* PortalSessions
  const { publicUrl } = yield* Settings
  const pages = yield* makePortalPages
  const { licenseShown, readerOf, refusedAt, sessionOf, signInShown } = pages

  /** The first page of a session: the license of its key, all of its customer, or the customers it may be of. */
  const homeShown = Effect.fnUntraced(function*(session: PortalSession, notice?: PortalNotice, status = 200) {
    const { customerId, customerIds, license } = session
    if (license !== undefined) return yield* licenseShown({ ...session, ...license }, notice, status)
    const { reader } = yield* readerOf(session)
    if (customerId === undefined) {
      const customers = yield* sessions.customers(session)
      return customers.length === 0 ? yield* signInShown() : shown(customersPage(reader, customers, notice), status)
    }
    const { licenses, next } = yield* portal.licenses(customerId, yield* parameter("cursor"))
    const account = yield* accounts.see({ ...session, customerId })
    const listed = { licenses, next, hasOthers: customerIds.length > 1, account }
    return shown(licensesPage(reader, listed, notice), status)
  })

  /** A refusal, on the first page of the session. */
  const refusedAtHome = Effect.fnUntraced(function*(
    session: PortalSession,
    code: Code,
    text: (words: PortalWords) => string = (words) => textOf(code, words)
  ) {
    yield* refusedWith(code)
    const { words } = yield* readerOf(session)
    return yield* homeShown(session, { kind: "alert", text: text(words) }, catalog[code].status)
  })

  /**
   * Work at the license that the path names: one that is not of the session is not found. Whoever signed in by an address
   * stays signed in where the license changed its key or its owner meanwhile.
   */
  const atLicense = <R>(work: Work<PortalVisitor, R>) =>
    Effect.gen(function*() {
      const session = yield* sessionOf
      const { license_id = "" } = yield* HttpRouter.params
      const gone = refusedAtHome(session, "NOT_FOUND", ({ unknownLicense }) => unknownLicense)
      const visitor = yield* Effect.option(sessions.at(session, license_id))
      if (visitor._tag === "None") return yield* gone
      const worked = work(visitor.value).pipe(
        Effect.catchDefect((defect) => isUnasked(defect) ? refusedAt(visitor.value, defect._tag) : Effect.die(defect))
      )
      if (session.license !== undefined) return yield* worked
      return yield* worked.pipe(
        Effect.catchTag("LICENSE_KEY_INVALID", () =>
          sessions.at(session, license_id).pipe(
            Effect.matchEffect({ onSuccess: (again) => refusedAt(again, "STATE_CONFLICT"), onFailure: () => gone })
          ))
      )
    })

  /** The page of the license that the path names. */
  const licenseOfPath = atLicense((visitor) => licenseShown(visitor)).pipe(
    Effect.catch((failure) => signInShown(failure))
  )

  /** An action of a customer on the license that the path names: a refusal is told on the page of the license. */
  const done = <R>(work: Work<PortalVisitor, R>) =>
    Effect.andThen(
      ownPage(publicUrl),
      atLicense((visitor) => work(visitor).pipe(Effect.catch(({ _tag }) => refusedAt(visitor, _tag))))
    ).pipe(Effect.catch((failure) => signInShown(failure)))

  /** An action of a customer on no license: a refusal is told on the first page of the session. */
  const atHome = <R>(work: Work<PortalSession, R>) =>
    Effect.andThen(
      ownPage(publicUrl),
      Effect.flatMap(
        sessionOf,
        (session) => work(session).pipe(Effect.catch(({ _tag }) => refusedAtHome(session, _tag)))
      )
    ).pipe(Effect.catch((failure) => signInShown(failure)))

  return { ...pages, homeShown, refusedAtHome, licenseOfPath, atLicense, done, atHome }
})

/** The refusals of every page that a mail leads to: the link leads nowhere, or there were too many attempts. */
interface RefusedView {
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
