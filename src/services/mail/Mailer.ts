import { Array as Arr, Context, Effect, Layer, Metric, Schedule } from "effect"
import type { MailFailure, MailKind } from "../../domain/mail/Mail.ts"
import {
  claimedAgainSeconds,
  isMailboxRefused,
  outcomeOf,
  restAfter,
  shownReply,
  triedHours
} from "../../domain/mail/MailFault.ts"
import type { MailAnswer } from "../../domain/mail/MailFault.ts"
import { failureOf, MailSuppressionReason } from "../../domain/mail/MailSuppression.ts"
import { readLinkSecret } from "../../domain/mail/PortalLinkSecret.ts"
import type { MailValues } from "../../domain/mail/templates/MailDeclaration.ts"
import { detailValues, mailDeclarations, mailOf, sessionsOf } from "../../domain/mail/templates/MailTemplates.ts"
import type { MailLane } from "../../domain/mail/templates/MailTemplates.ts"
import { linkMinutes } from "../../domain/portal/PortalLink.ts"
import { Agenda } from "../ground/agenda/Agenda.ts"
import type { Topic } from "../ground/agenda/Announcements.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { fromStart, fromStartBy } from "../ground/platform/SeriesFromStart.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { supervised, toItsEnd } from "../ground/platform/Supervised.ts"
import { Vault } from "../keys/security/Vault.ts"
import { Events } from "../log/Events.ts"
import type { NewEvent } from "../log/Events.ts"
import { updateLinkMailed } from "./CustomerMailSql.ts"
import { mailPurpose } from "./MailQueue.ts"
import { mailBrand, mailWays } from "./MailSettings.ts"
import {
  claimMail,
  countMails,
  deleteMail,
  lockMailOwner,
  mailsDue,
  updateClaimed,
  updatePostponed
} from "./MailSql.ts"
import type { ClaimedMail } from "./MailSql.ts"
import { MailSuppressions } from "./MailSuppressions.ts"
import { MailTransport } from "./MailTransport.ts"
import { MailUnsubscribes } from "./MailUnsubscribes.ts"

/** How often what waits is counted. */
const countEvery = Schedule.spaced("30 seconds")

const outcomes = fromStartBy(
  ["sent", "failed", "postponed", "suppressed"],
  (outcome) =>
    Metric.counter("countersign_mail_attempts_total", {
      description:
        "Attempts to send a mail: sent, failed without another attempt, postponed, or not made because the address is suppressed.",
      attributes: { outcome },
      incremental: true
    })
)

const queuedMails = fromStart(
  Metric.gauge("countersign_mails_queued", { description: "Mails that were not sent yet." })
)

const refusedMails = fromStart(
  Metric.gauge("countersign_mails_refused", {
    description: "Mails that wait because the mail server refuses you, and not a mailbox."
  })
)

const oldestMail = fromStart(
  Metric.gauge("countersign_mail_oldest_queued_seconds", {
    description: "How long the oldest of these mails has waited."
  })
)

const suppressed: ReadonlySet<string> = new Set(MailSuppressionReason.literals.map((reason) => failureOf[reason]))

/** How an attempt is counted: of a mail that is tried again, or that ended for a reason, or was sent. */
const countedAs = (reason: MailFailure | "postponed" | undefined) => {
  if (reason === undefined) return "sent"
  if (reason === "postponed") return reason
  return suppressed.has(reason) ? "suppressed" : "failed"
}

/** Counts an attempt by what became of it. */
const countAttempt = (reason: MailFailure | "postponed" | undefined): Effect.Effect<void> =>
  Metric.update(outcomes[countedAs(reason)], 1)

/** Counts for ever the mails that wait. */
const countWaiting = (sql: Database): Effect.Effect<never> => {
  const count = Effect.flatMap(countMails(sql), ([row]) =>
    Effect.all([
      Metric.update(queuedMails, Number(row!.queued)),
      Metric.update(refusedMails, Number(row!.refused)),
      Metric.update(oldestMail, row!.oldest_seconds)
    ], { discard: true }))
  return supervised("Counting mails", count, countEvery, { level: "Debug", retry: countEvery })
}

/** The least pause after the last mail that was due, until others are looked for. */
const rest = "50 millis"

/** The reason not to send a mail any more: its license is not as it was; undefined where it is. */
const pastReason = ({ holds, is_key_same, is_recipient_same, state }: ClaimedMail): MailFailure | undefined => {
  if (!is_recipient_same) return "recipient_changed"
  if (state !== "active") return "license_ended"
  if (!is_key_same) return "key_changed"
  return holds ? undefined : "outdated"
}

