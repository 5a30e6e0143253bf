import { Effect, Redacted, Result } from "effect"
import { isEmail } from "../../domain/ground/parsing/Email.ts"
import { setting } from "./Setting.ts"
import { displayName } from "./SettingParsers.ts"
import type { SettingReading } from "./SettingReading.ts"

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
