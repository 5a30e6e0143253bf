import { Result } from "effect"
import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"
import { MailKind } from "../Mail.ts"
import type { MailDetails } from "../Mail.ts"
import { keyChanged, licenseContinued, licenseIssued } from "./KeyMails.ts"
import { liquid, oneLine, unknownVariable } from "./LiquidSandbox.ts"
import type { TemplateFault } from "./LiquidSandbox.ts"
import { commonVariables, contacts, contactVariables, greetings, licenseTransfer, worded } from "./MailDeclaration.ts"
import type { MailDeclaration, MailTemplate, MailValue, MailValues } from "./MailDeclaration.ts"
import { bodyHtml, bodyText, isMailLink } from "./MailMarkup.ts"
import type { MailBrand } from "./MailMarkup.ts"
import { deviceAdded, paymentFailed, quotaThreshold } from "./OccasionMails.ts"
import { licenseExpired, licenseExpiring } from "./TermMails.ts"
import { userInvited, userSignIn } from "./UserMails.ts"

/** The longest name of somebody else in a mail, in characters: more than a name has is a message. */
const longest = 60

/** The names that are addresses of pages, and so are no names. */
const address = /:\/\/|\bwww\./i

/** The places at which a mail program finds an address: a dot or an @ between what is none of both. */
const joints = /(?<=[\p{L}\p{N}])[.@](?=[\p{L}\p{N}])/gu

/**
 * A name that customers and apps give, as a mail of the vendor has it: one line, bounded, and without anything of which a mail program
 * makes a link. So nobody writes a sentence of the vendor's, or leads its customers elsewhere; undefined where it is the address of a page.
 */
export const foreignName = (name: string): string | undefined => {
  const line = oneLine(name)
  if (address.test(line)) return undefined
  const characters = Array.from(line)
  const bounded = characters.length > longest ? `${characters.slice(0, longest - 1).join("").trimEnd()}…` : line
  // A word joiner is not seen, and ends an address where one is looked for (U+2060).
  return bounded.replaceAll(joints, (joint) => `${joint}\u2060`)
}

/** How each language calls the link in the foot of a notice, by which its recipient opts out. */
export const unsubscribeLabels: Readonly<Record<MailLanguage, string>> = {
  en: "Stop these notices",
  de: "Benachrichtigungen beenden",
  fr: "Ne plus recevoir ces notifications",
  es: "Dejar de recibir estos avisos",
  ja: "お知らせの配信を停止する"
}

const code = "{% if code %}`{{ code }}`{% endif %}"

const vendor = "{{ vendor }}"

