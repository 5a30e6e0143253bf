import { Schema } from "effect"

/** The languages in which mails to customers are written. */
export const mailLanguages = ["en", "de", "fr", "es", "ja"] as const

/** A language of mails to customers. */
export const MailLanguage = Schema.Literals(mailLanguages).annotate({
  identifier: "MailLanguage",
  description:
    "A language in which mails to customers are written: English (`en`), German (`de`), French (`fr`), Spanish (`es`) or Japanese (`ja`)."
})
export type MailLanguage = typeof MailLanguage.Type

/** The language of a customer who has none. */
export const usualLanguage: MailLanguage = "en"
