import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { MailSubject } from "../../domain/ground/admission/RateLimit.ts"
import type { MailLimit } from "../../domain/ground/admission/RateLimit.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import type { MailDetails, MailKind, MailSettings } from "../../domain/mail/Mail.ts"
import { mailboxOf, writeLinkSecret } from "../../domain/mail/PortalLinkSecret.ts"
import type { PortalLinkSecret } from "../../domain/mail/PortalLinkSecret.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Announcements } from "../ground/agenda/Announcements.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, requireTransaction } from "../ground/persistence/Database.ts"
import type { Query } from "../ground/persistence/Database.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { insertContinuedMail, insertCustomerMail, insertTransferMail, insertUserMail } from "./CustomerMailSql.ts"
import type { Continued, NewUserMail } from "./CustomerMailSql.ts"
import { isPortalOn } from "./MailSettings.ts"
import { countMails, insertMails } from "./MailSql.ts"
import type { NewMail } from "./MailSql.ts"

/** How many mails are asked for: to a mailbox, which is counted by a keyed hash of it, and by somebody. */
export interface MailPace {
  /** Charges a mail to the mailbox of an address, however it is written; those `of` something, as a license, are counted apart. */
  readonly to: (name: MailLimit, email: string, of?: string) => Effect.Effect<void, RateLimited>
  /** Charges a mail to who has it sent. */
  readonly by: (name: MailLimit, sender: string) => Effect.Effect<void, RateLimited>
}

/** Makes the one place that charges mails to addresses. */
export const makeMailPace: Effect.Effect<MailPace, never, RateLimits | Vault> = Effect.gen(function*() {
  const limits = yield* RateLimits
  const vault = yield* Vault
  const hashOf = (email: string) => Hex.encode(vault.keyedHash("mailbox", mailboxOf(email)))
  return {
    to: (name, email, of = "mailbox") => limits.request(name, MailSubject(`${of} ${hashOf(email)}`)),
    by: (name, sender) => limits.request(name, MailSubject(`by ${sender}`))
  }
})

/** The purpose under which the key in a mail is sealed: in the row of another event it does not open. */
export const mailPurpose = (eventId: string) => `mail:${eventId}` as const

/** A license that got a key in the surrounding transaction. */
export interface KeyedLicense {
  /** The event of it. */
  readonly eventId: string
  readonly kind: MailKind
  readonly licenseId: string
  readonly licenseKey: string
  readonly keyHash: Uint8Array
}

/** Something that happened to a license, and that its owner may be told by a mail without a key. */
export type MailNotice = Omit<NewMail, "secret" | "keyHash">

/** A link into the portal that was made in the surrounding transaction. */
export interface PortalLinkMail extends PortalLinkSecret {
  /** The event of it. */
  readonly eventId: string
  readonly customerId: string
  readonly tokenHash: Uint8Array
}

/** An offer of a license that was made in the surrounding transaction. */
export interface TransferMail extends PortalLinkSecret {
  /** The event of it. */
  readonly eventId: string
  readonly licenseId: string
  readonly tokenHash: Uint8Array
  readonly details: MailDetails
}

/** A mail to a user of a license, with its secrets. */
export type UserMail = Omit<NewUserMail, "secret"> & { readonly secrets?: PortalLinkSecret }

