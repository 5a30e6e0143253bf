import { Effect, Layer, Redacted } from "effect"
import { Transform } from "node:stream"
import type { SMTPTransportOptions } from "nodemailer"
import { shownReply, unanswered } from "../../domain/mail/MailFault.ts"
import type { MailAnswer, MailStage } from "../../domain/mail/MailFault.ts"
import { oneLine } from "../../domain/mail/templates/LiquidSandbox.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import type { MailSending } from "../../services/ground/platform/Settings.ts"
import { Mailer } from "../../services/mail/Mailer.ts"
import { MailTemplates } from "../../services/mail/MailTemplates.ts"
import { MailTransport } from "../../services/mail/MailTransport.ts"
import type { OutgoingMail } from "../../services/mail/MailTransport.ts"
import { isLoopback } from "../config/SettingParsers.ts"

/** The bounds of an attempt, in milliseconds: until there is a connection, and a greeting, of silence after it, and of the whole. */
interface SmtpPatience {
  readonly connecting: number
  readonly greeting: number
  readonly silence: number
  readonly whole: number
}

/**
 * How long the mailer waits: for a greeting five minutes, and for the answer to a message ten (RFC 5321 section 4.5.3.2), because one who
 * ends earlier has sent a mail that he does not know of, and sends it again.
 */
const usual: SmtpPatience = { connecting: 30_000, greeting: 300_000, silence: 600_000, whole: 900_000 }

/** How long somebody waits who looks on. */
const lookedOn: SmtpPatience = { connecting: 10_000, greeting: 10_000, silence: 30_000, whole: 55_000 }

/** The parts of a failure of the driver that are looked at. */
interface Failure {
  readonly code?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
  readonly response?: unknown
  readonly message?: unknown
}

const stages: ReadonlyArray<readonly [command: RegExp, stage: MailStage]> = [
  [/^MAIL FROM/, "sender"],
  [/^RCPT TO/, "recipient"],
  [/^DATA/, "message"]
]

/**
 * An address that is one mailbox, whoever reads it. The driver takes an envelope for a list of addresses, in which a comma begins
 * another one.
 */
const plainAddress = /^[^\s,;:<>()[\]"\\@]+@[^\s,;:<>()[\]"\\@]+$/u

const isFailure = (error: unknown): error is Failure => typeof error === "object" && error !== null

const unwritable = (reply: string): MailAnswer => ({ isAccepted: false, stage: "recipient", code: 553, reply })

/** The answer that a failure of the driver is; `isHanded`: the whole message was written before it. */
const answerOf = (error: unknown, isHanded = false): MailAnswer => {
  const { code, command, message, response, responseCode } = isFailure(error) ? error : { message: String(error) }
  const reply = typeof response === "string" && response !== "" ? response : String(message)
  const replied = typeof responseCode === "number" && responseCode > 0 ? responseCode : undefined
  // An address that this server cannot be told, such as one in another script, is refused before it is asked.
  if (code === "EENVELOPE" && replied === undefined && command !== "CONN") return unwritable(reply)
  // A connection that ends tells nothing of the message that was written to it.
  const stage = isHanded && replied === undefined
    ? "message"
    : stages.find(([pattern]) => typeof command === "string" && pattern.test(command))?.[1] ?? "session"
  return { isAccepted: false, stage, code: replied, reply }
}

const optionsOf = (smtpUrl: string, { connecting, greeting, silence }: SmtpPatience): SMTPTransportOptions => {
  const { hostname, password, port, protocol, username } = new URL(smtpUrl)
  const secure = protocol === "smtps:"
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password is told to nobody in clear text, but to this machine.
    requireTLS: !secure && username !== "" && !isLoopback(hostname),
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: connecting,
    greetingTimeout: greeting,
    dnsTimeout: connecting,
    socketTimeout: silence,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

const makeDriver = async (options: SMTPTransportOptions) => (await import("nodemailer")).createTransport(options)

/** Calls once a stream that passes through has been read to its end. */
const noticingEnd = (call: () => void) =>
  new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => {
      call()
      done()
    }
  })

type Driver = Awaited<ReturnType<typeof makeDriver>>

/** Hands mails over by SMTP, each in a session of its own. The driver is loaded for the first mail. */
export const smtpSender = ({ from, smtpUrl }: MailSending, patience = usual): MailTransport["Service"]["send"] => {
  const options = optionsOf(Redacted.value(smtpUrl), patience)
  /** The mails that were written to their end, by their Message-IDs. */
  const handed = new Set<string>()
  const make = async () => {
    const driver = await makeDriver(options)
    driver.use("stream", ({ data, message }, done) => {
      message?.transform(() => noticingEnd(() => void handed.add(String(data.messageId))))
      done()
    })
    return driver
  }
  let made: Promise<Driver> | undefined
  const driver = Effect.promise(() => made ??= make())
  const sendBy = (
    driver: Driver,
    { html, messageId, recipient, subject, text, unsubscribeUrl }: OutgoingMail
  ) =>
    Effect.callback<MailAnswer>((resume) => {
      driver.sendMail({
        from: { name: oneLine(from.name), address: from.address },
        to: { name: "", address: recipient },
        envelope: { from: from.address, to: [recipient] },
        messageId,
        subject: oneLine(subject),
        text,
        html,
        headers: {
          "Auto-Submitted": "auto-generated",
          ...(unsubscribeUrl === undefined ? {} : {
            // In one line: folded, the first would have a name alone, which mail programs may overlook.
            "List-Unsubscribe": { prepared: true, value: `<${unsubscribeUrl}>` },
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
          })
        }
      }, (error, info) => {
        const failed = () => answerOf(error, handed.has(messageId))
        resume(Effect.sync(() => error === null ? { isAccepted: true, reply: info.response } : failed()))
      })
    })
  return (mail) => {
    if (!plainAddress.test(mail.recipient)) {
      return Effect.succeed(unwritable("The address is not one that mail is sent to"))
    }
    return Effect.timeoutOrElse(Effect.flatMap(driver, (driver) => sendBy(driver, mail)), {
      duration: patience.whole,
      orElse: () =>
        Effect.sync((): MailAnswer => handed.has(mail.messageId) ? { ...unanswered, stage: "message" } : unanswered)
    }).pipe(Effect.ensuring(Effect.sync(() => handed.delete(mail.messageId))))
  }
}

/** Greets a mail server and signs in, as the mailer does, without a mail; answers what went wrong, or undefined. */
export const greetMailServer = (
  { smtpUrl }: Pick<MailSending, "smtpUrl">,
  patience = lookedOn
): Effect.Effect<string | undefined> =>
  Effect.tryPromise({
    try: async () => (await makeDriver(optionsOf(Redacted.value(smtpUrl), patience))).verify(),
    catch: (error) => answerOf(error)
  }).pipe(
    Effect.as(undefined),
    Effect.catch((answer) => Effect.succeed(shownReply(answer))),
    Effect.timeoutOrElse({ duration: patience.whole, orElse: () => Effect.succeed(unanswered.reply) })
  )

/** Mails by SMTP, where a server is configured. */
const layer = Layer.effect(
  MailTransport,
  Effect.map(Settings, ({ mail }) =>
    MailTransport.of({
      send: mail === undefined ? () => Effect.die(new Error("No mail server is configured")) : smtpSender(mail)
    }))
)

/** The mailer, and samples of mails: both are sent by SMTP. */
export const layerMailer = Layer.provide(Layer.mergeAll(Mailer.layer, MailTemplates.layer), layer)
