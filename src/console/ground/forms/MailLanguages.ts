import type { MailLanguage } from "../../../client/api/index.ts"
import { titleOf } from "../../../client/api/Labels.ts"

/** The languages in which mails are written. */
export const mailLanguages = ["en", "de", "fr", "es", "ja"] as const satisfies ReadonlyArray<MailLanguage>

/** The languages to choose from, and none. */
export const languageOptions = (none: string): ReadonlyArray<readonly [value: string, name: string]> => [
  ["", none],
  ...mailLanguages.map((language) => [language, titleOf("mailLanguage", language)] as const)
]

/** The name of a language that was chosen, or of none. */
export const languageName = (value: string, none = "as in the settings"): string =>
  value === "" ? none : titleOf("mailLanguage", value)

/** A choice of a language as it is sent: none is `null`. */
export const chosenLanguage = (value: string): MailLanguage | null =>
  mailLanguages.find((language) => language === value) ?? null
