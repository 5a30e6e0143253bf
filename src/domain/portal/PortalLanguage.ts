import { mailLanguages, usualLanguage } from "../mail/MailLanguage.ts"
import type { MailLanguage } from "../mail/MailLanguage.ts"

const preference = /^\s*([a-z]{2})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i

/** The language of the portal: the one that the browser asks for most, else that of the customer, else English. */
export const portalLanguage = (
  acceptLanguage: string | undefined,
  ofCustomer: MailLanguage | undefined
): MailLanguage => {
  const asked = (acceptLanguage ?? "").split(",").flatMap((part) => {
    const [, name = "", weight = "1"] = preference.exec(part) ?? []
    const language = mailLanguages.find((known) => known === name.toLowerCase())
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }]
  })
  return asked.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? ofCustomer ?? usualLanguage
}
