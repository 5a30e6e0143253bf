import { Context, Effect, Layer, Schema } from "effect"
import { failing, NotFound, SelfServiceNotAllowed, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, RateLimited } from "../../domain/ground/wire/Errors.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import type { Page } from "../../domain/ground/wire/Page.ts"
import type { Refusals } from "../../domain/licensing/entitlements/DecisionInput.ts"
import { licenseTransfer } from "../../domain/licensing/lifecycle/LicenseChange.ts"
import {
  formatTransferLink,
  PortalPurchase,
  portalPurchaseOf,
  transferHours
} from "../../domain/portal/PortalLanguage.ts"
import type { PortalTransfer } from "../../domain/portal/PortalLanguage.ts"
import type { PortalAccount } from "../../domain/portal/PortalView.ts"
import { readSelfService } from "../catalog/terms/FeatureTerms.ts"
import { Customers } from "../customers/Customers.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { sortedPage } from "../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Licenses } from "../licensing/licenses/Licenses.ts"
import { LicenseKeys, LicenseTransfers } from "../licensing/lifecycle/LicenseTransfers.ts"
import {
  deleteAcceptedRequest,
  deleteTransferRequest,
  findOfferedLicense,
  findTransferRequest,
  insertTransferRequest
} from "../licensing/lifecycle/TransferRequestSql.ts"
import type { OfferedLicense, OpenTransferRequest } from "../licensing/lifecycle/TransferRequestSql.ts"
import { SelfService } from "../licensing/seats/SelfService.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor, customerActor } from "../log/Provenance.ts"
import { MailQueue, makeMailPace } from "../mail/MailQueue.ts"
import { MailSuppressions } from "../mail/MailSuppressions.ts"
import { callingFrom } from "../people/RefusedSignIns.ts"
import { makeAddresses, PortalSessions, visitingActor } from "./PortalSessions.ts"
import type { PortalSession, PortalVisitor } from "./PortalSessions.ts"
import { areOwnPurchases, findOwnPurchase, listAddressees, listOwnPurchases } from "./PortalSql.ts"

const readListed = rowReader(Schema.Struct({ id: Schema.String, purchase: PortalPurchase }))

/** How many purchases are listed at once. */
const shownPurchases = 50

/** A session of a customer, and not of a license key. */
interface CustomerSession extends PortalSession {
  readonly customerId: string
}

const noAddress = failing(NotFound, "The customer has no address that notices go to.")

/** The purchases of customers, and the notices to their addresses: what is theirs, and of no license. */
export class PortalAccounts extends Context.Service<PortalAccounts, {
  /** The session, if it is of a customer: a license key opens no purchases and no settings of mails. */
  readonly of: (session: PortalSession) => Effect.Effect<CustomerSession, NotFound>
  readonly see: (session: CustomerSession) => Effect.Effect<PortalAccount>
  /** The purchases of the customer of which it is known what was bought, the newest first. */
  readonly purchases: (session: CustomerSession, cursor?: string) => Effect.Effect<Page<PortalPurchase>>
  /** Sends notices to the address of the customer, or stops them; repeating it changes nothing. */
  readonly setNotices: (session: CustomerSession, areSent: boolean) => Effect.Effect<void, NotFound>
}>()("countersign/services/portal/PortalAccounts") {
  static readonly layer = Layer.effect(
    PortalAccounts,
    Effect.gen(function*() {
      const sql = yield* Database
      const mails = yield* MailQueue
      const suppressions = yield* MailSuppressions

      const see = Effect.fn("PortalAccounts.see")(function*({ customerId, email }: CustomerSession) {
        const found = yield* findOwnPurchase(sql, customerId)
        return {
          hasPurchases: found.length > 0,
          notices: email === undefined || !mails.isConfigured
            ? undefined
            : { email, areSent: !(yield* suppressions.isOptedOut(suppressions.digestOf(email))) }
        }
      })

      const purchases = Effect.fn("PortalAccounts.purchases")(({ customerId }: CustomerSession, cursor?: string) => {
        const page = (from: string | undefined) =>
          sortedPage({
            sql,
            list: "own-purchases",
            products: "owned",
            filters: { customerId },
            page: { limit: shownPurchases, cursor: from },
            alias: "p.",
            conditions: areOwnPurchases(sql, customerId),
            rows: (clauses, limit) =>
              Effect.map(
                listOwnPurchases(sql, clauses, limit),
                (rows) => rows.map((row) => ({ id: row.id, place: row.place, purchase: portalPurchaseOf(row) }))
              ),
            read: (row) => readListed(row).purchase
          })
        return page(cursor).pipe(Effect.catchTag("INVALID_CURSOR", () => Effect.orDie(page(undefined))))
      })

      const setNotices = Effect.fn("PortalAccounts.setNotices")(
        function*(session: CustomerSession, areSent: boolean) {
          const { customerId, email } = session
          if (email === undefined || !mails.isConfigured) return yield* noAddress
          const digest = suppressions.digestOf(email)
          const change = areSent
            ? suppressions.optIn(digest)
            : suppressions.optOut({ digest, customerId, address: email })
          yield* Effect.provideService(change, CurrentActor, visitingActor(session, customerId))
        }
      )

      return PortalAccounts.of({
        of: (session) => {
          const { customerId, license } = session
          return license === undefined && customerId !== undefined
            ? Effect.succeed({ ...session, customerId })
            : Effect.fail(failing(NotFound, "The session is of a license, and not of a customer."))
        },
        see,
        purchases,
        setNotices
      })
    })
  )
}