/** The mails about a license whose secret is a link or a code, and not its key. */
const linkKinds: ReadonlySet<MailKind> = new Set(["user_sign_in", "license_transfer"])

/** The values that a mail has of its secret: the license key, or the link and its code. */
const secretValues = ({ kind, license_id }: ClaimedMail, secret: string): MailValues => {
  if (license_id !== null && !linkKinds.has(kind)) return { license_key: secret }
  const { code, url } = readLinkSecret(secret)
  return { link: url, code }
}

/**
 * The event of a mail that was sent or given up: of its license, or of its customer where it is about none. An event forgets
 * an address with the customer who owns the license when it is appended, so that it names nobody else's: neither that of an
 * earlier owner nor that of a person who was offered the license, and has agreed to nothing yet.
 */
const settledEvent = (
  { attempts, customer_id, event_id, kind, license_id, recipient }: ClaimedMail,
  { isOwners, reason, reply }: {
    /** Whether who owned the license when the mail was queued still does. */
    readonly isOwners: boolean
    readonly reply: string | undefined
    readonly reason: MailFailure | undefined
  }
): NewEvent => {
  const isAddressTold = isOwners && kind !== "license_transfer"
  const data = {
    kind,
    ...(isAddressTold ? { recipient } : {}),
    attempts,
    ...(reply === undefined || !isAddressTold ? {} : { reply }),
    ...(reason === undefined ? {} : { reason })
  }
  const metadata = { mail_event_id: event_id }
  return license_id === null
    ? {
      type: reason === undefined ? "customer.portal_link_mailed" : "customer.portal_link_failed",
      resourceId: customer_id ?? "",
      data: { customer_id, ...data },
      metadata
    }
    : {
      type: reason === undefined ? "mail.sent" : "mail.failed",
      resourceId: license_id,
      data: { license_id, ...data },
      metadata
    }
}

/** The Message-ID of a mail (RFC 5322 section 3.6.4): the same in each attempt. */
const messageIdOf = ({ event_id, kind }: ClaimedMail, from: string): string =>
  `<${event_id}.${kind}@${from.slice(from.lastIndexOf("@") + 1)}>`

/**
 * Sends mails on one node of the cluster, in two lanes with sessions of their own. A mail is claimed before it is handed over, and
 * again while a slow server takes it, and forgotten in the transaction of its event: a node that dies in between leaves it to the
 * next one, which sends it once more under the same Message-ID.
 */
