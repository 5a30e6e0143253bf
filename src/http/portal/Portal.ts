import { Effect, Layer, Schema, Struct } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { Code, DomainError } from "../../domain/ground/wire/Errors.ts"
import { Email, NameOrClear } from "../../domain/ground/wire/Fields.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { Portal } from "../../services/portal/Portal.ts"
import type { PortalSession, PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { PortalAccounts, PortalTransfers } from "../../services/portal/PortalTransfers.ts"
import { PortalUsers } from "../../services/portal/PortalUsers.ts"
import { refusedWith } from "../ground/edge/Exchanges.ts"
import { staticAnswer, staticServices } from "../ground/edge/StaticAnswer.ts"
import { ownPage } from "../ground/middleware/OwnPages.ts"
import { ConsoleFiles, consoleTypes, escape, requestPhotoFile } from "../ground/pages/Markdown.ts"
import { formatsOf, newKeyPage, portalPage } from "./pages/PortalPages.ts"
import type { PortalNotice, PortalReader } from "./pages/PortalPages.ts"
import { purchaseWords } from "./pages/PurchaseWords.ts"
import { purchasesPage } from "./pages/SignInPages.ts"
import {
  customersPath,
  licenseActions,
  licensePath,
  linkPath,
  portalActions,
  portalPath,
  portalStylesPath,
  purchasesPath,
  requestPhotoPath,
  signInWords,
  transferPath
} from "./pages/SignInWords.ts"
import type { LicenseAction } from "./pages/SignInWords.ts"
import { deviceWords, transferWords } from "./pages/TransferWords.ts"
import type { TransferWords } from "./pages/TransferWords.ts"
import { personOf, usersPage } from "./pages/UserPages.ts"
import { userWords } from "./pages/UserWords.ts"
import type { UserWords } from "./pages/UserWords.ts"
import { makeOfflinePages } from "./PortalOffline.ts"
import { LinkForm, makePortalSignIns, secretInAddress } from "./PortalSignIns.ts"
import { makePortalVisits, parameter, shown, stylesShown } from "./PortalVisits.ts"
import { unsubscribeWords } from "./unsubscribe/UnsubscribePages.ts"

const InviteForm = Schema.Struct({ email: Email })

/** A refusal that is about people in their words; undefined for others. */
const textOf = (code: Code, words: UserWords): string | undefined => {
  switch (code) {
    case "CONFLICT":
      return words.taken
    case "NOT_FOUND":
      return words.unknown
    case "RATE_LIMITED":
      return words.tooMany
    case "STATE_CONFLICT":
      return words.changed
    case "USER_LIMIT_EXCEEDED":
      return words.full
    case "LICENSE_EXPIRED":
    case "LICENSE_INACTIVE":
    case "SELF_SERVICE_NOT_ALLOWED":
      return words.notAllowed
    case "SELF_SERVICE_LIMIT_EXCEEDED":
      return words.limitReached
    default:
      return undefined
  }
}

/** The page with the people who use a license, and what its customer does there. */
const makePortalUsers = Effect.gen(function*() {
  const users = yield* PortalUsers
  const { readerOf, refusedAt } = yield* makePortalVisits

  const usersShown = Effect.fnUntraced(function*(visitor: PortalVisitor, notice?: PortalNotice, status = 200) {
    const { reader } = yield* readerOf(visitor)
    return shown(usersPage(reader, yield* users.see(visitor, yield* parameter("cursor")), notice), status)
  })

  /** The refusal of a session by the key, which has nothing to see, on the page of the license. */
  const elsewhere = Effect.fnUntraced(function*(visitor: PortalVisitor, code: Code) {
    const words = userWords[(yield* readerOf(visitor)).reader.language]
    const isKey = code === "NOT_FOUND" && visitor.license !== undefined
    return yield* refusedAt(visitor, code, isKey ? () => words.onlyByLink : undefined)
  })

  /** A refusal is told on the page, unless there is none. */
  const refused = Effect.fnUntraced(function*(visitor: PortalVisitor, code: Code) {
    const text = textOf(code, userWords[(yield* readerOf(visitor)).reader.language])
    if (text === undefined) return yield* refusedAt(visitor, code)
    yield* refusedWith(code)
    return yield* usersShown(visitor, { kind: "alert", text }, catalog[code].status).pipe(
      Effect.catchTag("NOT_FOUND", () => elsewhere(visitor, code))
    )
  })

  const done = (
    change: (visitor: PortalVisitor, id: string) => ReturnType<typeof users.remove | typeof users.resend>,
    text: (words: UserWords) => (who: string) => string
  ) =>
  (visitor: PortalVisitor) =>
    Effect.gen(function*() {
      const { id = "" } = yield* HttpRouter.params
      const who = personOf(yield* change(visitor, id))
      const words = userWords[(yield* readerOf(visitor)).reader.language]
      return yield* usersShown(visitor, { kind: "status", text: text(words)(who) })
    }).pipe(Effect.catch(({ _tag }) => refused(visitor, _tag)))

  const inviteUser = (visitor: PortalVisitor) =>
    Effect.gen(function*() {
      const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(InviteForm))
      const { language } = (yield* readerOf(visitor)).reader
      if (form._tag === "None") {
        return yield* usersShown(visitor, { kind: "alert", text: signInWords[language].noEmail }, 422)
      }
      const { email = "" } = yield* users.invite(visitor, form.value.email)
      return yield* usersShown(visitor, { kind: "status", text: userWords[language].isInvited(email) })
    }).pipe(Effect.catch(({ _tag }) => refused(visitor, _tag)))

  return {
    usersOpened: (visitor: PortalVisitor) =>
      usersShown(visitor).pipe(Effect.catchTag("NOT_FOUND", ({ _tag }) => elsewhere(visitor, _tag))),
    inviteUser,
    resendInvitation: done(users.resend, ({ resent }) => resent),
    removeUser: done(users.remove, ({ removed }) => removed)
  }
})