/** The mail with a link into the portal. */
const portalLink: MailDeclaration = {
  isNotice: false,
  variables: {
    ...contactVariables,
    vendor: commonVariables.vendor,
    customer_name: { ...commonVariables.customer_name, about: "The name of the customer." },
    link: {
      type: "text",
      about: "The address of the page on which the customer signs in. It works once, within 15 minutes.",
      sample: "https://licenses.example.com/portal/link?token=cpl_sample"
    },
    code: {
      type: "text",
      about:
        "The code to be typed on the page where the customer asked for the link; none in a mail that the vendor has sent.",
      sample: "7K3P-9WQX",
      isOptional: true
    }
  },
  texts: {
    en: worded(
      "Your link to your licenses",
      greetings.en,
      "This link signs you in to your licenses. It works once, within 15 minutes.",
      "[Sign in]({{ link }})",
      "{% if code %}On another device? Then enter this code on the page where you asked for the link:{% endif %}",
      code,
      "You did not ask for this email? Then ignore it. Do not share it: anyone who has it can sign in.",
      contacts.en,
      vendor
    ),
    de: worded(
      "Ihr Link zu Ihren Lizenzen",
      greetings.de,
      "über diesen Link gelangen Sie zu Ihren Lizenzen. Er ist 15 Minuten lang gültig und funktioniert nur einmal.",
      "[Anmelden]({{ link }})",
      "{% if code %}Auf einem anderen Gerät? Dann geben Sie diesen Code auf der Seite ein, auf der Sie den Link angefordert haben:{% endif %}",
      code,
      "Sie haben diese Nachricht nicht angefordert? Dann ignorieren Sie sie: Ohne sie kann sich niemand anmelden. Geben Sie sie nicht weiter.",
      contacts.de,
      vendor
    ),
    fr: worded(
      "Votre lien vers vos licences",
      greetings.fr,
      "Ce lien vous donne accès à vos licences. Il fonctionne une seule fois, pendant 15 minutes.",
      "[Se connecter]({{ link }})",
      "{% if code %}Sur un autre appareil\u00a0? Saisissez alors ce code sur la page où vous avez demandé le lien\u00a0:{% endif %}",
      code,
      "Vous n’avez pas demandé ce message\u00a0? Ignorez-le\u00a0: personne ne peut se connecter sans lui. Ne le transmettez à personne.",
      contacts.fr,
      vendor
    ),
    es: worded(
      "Su enlace a sus licencias",
      greetings.es,
      "Con este enlace accede a sus licencias. Funciona una sola vez, durante 15 minutos.",
      "[Iniciar sesión]({{ link }})",
      "{% if code %}¿En otro dispositivo? Entonces escriba este código en la página donde pidió el enlace:{% endif %}",
      code,
      "¿No pidió este correo? Entonces ignórelo: nadie puede entrar sin él. No lo comparta.",
      contacts.es,
      vendor
    ),
    ja: worded(
      "ライセンスのページへのリンク",
      greetings.ja,
      "次のリンクからライセンスのページにサインインできます。15分以内に1回だけ使用できます。",
      "[サインイン]({{ link }})",
      "{% if code %}別のデバイスの場合は、リンクをリクエストしたページに次のコードを入力してください。{% endif %}",
      code,
      "このメールにお心当たりがない場合は、破棄してください。このメールがなければ、どなたもサインインできません。ほかの方には転送しないでください。",
      contacts.ja,
      vendor
    )
  }
}

/** Every kind of mail, with its variables and its texts in every language. */
export const mailDeclarations: Readonly<Record<MailKind, MailDeclaration>> = {
  license_issued: licenseIssued,
  key_changed: keyChanged,
  license_expiring: licenseExpiring,
  license_expired: licenseExpired,
  quota_threshold: quotaThreshold,
  device_added: deviceAdded,
  payment_failed: paymentFailed,
  portal_link: portalLink,
  user_invited: userInvited,
  user_sign_in: userSignIn,
  license_transfer: licenseTransfer,
  license_continued: licenseContinued
}

/** The content of a mail. */
export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What was wrong with a template, and in which of its members. */
export interface MemberFault extends TemplateFault {
  readonly member: keyof MailTemplate
}

/** What a mail is rendered from, besides its template. */
export interface MailInput {
  readonly language: MailLanguage
  readonly values: MailValues
  readonly brand: MailBrand
  /** Where the recipient opts out of notices, which the foot of one links to. */
  readonly unsubscribeUrl?: string | undefined
}

/** The variables that customers and apps say. */
const foreign: ReadonlySet<string> = new Set(
  Object.values(mailDeclarations).flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, { isForeign }]) => isForeign === true ? [name] : [])
  )
)

/** The values as a mail may say them. */
const sayable = (values: MailValues): MailValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" && foreign.has(name) ? foreignName(value) : value
    ])
  )

/** A mail from its template. */
export const rendered = (
  template: MailTemplate,
  { brand, language, unsubscribeUrl, values: given }: MailInput
): Result.Result<MailContent, MemberFault> => {
  const values = sayable(given)
  const line = liquid(template.subject, values, language)
  if (Result.isFailure(line)) return Result.fail({ member: "subject", ...line.failure })
  const subject = oneLine(line.success.replaceAll(/[\ue000\ue001]/g, ""))
  if (subject === "") return Result.fail({ member: "subject", line: 1, message: "the subject is empty" })
  const body = liquid(template.body, values, language)
  if (Result.isFailure(body)) return Result.fail({ member: "body", ...body.failure })
  const foot = unsubscribeUrl === undefined ? undefined : { label: unsubscribeLabels[language], url: unsubscribeUrl }
  const text = bodyText(body.success, foot)
  return bodyText(body.success).trim() === ""
    ? Result.fail({ member: "body", line: 1, message: "the body is empty" })
    : Result.succeed({ subject, text, html: bodyHtml({ body: body.success, foot, language, subject }, brand) })
}