export class Mailer extends Context.Service<Mailer, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/mail/Mailer") {
  static readonly layer = Layer.effect(
    Mailer,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const events = yield* Events
      const vault = yield* Vault
      const suppressions = yield* MailSuppressions
      const unsubscribes = yield* MailUnsubscribes
      const transport = yield* MailTransport
      const settings = yield* Settings
      const environment = yield* CurrentEnvironment
      const sending = settings.mail
      const inARow: Record<MailLane, number> = { awaited: 0, notices: 0 }
      /** The events whose mails are being handed over. */
      const inHand = new Set<string>()

      /** Forgets a mail, and tells what became of it; nothing where another node has it by now. */
      const settle = (
        mail: ClaimedMail,
        { isBounced = false, reason, reply }: {
          readonly reply?: string
          readonly reason?: MailFailure
          /** Whether the address gets no mails from now on. */
          readonly isBounced?: boolean
        }
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { customer_id, license_id } = mail
            // Before the mail, as an erasure does.
            const [license] = license_id === null ? [] : yield* lockMailOwner(sql, license_id)
            if ((yield* deleteMail(sql, mail)).length === 0) return
            // The next owner of a license without one has what was told of it before.
            const isOwners = license === undefined || customer_id === null || license.customer_id === customer_id
            yield* events.append(settledEvent(mail, { isOwners, reply, reason }))
            if (mail.kind === "portal_link" && mail.key_hash !== null && reason === undefined) {
              yield* updateLinkMailed(sql, mail.key_hash, linkMinutes)
            }
            if (isBounced) {
              yield* suppressions.suppress({
                address: mail.recipient,
                reason: "bounced",
                reply,
                customerId: mail.customer_id ?? undefined
              })
            }
            yield* countAttempt(reason)
          })
        )

      const handOver = Effect.fnUntraced(function*(mail: ClaimedMail, from: string) {
        const secret = mail.secret === null
          ? {}
          : secretValues(mail, new TextDecoder().decode(yield* vault.open(mailPurpose(mail.event_id), mail.secret)))
        const brand = mailBrand(settings, mail)
        const own = mail.subject === null || mail.body === null ? undefined : { subject: mail.subject, body: mail.body }
        const unsubscribeUrl = mailDeclarations[mail.kind].isNotice ? unsubscribes.linkTo(mail) : undefined
        return yield* transport.send({
          ...mailOf(mail.kind, {
            language: mail.language,
            unsubscribeUrl,
            values: {
              vendor: brand.name,
              product: mail.product ?? undefined,
              customer_name: mail.customer_name ?? undefined,
              expires_at: mail.expires_at ?? undefined,
              ...mailWays(settings, environment, mail),
              ...detailValues(mail.kind, mail.details ?? {}),
              feature: mail.feature ?? undefined,
              ...secret
            },
            brand
          }, own),
          messageId: messageIdOf(mail, from),
          recipient: mail.recipient,
          unsubscribeUrl
        })
      })

      const claimAgain = (mail: ClaimedMail) =>
        updateClaimed(sql, mail).pipe(
          Effect.ignore,
          Effect.delay(claimedAgainSeconds * 1000),
          Effect.forever
        )

      const judge = Effect.fnUntraced(function*(lane: MailLane, mail: ClaimedMail, answer: MailAnswer) {
        const reply = shownReply(answer)
        const outcome = outcomeOf(answer, mail.attempts, mail.hours)
        if (outcome.is === "postponed") {
          yield* updatePostponed(sql, mail, { fault: outcome.fault, reply, seconds: outcome.bySeconds })
          yield* countAttempt("postponed")
        } else if (outcome.is === "failed") {
          yield* settle(mail, { reply, reason: outcome.reason, isBounced: isMailboxRefused(answer) })
        } else yield* settle(mail, { reply })
        inARow[lane] = restAfter(answer, 1) === 0 ? 0 : inARow[lane] + 1
        return inARow[lane] === 0 ? 0 : restAfter(answer, inARow[lane])
      })

      const tried = Effect.fnUntraced(function*(lane: MailLane, mail: ClaimedMail) {
        const past = pastReason(mail)
        if (past !== undefined) {
          yield* settle(mail, { reason: past })
          return 0
        }
        const against = yield* suppressions.reasonAgainst(mail.recipient, mailDeclarations[mail.kind].isNotice)
        if (against !== undefined) {
          yield* settle(mail, { reason: failureOf[against] })
          return 0
        }
        if (sending === undefined) {
          // Mails of a time with a mail server: they wait for it as long as for one that is away.
          if (mail.hours >= triedHours) yield* settle(mail, { reason: "gave_up" })
          else {
            const reply = "COUNTERSIGN_SMTP_URL is not set"
            yield* updatePostponed(sql, mail, { fault: "us", reply, seconds: 3600 })
          }
          return 0
        }
        const handedOver = Effect.raceFirst(handOver(mail, sending.from.address), claimAgain(mail))
        return yield* judge(lane, mail, yield* handedOver)
      })

      /** Tries one mail of a lane, if one is due; answers how long the lane rests, or undefined where there was none. */
      const step = Effect.fnUntraced(function*(lane: MailLane) {
        const [mail] = yield* claimMail(sql, lane, [...inHand])
        if (mail === undefined) return undefined
        inHand.add(mail.event_id)
        return yield* Effect.ensuring(tried(lane, mail), Effect.sync(() => inHand.delete(mail.event_id)))
      })

      // A mailer that moves to another node ends the mail that it has begun: the next one would send it again after its claim.
      const sendAll = Effect.fnUntraced(function*(lane: MailLane) {
        const next = toItsEnd(step(lane))
        for (let seconds = yield* next; seconds !== undefined; seconds = yield* next) {
          yield* Effect.sleep(seconds * 1000)
        }
      })

      // Each session looks for itself: one that a slow server holds keeps no other from the next mail.
      const sendIn = (lane: MailLane, topic: Topic) => {
        const session = agenda.follow({
          name: `Sending mails: ${lane}`,
          topic,
          due: () => mailsDue(sql, lane),
          look: sendAll(lane),
          rest,
          retry: "5 seconds"
        })
        return Arr.replicate(session, sessionsOf[lane])
      }

      return Mailer.of({
        run: Effect.raceAllFirst([
          ...sendIn("awaited", "mails"),
          ...sendIn("notices", "notices"),
          countWaiting(sql)
        ])
      })
    })
  )
}