/** An offer of a license, as the page shows it to whoever has the link. */
interface ShownOffer {
  readonly secret: string
  readonly owner: string
  readonly product: string
  readonly recipient: string
  readonly expiresAt: string
}

/** The page of an offer. Programs that look into mails open it, too: only its button accepts the license. */
const offerPage = (reader: PortalReader, offer: ShownOffer): string => {
  const words = transferWords[reader.language]
  return portalPage(reader, {
    title: words.offerTitle,
    isSignedIn: false,
    main: `<h1>${escape(words.offerTitle)}</h1>
<form class="card" method="post" action="${portalPath}${portalActions.acceptTransfer}">
<p>${escape(words.offerLead(offer.owner, offer.product, offer.recipient))}</p>
<p>${escape(words.offerEffect(formatsOf(reader.language).time(offer.expiresAt)))}</p>
<input type="hidden" name="token" value="${escape(offer.secret)}">
<p><button>${escape(words.accept)}</button></p>
</form>`
  })
}

const AddressForm = Schema.Struct({ email: Email })

/** Transfers of licenses: what their owners ask for, and the pages of the links by which others accept. */
const makePortalTransfers = Effect.gen(function*() {
  const transfers = yield* PortalTransfers
  const { publicUrl } = yield* Settings
  const { cookie, licenseShown, readerOf, refusedAt, signInShown } = yield* makePortalVisits

  const wordsOf = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const { reader } = yield* readerOf(visitor)
    return transferWords[reader.language]
  })

  const askTransfer = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(AddressForm))
    const words = yield* wordsOf(visitor)
    if (form._tag === "None") {
      const { reader } = yield* readerOf(visitor)
      return yield* licenseShown(visitor, { kind: "alert", text: signInWords[reader.language].noEmail }, 422)
    }
    const { email } = form.value
    const told = (text: (words: TransferWords) => string) => ({ _tag }: DomainError) =>
      refusedAt(visitor, _tag, () => text(words))
    return yield* transfers.ask(visitor, email).pipe(
      Effect.andThen(licenseShown(visitor, { kind: "status", text: words.asked(email) })),
      Effect.catchTags({
        STATE_CONFLICT: told(({ notAllowed, ownAddress }) =>
          email.toLowerCase() === visitor.email?.toLowerCase() ? ownAddress : notAllowed
        ),
        SELF_SERVICE_NOT_ALLOWED: told(({ notAllowed }) => notAllowed),
        LICENSE_INACTIVE: told(({ notAllowed }) => notAllowed)
      })
    )
  })

  const cancelTransfer = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const words = yield* wordsOf(visitor)
    return yield* transfers.cancel(visitor).pipe(
      Effect.andThen(licenseShown(visitor, { kind: "status", text: words.canceled })),
      Effect.catchTag("NOT_FOUND", ({ _tag }) => refusedAt(visitor, _tag, () => words.noOffer))
    )
  })

  /** The page of an offer that cannot be accepted: it says that it is over, whatever the reason. */
  const overShown = (failure: DomainError) =>
    Effect.gen(function*() {
      const { reader } = yield* readerOf()
      const told = { text: transferWords[reader.language].over, status: catalog.NOT_FOUND.status }
      const isOfRequest = failure._tag === "RATE_LIMITED" || failure._tag === "UNAUTHENTICATED"
      return yield* signInShown(failure, isOfRequest ? undefined : told, secretInAddress)
    })

  const showOffer = Effect.gen(function*() {
    const secret = (yield* parameter("token")) ?? ""
    const { expires_at, owner_email, product, recipient } = yield* transfers.look(secret)
    const { reader } = yield* readerOf()
    const offer = { secret, owner: owner_email ?? "", product, recipient, expiresAt: expires_at.toISOString() }
    return shown(offerPage(reader, offer), 200, secretInAddress)
  }).pipe(Effect.catch(overShown))

  const acceptTransfer = Effect.gen(function*() {
    yield* ownPage(publicUrl)
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(LinkForm))
    const { reader } = yield* readerOf()
    const secret = form._tag === "Some" ? form.value.token : ""
    const { licenseId, licenseKey, token } = yield* transfers.accept(secret, reader.language)
    const title = transferWords[reader.language].accepted
    return shown(newKeyPage(reader, { key: licenseKey, licenseId, title }), 200, cookie(token))
  }).pipe(Effect.catch(overShown))

  return { askTransfer, cancelTransfer, showOffer, acceptTransfer }
})

