import { Context, Effect, Layer, Queue, Schedule } from "effect"
import type { PortalLink, PortalLinkCreate } from "../../domain/customers/PortalLink.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import { coversScope } from "../../domain/keys/security/ScopeRule.ts"
import { mailDeclarations } from "../../domain/mail/templates/MailTemplates.ts"
import {
  formatAskingBrowser,
  formatPortalCode,
  formatPortalLink,
  linkMinutes,
  linkWaitMinutes,
  mostTries,
  readPortalCode
} from "../../domain/portal/PortalLink.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { Identifiers } from "../ground/persistence/Identifiers.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { supervised } from "../ground/platform/Supervised.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor, RequestOrigin } from "../log/Provenance.ts"
import type { Actor, Opener, Origin } from "../log/Provenance.ts"
import { MailQueue, makeMailPace } from "../mail/MailQueue.ts"
import { MailSuppressions } from "../mail/MailSuppressions.ts"
import { invitingIn, openerBy } from "../people/PersonActor.ts"
import { callingFrom, chargeSignIn } from "../people/RefusedSignIns.ts"
import { makeAddresses, PortalSessions } from "./PortalSessions.ts"
import {
  deletePortalLink,
  findPortalLink,
  insertPortalLink,
  listAddressees,
  listLinkedCustomers,
  updateTried
} from "./PortalSql.ts"
import type { LinkedCustomer, LinkedRow } from "./PortalSql.ts"

/** How many links that were asked for wait for their customers to be looked up. More are dropped: whoever asked asks again. */
const mostAsked = 1_000

/** A link that was asked for on a page. */
interface AskedLink {
  readonly address: string
  readonly browser: string
  readonly actor: Actor
  readonly origin: Origin
}

/** The customers of a link, and how it reaches them. */
interface LinkTarget {
  readonly customers: readonly [LinkedCustomer, ...ReadonlyArray<LinkedCustomer>]
  /** The secret of the browser that asked. */
  readonly browser: string | undefined
  readonly delivery: PortalLink["delivery"]
  /** The maker, where that is not the customer. */
  readonly opener?: Pick<Opener, "id" | "type"> | undefined
}

/** The keyed hashes by which the secrets of links are known. A code is hashed with its browser. */
const makeLinkHashes = ({ keyedHash }: Vault["Service"]) => ({
  tokenHashOf: (secret: string) => keyedHash("portal-link", secret),
  browserHashOf: (browser: string) => keyedHash("portal-link-browser", browser),
  codeHashOf: (browser: string, code: string) => keyedHash("portal-link-code", `${browser} ${code}`)
})

const unknownLink = failing(NotFound, "The link is unknown, was used, or is over.")

