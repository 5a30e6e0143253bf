import { Result } from "effect"
import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"
import type { MailDetails, MailKind } from "../Mail.ts"
import { foreignName } from "./ForeignName.ts"
import { keyChanged, licenseContinued, licenseIssued } from "./KeyMails.ts"
import { liquid, oneLine, unknownVariable } from "./LiquidSandbox.ts"
import type { TemplateFault } from "./LiquidSandbox.ts"
import type { MailDeclaration, MailTemplate, MailValue, MailValues } from "./MailDeclaration.ts"
import { unsubscribeLabels } from "./MailFoot.ts"
import { bodyHtml, bodyText, isMailLink } from "./MailMarkup.ts"
import type { MailBrand } from "./MailMarkup.ts"
import { deviceAdded, paymentFailed, quotaThreshold } from "./OccasionMails.ts"
import { portalLink } from "./PortalMails.ts"
import { licenseExpired, licenseExpiring } from "./TermMails.ts"
import { licenseTransfer } from "./TransferMails.ts"
import { userInvited, userSignIn } from "./UserMails.ts"

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
