import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { DomainError } from "../../domain/ground/wire/Errors.ts"
import { Email } from "../../domain/ground/wire/Fields.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import type { PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { PortalTransfers } from "../../services/portal/PortalTransfers.ts"
import { ownPage } from "../ground/middleware/OwnPages.ts"
import { newKeyPage } from "./pages/PortalPages.ts"
import { signInWords } from "./pages/SignInWords.ts"
import { offerPage } from "./pages/TransferPages.ts"
import { transferWords } from "./pages/TransferWords.ts"
import type { TransferWords } from "./pages/TransferWords.ts"
import { LinkForm, secretInAddress } from "./PortalSignIns.ts"
import { makePortalVisits, parameter, shown } from "./PortalVisits.ts"

const AddressForm = Schema.Struct({ email: Email })

/** Transfers of licenses: what their owners ask for, and the pages of the links by which others accept. */
export const makePortalTransfers = Effect.gen(function*() {
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