/** Links by which customers sign in to the portal, each once. */
export class PortalLinks extends Context.Service<PortalLinks, {
  /** Whether customers may ask for links: the portal and mails are on. */
  readonly isOffered: boolean
  /**
   * Asks for a link to an address; answers the secret of the browser that asks. Whether a customer has the address is looked up
   * afterwards, so that neither the answer nor its time tells it.
   */
  readonly ask: (address: string, actor?: Actor) => Effect.Effect<string, RateLimited | StateConflict>
  /** Makes a link to a customer, in the name of the current actor. */
  readonly create: (
    customerId: string,
    input: PortalLinkCreate
  ) => Effect.Effect<PortalLink, NotFound | RateLimited | StateConflict | TokenScopeDenied>
  /** The customers that a link is for: it stays as it is. */
  readonly look: (secret: string) => Effect.Effect<ReadonlyArray<LinkedCustomer>, NotFound | RateLimited>
  /** Spends a link; answers the secret of the session. */
  readonly spend: (secret: string) => Effect.Effect<string, NotFound | RateLimited>
  /** Spends a link by its code, in the browser that asked for it. */
  readonly spendCode: (browser: string | undefined, code: string) => Effect.Effect<string, NotFound | RateLimited>
}>()("countersign/services/portal/PortalLinks") {
  static readonly layer = Layer.effect(
    PortalLinks,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const events = yield* Events
      const identifiers = yield* Identifiers
      const known = yield* KnownCredentials
      const limits = yield* RateLimits
      const pace = yield* makeMailPace
      const mails = yield* MailQueue
      const suppressions = yield* MailSuppressions
      const sessions = yield* PortalSessions
      const vault = yield* Vault
      const { portal, publicUrl } = yield* Settings
      const addresses = makeAddresses(vault)
      const isOffered = portal === true && environment === "live" && mails.isConfigured

      const { browserHashOf, codeHashOf, tokenHashOf } = makeLinkHashes(vault)

      /** Makes a link, in the surrounding transaction. */
      const make = Effect.fnUntraced(function*({ browser, customers, delivery, opener }: LinkTarget) {
        const [first] = customers
        const secret = formatPortalLink(crypto.randomBytes(32))
        const code = browser === undefined ? undefined : formatPortalCode(crypto.randomBytes(5))
        const tokenHash = tokenHashOf(secret)
        const [row] = yield* insertPortalLink(sql, {
          addressHash: addresses.hashOf(first),
          tokenHash,
          browserHash: browser === undefined ? null : browserHashOf(browser),
          codeHash: browser === undefined || code === undefined ? null : codeHashOf(browser, code),
          customerIds: customers.map(({ id }) => id),
          minutes: linkMinutes,
          waitMinutes: delivery === "mail" ? linkWaitMinutes : 0,
          opener
        })
        const expires_at = row!.expires_at.toISOString()
        const made = customers.map(({ id }) => ({ id: identifiers.next("evt"), customerId: id }))
        yield* events.appendAll(made.map(({ customerId, id }) => ({
          id,
          type: "customer.portal_link_created",
          resourceId: customerId,
          data: { customer_id: customerId, delivery, expires_at }
        })))
        const url = `${publicUrl}/portal/link?token=${secret}`
        if (delivery === "mail") {
          yield* mails.portalLink({
            eventId: made[0]!.id,
            customerId: first.id,
            tokenHash,
            url,
            ...(code === undefined ? {} : { code })
          })
        }
        return { url, expires_at }
      })

      const asked = yield* Queue.dropping<AskedLink>(mostAsked)
      const answerAsked = Effect.fnUntraced(function*({ actor, address, browser, origin }: AskedLink) {
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const [first, ...others] = yield* listAddressees(sql, address)
            if (first !== undefined) yield* make({ customers: [first, ...others], browser, delivery: "mail" })
          })
        ).pipe(Effect.provideService(CurrentActor, actor), Effect.provideService(RequestOrigin, origin))
      })

      yield* Effect.forkScoped(
        supervised("Making links into the portal", Effect.flatMap(Queue.take(asked), answerAsked), Schedule.forever)
      )

      const ask = Effect.fn("PortalLinks.ask")(function*(address: string, actor?: Actor) {
        if (!isOffered) return yield* failing(StateConflict, "Links into the portal are not offered: mails are off.")
        if (actor === undefined) yield* chargeSignIn(limits)
        yield* pace.to("portal_links", address)
        const browser = formatAskingBrowser(crypto.randomBytes(32))
        yield* Queue.offer(asked, {
          address,
          browser,
          actor: actor ?? (yield* CurrentActor),
          origin: yield* RequestOrigin
        })
        return browser
      })

      const create = Effect.fn("PortalLinks.create")(function*(customerId: string, input: PortalLinkCreate) {
        const { delivery = "mail" } = input
        if (environment !== "live") return yield* failing(StateConflict, "The portal is of the live environment.")
        if (portal !== true) {
          return yield* failing(StateConflict, "The portal is off: COUNTERSIGN_PORTAL switches it on.")
        }
        const actor = yield* CurrentActor
        const opener = openerBy(actor)
        if (delivery === "response" && !coversScope(actor.scopes, "license:write")) {
          return yield* failing(TokenScopeDenied, "A link in the response needs the scope license:write.")
        }
        if (delivery === "mail" && !mails.isConfigured) {
          return yield* failing(StateConflict, "Mails are off: GET /api/v1/settings/mail says what sets them.")
        }
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const [customer] = yield* listLinkedCustomers(sql, [customerId])
            if (customer === undefined) return yield* failing(NotFound, "No customer has this id.")
            if (delivery === "response") {
              const { expires_at, url } = yield* make({ customers: [customer], browser: undefined, delivery, opener })
              return { customer_id: customer.id, delivery, url, expires_at }
            }
            if (customer.email === null) return yield* failing(StateConflict, "The customer has no email address.")
            yield* suppressions.refuse(customer.email, mailDeclarations.portal_link.isNotice)
            yield* pace.to("portal_links", customer.email)
            const { expires_at } = yield* make({ customers: [customer], browser: undefined, delivery, opener })
            return { customer_id: customer.id, delivery, recipient: customer.email, expires_at }
          })
        )
      })

      /** The customers of a link who still have the address that it was sent to. */
      const customersOf = Effect.fnUntraced(function*({ address_hash, customer_ids }: LinkedRow) {
        const found = yield* listLinkedCustomers(sql, customer_ids)
        return found.filter((customer) => addresses.isOf(customer, address_hash))
      })

      /** Tries a secret: failures of one network are limited, as those of other credentials are. */
      const tried = Effect.fnUntraced(function*<A, E>(hash: Uint8Array, find: Effect.Effect<A | undefined, E>) {
        return (yield* known.signIns.attempt(hash, yield* callingFrom, find)) ?? (yield* unknownLink)
      })

      const look = Effect.fn("PortalLinks.look")(function*(secret: string) {
        const hash = tokenHashOf(secret)
        const link = yield* tried(hash, Effect.map(findPortalLink(sql, hash), ([row]) => row))
        const customers = yield* customersOf(link)
        return customers.length === 0 ? yield* unknownLink : customers
      })

      /** Ends a link and opens a session of its customers, or does neither. */
      const opened = (tokenHash: Uint8Array) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [link] = yield* deletePortalLink(sql, tokenHash)
            if (link === undefined) return undefined
            const customers = yield* customersOf(link)
            if (customers.length === 0) return undefined
            return yield* sessions.openForCustomers(
              customers.map(({ id }) => id),
              link.address_hash,
              invitingIn(link)
            )
          })
        )

      const spend = Effect.fn("PortalLinks.spend")(function*(secret: string) {
        const hash = tokenHashOf(secret)
        return yield* tried(hash, opened(hash))
      })

      const spendCode = Effect.fn("PortalLinks.spendCode")(function*(browser: string | undefined, code: string) {
        const given = browser ?? ""
        const codeHash = codeHashOf(given, readPortalCode(code))
        const browserHash = browserHashOf(given)
        // A try counts whatever comes of it, so it is a transaction of its own.
        const tokenOf = Effect.map(
          updateTried(sql, { browserHash, codeHash, most: mostTries }),
          ([row]) => row?.is_right === true ? row.token_hash : undefined
        )
        return yield* tried(
          codeHash,
          Effect.flatMap(tokenOf, (hash) => hash === undefined ? Effect.undefined : opened(hash))
        )
      })

      return PortalLinks.of({ isOffered, ask, create, look, spend, spendCode })
    })
  )
}
