import { Effect, Layer, Schema, Struct } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NameOrClear } from "../../domain/ground/wire/Fields.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { Portal } from "../../services/portal/Portal.ts"
import type { PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { ServiceSettings } from "../../services/keys/settings/ServiceSettings.ts"
import { staticAnswer, staticServices } from "../ground/edge/StaticAnswer.ts"
import { consoleTypes } from "../ground/pages/Console.ts"
import { ConsoleFiles, requestPhotoFile } from "../ground/pages/ConsoleFiles.ts"
import { deviceWords } from "./pages/DeviceWords.ts"
import { newKeyPage } from "./pages/PortalPages.ts"
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
  transferPath
} from "./pages/PortalPaths.ts"
import type { LicenseAction } from "./pages/PortalPaths.ts"
import { makePortalAccounts } from "./PortalAccounts.ts"
import { makeOfflinePages } from "./PortalOffline.ts"
import { makePortalSignIns } from "./PortalSignIns.ts"
import { makePortalTransfers } from "./PortalTransfers.ts"
import { makePortalUsers } from "./PortalUsers.ts"
import { makePortalVisits, shown, stylesShown } from "./PortalVisits.ts"

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