/** The values of a kind's samples; without the optional ones, as a mail may be. */
export const sampleValues = (kind: MailKind, isWithOptional = true): MailValues =>
  Object.fromEntries(
    Object.entries(mailDeclarations[kind].variables).flatMap(([name, { isOptional, sample }]) =>
      isWithOptional || isOptional !== true ? [[name, sample]] : []
    )
  )

/** The values that a mail takes from its event: those that its kind declares, with instants as days. */
export const detailValues = (kind: MailKind, details: MailDetails): MailValues =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, value]): ReadonlyArray<readonly [string, MailValue]> => {
      const type = mailDeclarations[kind].variables[name]?.type
      return type === undefined ? [] : [[name, type === "date" ? new Date(value) : value]]
    })
  )

/** The mail of a kind, in the vendor's own words where there are some that can be rendered, and else in those that ship. */
export const mailOf = (kind: MailKind, input: MailInput, own?: MailTemplate): MailContent =>
  Result.getOrElse(
    own === undefined ? rendered(mailDeclarations[kind].texts[input.language], input) : rendered(own, input),
    () => Result.getOrThrow(rendered(mailDeclarations[kind].texts[input.language], input))
  )

/** A link whose target is written out, and is none of a mail. */
const links = /\]\(([^()\s]*)\)/g

const linkFault = (body: string): TemplateFault | undefined => {
  const at = body.split("\n").findIndex((line) =>
    [...line.matchAll(links)].some(([, target = ""]) => !target.includes("{{") && !isMailLink(target))
  )
  return at < 0 ? undefined : { line: at + 1, message: "a link begins with https:// or mailto:" }
}

/** Every set of samples that a template has to render with: all, none that is optional, and each optional one alone. */
const samplesOf = (kind: MailKind): ReadonlyArray<MailValues> => {
  const all = sampleValues(kind)
  const required = sampleValues(kind, false)
  return [
    all,
    required,
    ...Object.entries(all).map((added) => Object.fromEntries([...Object.entries(required), added]))
  ]
}

/** What keeps a template from being used for a kind: the first fault of it; undefined where every mail can be rendered. */
export const templateFault = (
  kind: MailKind,
  language: MailLanguage,
  template: MailTemplate
): MemberFault | undefined => {
  const known = Object.keys(mailDeclarations[kind].variables)
  const brand: MailBrand = { name: "", accent: undefined, logoUrl: undefined }
  const failures = samplesOf(kind).flatMap((values) => {
    const result = rendered(template, { language, values, brand })
    return Result.isFailure(result) ? [result.failure] : []
  })
  // What cannot be read at all has no variables to be looked at.
  const unread = failures.find(({ message }) => !message.startsWith("undefined variable"))
  if (unread !== undefined) return unread
  for (const member of ["subject", "body"] as const) {
    const unknown = unknownVariable(template[member], known)
    if (unknown !== undefined) return { member, ...unknown }
  }
  const link = linkFault(template.body)
  return failures[0] ?? (link === undefined ? undefined : { member: "body", ...link })
}

/**
 * The lanes of mails, each with sessions of its own at the mail server: a link, a code, a key or an invitation that somebody waits for
 * never stands behind notices.
 */
export type MailLane = "awaited" | "notices"

/** How many sessions each lane has. Large relays take three at once from a sender. */
export const sessionsOf: Readonly<Record<MailLane, number>> = { awaited: 2, notices: 1 }

/** The lane of a kind of mail. An invitation is a notice to who opted out of them, and awaited by who invites. */
export const laneOf = (kind: MailKind): MailLane =>
  kind !== "user_invited" && mailDeclarations[kind].isNotice ? "notices" : "awaited"

/** The kinds of mails of a lane. */
export const kindsIn = (lane: MailLane): ReadonlyArray<MailKind> =>
  MailKind.literals.filter((kind) => laneOf(kind) === lane)