/** A license that was accepted. */
export interface AcceptedLicense {
  readonly licenseId: string
  /** The new key, which is shown only now. */
  readonly licenseKey: string
  /** The secret of a session of the new owner. */
  readonly token: string
}

/** A visitor who proved the address of the owner: the holder of the license key alone gives nothing away. */
interface Owner extends PortalVisitor {
  readonly customerId: string
  readonly email: string
}

const notOffered = failing(SelfServiceNotAllowed, "The owner of the license may not transfer it.")
const noOwner = failing(NotFound, "The session is of a license, or of a customer without an address.")
const noOffer = failing(NotFound, "There is no open offer of the license.")
const suspended = failing(StateConflict, "A suspended license is transferred by the vendor alone.", {
  detail: "suspended"
})
const ownAddress = failing(StateConflict, "The license belongs to this address already.")
const over = failing(NotFound, "The link is unknown, was used, or is over.")

/** Transfers of licenses by their owners to another address: the owner asks, and the person who has the address accepts. */
export class PortalTransfers extends Context.Service<PortalTransfers, {
  /** The offer there is, or that one can be made; undefined where the visitor can do neither. */
  readonly see: (visitor: PortalVisitor) => Effect.Effect<PortalTransfer | undefined>
  /**
   * Offers the license to an address, by a mail with a link; in the place of an offer before. Whether a customer has the address
   * makes no difference.
   */
  readonly ask: (
    visitor: PortalVisitor,
    address: string
  ) => Effect.Effect<
    void,
    Refusals["devices"] | LicenseKeyInvalid | NotFound | RateLimited | StateConflict
  >
  /** Takes the offer back. */
  readonly cancel: (visitor: PortalVisitor) => Effect.Effect<void, NotFound>
  /** The offer of a link: it stays as it is. */
  readonly look: (secret: string) => Effect.Effect<OfferedLicense, NotFound | RateLimited>
  /**
   * Accepts an offer: the license is transferred to the customer with the address, who is created where there is none, its devices
   * are released and its key is replaced, all or nothing. A new customer gets mails in `language`.
   */
  readonly accept: (secret: string, language: MailLanguage) => Effect.Effect<
    AcceptedLicense,
    Refusals["devices"] | LicenseKeyInvalid | NotFound | RateLimited | StateConflict
  >
}>()("countersign/services/portal/PortalTransfers") {
  static readonly layer = Layer.effect(
    PortalTransfers,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const customers = yield* Customers
      const events = yield* Events
      const identifiers = yield* Identifiers
      const keys = yield* LicenseKeys
      const known = yield* KnownCredentials
      const licenses = yield* Licenses
      const pace = yield* makeMailPace
      const mails = yield* MailQueue
      const selfService = yield* SelfService
      const sessions = yield* PortalSessions
      const transfers = yield* LicenseTransfers
      const vault = yield* Vault
      const { publicUrl } = yield* Settings
      const addresses = makeAddresses(vault)
      const tokenHashOf = (secret: string) => vault.keyedHash("license-transfer", secret)

      const ownerOf = ({ customerId, email, license, ...visitor }: PortalVisitor): Owner | undefined =>
        license === undefined && customerId !== undefined && email !== undefined
          ? { ...visitor, license, customerId, email }
          : undefined

      /** Whether an offer was made from the address that its owner has now: whoever had another one has no say in it any more. */
      const isOfAddress = (
        { address_hash }: OpenTransferRequest,
        { customerId, email }: { readonly customerId: string; readonly email: string | null }
      ) => address_hash === null || addresses.isOf({ id: customerId, email }, address_hash)

      const openOf = (owner: Owner) =>
        Effect.map(
          findTransferRequest(sql, owner.customerId, owner.licenseId),
          ([open]) => open !== undefined && isOfAddress(open, owner) ? open : undefined
        )

      const see = Effect.fn("PortalTransfers.see")(function*(visitor: PortalVisitor) {
        const owner = ownerOf(visitor)
        if (owner === undefined) return undefined
        const open = yield* openOf(owner)
        if (open !== undefined) return { recipient: open.recipient, expires_at: open.expires_at.toISOString() }
        if (!mails.isConfigured) return undefined
        const found = yield* readSelfService(sql, [owner.licenseId])
        return found.get(owner.licenseId)?.mayTransfer === true ? {} : undefined
      })

      /** Holds the license, and refuses what its terms, its state or its transfers so far do not allow. */
      const held = Effect.fnUntraced(function*(of: Pick<PortalVisitor, "keyHash" | "licenseId">) {
        const { selfService: { mayTransfer }, snapshot: { license_id } } = yield* selfService.hold(of)
        if (!mayTransfer) return yield* notOffered
        const license = yield* Effect.orDie(licenses.hold(license_id))
        if (license.license.status === "suspended") return yield* suspended
        // Nobody has this id: whoever accepts is another than the owner.
        yield* Effect.fromResult(licenseTransfer(license, { customer_id: "another", reset_devices: true }))
      })

      const ask = Effect.fn("PortalTransfers.ask")(function*(visitor: PortalVisitor, address: string) {
        const owner = ownerOf(visitor)
        if (owner === undefined) return yield* noOwner
        if (!mails.isConfigured) return yield* notOffered
        const { customerId, email, licenseId } = owner
        if (address.toLowerCase() === email.toLowerCase()) return yield* ownAddress
        // A mail to a stranger: neither one customer nor one address has many. Links to sign in are counted apart.
        yield* pace.by("portal_links", `transfer of ${customerId}`)
        yield* pace.to("portal_links", address, "transfer to")
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            yield* held(owner)
            const secret = formatTransferLink(crypto.randomBytes(32))
            const tokenHash = tokenHashOf(secret)
            const [row] = yield* insertTransferRequest(sql, {
              licenseId,
              customerId,
              recipient: address,
              tokenHash,
              keyHash: owner.keyHash,
              addressHash: addresses.hashOfAddress(email),
              hours: transferHours
            })
            const expires_at = row!.expires_at.toISOString()
            const eventId = identifiers.next("evt")
            yield* events.append({
              id: eventId,
              type: "license.transfer_requested",
              resourceId: licenseId,
              data: { license_id: licenseId, expires_at }
            })
            yield* mails.transfer({
              eventId,
              licenseId,
              tokenHash,
              url: `${publicUrl}/portal/transfer?token=${secret}`,
              details: { owner_email: email, answer_by: expires_at }
            })
          })
        ).pipe(Effect.provideService(CurrentActor, visitingActor(visitor, licenseId)))
      })

      const cancel = Effect.fn("PortalTransfers.cancel")(function*(visitor: PortalVisitor) {
        const owner = ownerOf(visitor)
        if (owner === undefined) return yield* noOwner
        const { licenseId } = owner
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            if ((yield* openOf(owner)) === undefined || (yield* deleteTransferRequest(sql, licenseId)).length === 0) {
              return yield* noOffer
            }
            yield* events.append({
              type: "license.transfer_canceled",
              resourceId: licenseId,
              data: { license_id: licenseId }
            })
          })
        ).pipe(Effect.provideService(CurrentActor, visitingActor(visitor, licenseId)))
      })

      /** Tries a secret: failures of one network are limited, as those of other credentials are. */
      const offered = Effect.fnUntraced(function*(hash: Uint8Array) {
        const find = Effect.map(
          findOfferedLicense(sql, hash),
          ([offer]) =>
            offer !== undefined && isOfAddress(offer, { customerId: offer.customer_id, email: offer.owner_email })
              ? offer
              : undefined
        )
        return (yield* known.signIns.attempt(hash, yield* callingFrom, find)) ?? (yield* over)
      })

      /** The customer with the address, the first of several, or a new one. */
      const recipientOf = Effect.fnUntraced(function*(email: string, language: MailLanguage) {
        const found = yield* customers.findOrCreate({ name: email, email, language })
        if (found !== undefined) return found
        const [first] = yield* listAddressees(sql, email)
        return first!.id
      })

      const accepted = Effect.fnUntraced(function*(hash: Uint8Array, offer: OfferedLicense, language: MailLanguage) {
        const { license_id, recipient } = offer
        yield* held({ licenseId: license_id, keyHash: offer.key_hash })
        // Under the lock of the license, so that it is still offered, and by nobody else's request.
        if ((yield* deleteAcceptedRequest(sql, hash)).length === 0) return yield* over
        const customer_id = yield* recipientOf(recipient, language)
        return yield* Effect.gen(function*() {
          yield* transfers.transfer(license_id, { customer_id, reset_devices: true })
          const { license_key } = yield* keys.rotate(license_id, { overlap_minutes: 0 })
          const addressHash = addresses.hashOf({ id: customer_id, email: recipient })
          const token = yield* sessions.openForCustomers([customer_id], addressHash)
          return { licenseId: license_id, licenseKey: license_key, token }
        }).pipe(
          Effect.catchTag("NOT_FOUND", Effect.die),
          Effect.provideService(CurrentActor, customerActor(customer_id, license_id))
        )
      })

      const accept = Effect.fn("PortalTransfers.accept")(function*(secret: string, language: MailLanguage) {
        const hash = tokenHashOf(secret)
        const offer = yield* offered(hash)
        return yield* inTransaction(sql, accepted(hash, offer, language))
      })

      return PortalTransfers.of({ see, ask, cancel, look: (secret) => offered(tokenHashOf(secret)), accept })
    })
  )
}