/** Mails to the owners of licenses that wait to be sent: a row in the transaction of the event that each is about. */
export class MailQueue extends Context.Service<MailQueue, {
  /** Whether mails are sent at all: where none are, none is queued. */
  readonly isConfigured: boolean
  /** Queues the mail with a new key of a license, if its policy names the kind, and if there is an address. */
  readonly newKey: (license: KeyedLicense) => Effect.Effect<void>
  /** Queues mails without a key, by the same rules, in one statement. */
  readonly notify: (notices: ReadonlyArray<MailNotice>) => Effect.Effect<void>
  /** Queues the mail with a link into the portal, if the customer has an address. */
  readonly portalLink: (link: PortalLinkMail) => Effect.Effect<void>
  /** Queues the mail that offers a license to the address of the request for its transfer. */
  readonly transfer: (offer: TransferMail) => Effect.Effect<void>
  /** Queues the mail about a license that continues in the place of a new one, if the key of that one was mailed. */
  readonly continued: (license: Continued) => Effect.Effect<void>
  /** Queues a mail to a user of a license, if it was asked for or the policy names the kind, and if there is an address. */
  readonly toUser: (mail: UserMail) => Effect.Effect<void>
  readonly settings: Effect.Effect<MailSettings>
}>()("countersign/services/mail/MailQueue") {
  static readonly layer = Layer.effect(
    MailQueue,
    Effect.gen(function*() {
      const sql = yield* Database
      const vault = yield* Vault
      const environment = yield* CurrentEnvironment
      const service = yield* Settings
      const { mail } = service
      const announcements = yield* Announcements

      /** Queues mails in the surrounding transaction, and announces them after it; nothing where none are sent. */
      const queue = Effect.fnUntraced(
        function*(what: string, insert: (onlyTo: ReadonlyArray<string> | undefined) => Query<object> | undefined) {
          if (mail === undefined) return
          yield* requireTransaction(sql, `MailQueue.${what}`)
          const queued = insert(mail.onlyTo)
          if (queued !== undefined && (yield* queued).length > 0) {
            yield* sql.afterCommit(Effect.andThen(announcements.announce("mails"), announcements.announce("notices")))
          }
        }
      )

      const sealed = (eventId: string, text: string) => vault.seal(mailPurpose(eventId), new TextEncoder().encode(text))

      const newKey = ({ licenseKey, ...license }: KeyedLicense) =>
        queue(
          "newKey",
          (onlyTo) => insertMails(sql, [{ ...license, secret: sealed(license.eventId, licenseKey) }], onlyTo)
        )

      const notify = (notices: ReadonlyArray<MailNotice>) =>
        queue("notify", (onlyTo) => notices.length === 0 ? undefined : insertMails(sql, notices, onlyTo))

      const portalLink = Effect.fn("MailQueue.portalLink")(
        ({ customerId, eventId, tokenHash, ...secret }: PortalLinkMail) =>
          queue("portalLink", (onlyTo) =>
            insertCustomerMail(sql, {
              eventId,
              kind: "portal_link",
              customerId,
              secret: sealed(eventId, writeLinkSecret(secret)),
              secretHash: tokenHash
            }, onlyTo))
      )

      const transfer = Effect.fn("MailQueue.transfer")(
        ({ details, eventId, licenseId, tokenHash, ...secret }: TransferMail) =>
          queue("transfer", (onlyTo) =>
            insertTransferMail(sql, {
              eventId,
              licenseId,
              secret: sealed(eventId, writeLinkSecret(secret)),
              secretHash: tokenHash,
              details
            }, onlyTo))
      )

      const continued = Effect.fn("MailQueue.continued")((license: Continued) =>
        queue("continued", (onlyTo) => insertContinuedMail(sql, license, onlyTo))
      )

      const toUser = Effect.fn("MailQueue.toUser")(({ secrets, ...of }: UserMail) =>
        queue("toUser", (onlyTo) => {
          const secret = secrets === undefined ? {} : { secret: sealed(of.eventId, writeLinkSecret(secrets)) }
          return insertUserMail(sql, { ...of, ...secret }, onlyTo)
        })
      )

      const settings = Effect.map(countMails(sql), ([row]): MailSettings => ({
        is_configured: mail !== undefined,
        is_portal_on: isPortalOn(service, environment),
        ...(mail === undefined ? {} : {
          from: mail.from.name === "" ? mail.from.address : `${mail.from.name} <${mail.from.address}>`
        }),
        ...(mail?.onlyTo === undefined ? {} : { only_to: mail.onlyTo }),
        queued: Number(row!.queued),
        ...(row!.oldest_queued_at === null ? {} : { oldest_queued_at: row!.oldest_queued_at.toISOString() }),
        ...(row!.last_reply === null ? {} : { last_reply: row!.last_reply }),
        ...(row!.refused === 0n
          ? {}
          : { refused: { queued: Number(row!.refused), last_reply: row!.refused_reply ?? "" } })
      }))

      return MailQueue.of({
        isConfigured: mail !== undefined,
        newKey,
        notify,
        portalLink,
        transfer,
        continued,
        toUser,
        settings
      })
    })
  )
}
