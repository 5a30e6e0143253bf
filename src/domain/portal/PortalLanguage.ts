import { mailLanguages, usualLanguage } from "../ground/wire/MailLanguage.ts"
import type { MailLanguage } from "../ground/wire/MailLanguage.ts"
import { cookieIn } from "../people/SessionCookie.ts"

const preference = /^\s*([a-z]{2})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i

/** The languages as each calls itself. */
export const languageNames: Readonly<Record<MailLanguage, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  ja: "日本語"
}

/** The name of the cookie: with the prefix, a browser takes it from this host alone, over https, for all paths. */
const nameFor = (isSecure: boolean): string =>
  isSecure ? "__Host-countersign-portal-language" : "countersign-portal-language"

/** How long a browser keeps the language that was chosen in it, in seconds: a year. */
const keptSeconds = 365 * 86_400

/** The cookie of a browser in which a language was chosen. */
export const languageCookie = (language: MailLanguage, isSecure: boolean): string =>
  `${nameFor(isSecure)}=${language}; Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** The language that was chosen in a browser, in a Cookie header; undefined where there is none. */
export const languageIn = (header: string | undefined, isSecure: boolean): MailLanguage | undefined => {
  const chosen = cookieIn(header, nameFor(isSecure))
  return mailLanguages.find((known) => known === chosen)
}

/** What is known of the language of a reader. */
interface KnownLanguages {
  /** The one that was chosen on a page, in this browser. */
  readonly chosen?: MailLanguage | undefined
  /** The one of the customer, in which mails are written. */
  readonly ofCustomer?: MailLanguage | undefined
  /** The header `Accept-Language`. */
  readonly accepted?: string | undefined
}

/** The language of the portal: the one that was chosen, else that of the customer, else the one that the browser asks for most, else English. */
export const portalLanguage = ({ accepted = "", chosen, ofCustomer }: KnownLanguages): MailLanguage => {
  const asked = accepted.split(",").flatMap((part) => {
    const [, name = "", weight = "1"] = preference.exec(part) ?? []
    const language = mailLanguages.find((known) => known === name.toLowerCase())
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }]
  })
  return chosen ?? ofCustomer ?? asked.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? usualLanguage
}
