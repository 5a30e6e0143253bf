import { Effect, Redacted, Result } from "effect"
import { defaultDoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import { isEmail } from "../../domain/ground/parsing/Email.ts"
import { setting } from "./Setting.ts"
import type { Setting, SettingReading } from "./Setting.ts"
import { displayName, wholeNumber } from "./SettingParsers.ts"

/** A setting that is a whole number. */
const whole = (
  name: string,
  byDefault: number,
  [least, most]: readonly [least: number, most: number],
  meaning: string
): Setting<number, number> =>
  setting({
    name: `COUNTERSIGN_LIMIT_${name}`,
    default: byDefault,
    meaning,
    example: String(byDefault),
    parse: wholeNumber("whole number", least, most)
  })

/** The limits on callers before they are authenticated, in the order of `--help`. */
export const doorTable = {
  connections: whole(
    "CONNECTIONS",
    defaultDoorLimits.connections,
    [1, 1_000_000],
    "Connections open at once; more are closed."
  ),
  connectionsPerAddress: whole(
    "CONNECTIONS_PER_ADDRESS",
    defaultDoorLimits.connectionsPerAddress,
    [1, 1_000_000],
    "Connections open at once from one address (IPv6: one /64). Trusted proxies have no such limit."
  ),
  inFlight: whole(
    "IN_FLIGHT",
    defaultDoorLimits.inFlight,
    [1, 100_000],
    "Management requests in progress at once. Apps may add half as many, validate and check as many again."
  ),
  delayMillis: whole(
    "DELAY_MS",
    defaultDoorLimits.delayMillis,
    [10, 60_000],
    "How long requests may queue, in milliseconds, before load is shed: management first, validate last."
  ),
  arrivalSeconds: whole(
    "ARRIVAL_SECONDS",
    defaultDoorLimits.arrivalSeconds,
    [1, 300],
    "How long the headers of a request may take to arrive, and after them its body, in seconds."
  ),
  bodyRate: whole(
    "BODY_RATE",
    defaultDoorLimits.bodyRate,
    [1, 10_000_000],
    "How fast a body must arrive, in bytes a second, once it has been under way for half of that time."
  ),
  stallSeconds: whole(
    "STALL_SECONDS",
    defaultDoorLimits.stallSeconds,
    [1, 3600],
    "How long a client may read nothing of its response before the connection is closed, in seconds."
  ),
  largeAnswers: whole(
    "LARGE_ANSWERS",
    defaultDoorLimits.largeAnswers,
    [1, 100_000],
    "Large responses at once: downloads of exports, and documents that are sent in parts."
  ),
  largeAnswersPerAddress: whole(
    "LARGE_ANSWERS_PER_ADDRESS",
    defaultDoorLimits.largeAnswersPerAddress,
    [1, 100_000],
    "The same for one address (IPv6: one /64): the client's address, if a trusted proxy forwards it."
  )
} satisfies { readonly [Name in keyof DoorLimits]: Setting<number, number> }

/** The URL of a mail server, which may have a password that is never shown. */
const smtpUrl = (value: string): Result.Result<Redacted.Redacted, string> => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname) &&
      url.search === "" && url.hash === "" && (url.username === "") === (url.password === "")
    ? Result.succeed(Redacted.make(value, { label: "COUNTERSIGN_SMTP_URL" }))
    : Result.fail("must be smtp://<user>:<password>@<host>:<port>, or smtps://, with both user and password or neither")
}

const mailbox = /^(?:(?<name>[^<>"]*?)\s*<(?<inBrackets>[^<>\s]+)>|(?<alone>[^<>\s]+))$/

/** The sender: an address, or a name and an address in angle brackets. */
const sender = (
  value: string
): Result.Result<{ readonly name: string; readonly address: string }, string> => {
  const { alone, inBrackets, name = "" } = mailbox.exec(value)?.groups ?? {}
  const address = inBrackets ?? alone ?? ""
  const shown = displayName(name.trim())
  return Result.isSuccess(shown) && isEmail(address) && /^[\x21-\x7e]+$/.test(address)
    ? Result.succeed({ name: shown.success, address })
    : Result.fail("must be an address, or a name and an address in angle brackets")
}

const addresses = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const given = value.split(",").map((address) => address.trim().toLowerCase()).filter((address) => address !== "")
  const wrong = given.filter((address) => !isEmail(address))
  return wrong.length === 0
    ? Result.succeed(given)
    : Result.fail(`must be addresses separated by commas; wrong: ${wrong.map((it) => `"${it}"`).join(", ")}`)
}

/** The settings of mails to customers, in the order of `--help`. */
export const mailTable = {
  smtpUrl: setting({
    name: "COUNTERSIGN_SMTP_URL",
    default: undefined,
    shown: "none: no mail is sent",
    meaning: "The mail server through which mails to customers are sent: smtp (with STARTTLS where offered), or smtps.",
    example: "smtps://licenses:<password>@mail.example.com",
    parse: smtpUrl,
    isSecret: true
  }),
  from: setting({
    name: "COUNTERSIGN_MAIL_FROM",
    default: undefined,
    shown: "none; required with COUNTERSIGN_SMTP_URL",
    meaning: "The sender of these mails: an address, or a name and an address in angle brackets.",
    example: "Acme Licenses <licenses@example.com>",
    parse: sender
  }),
  testAddresses: setting({
    name: "COUNTERSIGN_MAIL_TEST_ADDRESSES",
    default: [],
    shown: "none: the test environment sends no mail",
    meaning: "The only addresses that the test environment sends mails to, separated by commas.",
    example: "ada@example.com,qa@example.com",
    parse: addresses
  })
}

/** Reads the settings of mails; undefined where no server is set. Incomplete ones are reported. */
export const readMail = Effect.fnUntraced(function*(reading: SettingReading) {
  const { from, smtpUrl, testAddresses } = yield* reading.readTable(mailTable)
  if (smtpUrl === undefined) {
    for (
      const [row, isGiven] of [[mailTable.from, from !== undefined], [
        mailTable.testAddresses,
        testAddresses.length > 0
      ]] as const
    ) {
      if (isGiven && !reading.isReported(mailTable.smtpUrl)) {
        reading.report(row, `does nothing without ${mailTable.smtpUrl.name}`)
      }
    }
    return undefined
  }
  if (from === undefined && !reading.isReported(mailTable.from)) {
    reading.report(mailTable.from, `is required with ${mailTable.smtpUrl.name}`)
  }
  return from === undefined ? undefined : { smtpUrl, from, testAddresses }
})