const NoticesForm = Schema.Struct({ notices: Schema.Literals(["on", "off"]) })

/** Pages about what is a customer's, and of no license. */
const makePortalAccounts = Effect.gen(function*() {
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

/** For how long a replaced key still works, in minutes, by what the form says. */
const overlaps = { now: 0, day: 24 * 60 } as const

const NameForm = Schema.Struct({ name: NameOrClear })

const KeyForm = Schema.Struct({ last4: Schema.String, old_key: Schema.Literals(["now", "day"]) })

/** The actions of customers, each by a form. */
const makeActions = Effect.gen(function*() {
  const portal = yield* Portal
  const { cookie, licenseShown, readerOf } = yield* makePortalVisits
  const { issueFile } = yield* makeOfflinePages
  const { askTransfer, cancelTransfer } = yield* makePortalTransfers
  const { inviteUser, removeUser, resendInvitation } = yield* makePortalUsers

  const releaseDevice = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const { id = "" } = yield* HttpRouter.params
    const { name } = yield* portal.release(visitor, id)
    const { words } = yield* readerOf(visitor)
    return yield* licenseShown(visitor, { kind: "status", text: words.released(name ?? words.unnamed) })
  })

  const changeKey = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(KeyForm))
    const { reader, words } = yield* readerOf(visitor)
    if (form._tag === "None") return yield* licenseShown(visitor, { kind: "alert", text: words.badRequest }, 422)
    const { last4, old_key } = form.value
    const { licenseKey, token } = yield* portal.changeKey(visitor, { last4, overlapMinutes: overlaps[old_key] })
    const page = newKeyPage(reader, { key: licenseKey, licenseId: visitor.licenseId })
    return shown(page, 200, token === undefined ? {} : cookie(token))
  })

  const renameDevice = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const { id = "" } = yield* HttpRouter.params
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(NameForm))
    const { reader } = yield* readerOf(visitor)
    const words = deviceWords[reader.language]
    if (form._tag === "None") return yield* licenseShown(visitor, { kind: "alert", text: words.wrongName }, 422)
    const name = form.value.name.trim()
    yield* portal.rename(visitor, id, name)
    return yield* licenseShown(visitor, { kind: "status", text: name === "" ? words.nameless : words.renamed(name) })
  })

  return {
    releaseDevice,
    renameDevice,
    changeKey,
    issueFile,
    askTransfer,
    cancelTransfer,
    inviteUser,
    resendInvitation,
    removeUser
  } satisfies Record<LicenseAction, unknown>
})

const routes = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const { atLicense, done: doneAt, homeShown, licenseOfPath, sessionOf, signInShown } = yield* makePortalVisits
  const { formOpened } = yield* makeOfflinePages
  const { usersOpened } = yield* makePortalUsers
  const actions = yield* makeActions
  const signIns = yield* makePortalSignIns
  const offers = yield* makePortalTransfers
  const { purchasesShown, setNotices } = yield* makePortalAccounts

  yield* router.add(
    "GET",
    portalPath,
    // A visit without a session is no refusal.
    Effect.flatMap(sessionOf, (session) => homeShown(session)).pipe(
      Effect.catchTags({
        UNAUTHENTICATED: () => signInShown(),
        LICENSE_KEY_INVALID: () => signInShown(),
        RATE_LIMITED: (failure) => signInShown(failure)
      })
    )
  )
  yield* router.add("GET", linkPath, signIns.shown.link)
  yield* router.add("GET", transferPath, offers.showOffer)
  yield* router.add("GET", customersPath, signIns.shown.customers)
  yield* router.add("GET", purchasesPath, purchasesShown)
  const done = { ...signIns.done, setNotices, acceptTransfer: offers.acceptTransfer }
  for (const name of Struct.keys(portalActions)) {
    yield* router.add("POST", `${portalPath}${portalActions[name]}`, done[name])
  }

  const ofLicense = licensePath(":license_id")
  yield* router.add("GET", ofLicense, licenseOfPath)
  for (
    const [path, opened] of [[licenseActions.issueFile, formOpened], [licenseActions.inviteUser, usersOpened]] as const
  ) {
    yield* router.add(
      "GET",
      `${ofLicense}${path}`,
      atLicense(opened).pipe(Effect.catch((failure) => signInShown(failure)))
    )
  }
  for (const name of Struct.keys(licenseActions)) {
    yield* router.add("POST", `${ofLicense}${licenseActions[name]}`, doneAt(actions[name]))
  }

  const { read, requestPhoto } = yield* ConsoleFiles
  if (requestPhoto) {
    const script = staticAnswer(yield* staticServices, read(requestPhotoFile), { contentType: consoleTypes["js"]! })
    yield* router.add("GET", requestPhotoPath, yield* script)
  }
  yield* router.add("GET", portalStylesPath, stylesShown(yield* ServiceSettings))
}))

/** The portal, where it is switched on: pages and forms without a script. */
export const layer = Layer.unwrap(Effect.map(Settings, ({ portal }) => portal === true ? routes : Layer.empty))
