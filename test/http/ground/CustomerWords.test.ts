// The words that customers read in five languages, in mails and on pages: in the typography of each, and said to "you" in one way.
import { assert, describe, it } from "@effect/vitest"
import { mailLanguages } from "../../../src/domain/ground/wire/MailLanguage.ts"
import type { MailLanguage } from "../../../src/domain/ground/wire/MailLanguage.ts"
import { customerTexts } from "../../fixtures/CustomerTexts.ts"

/** What is said in a language, without the marks of templates: conditions, values and targets of links. */
const saidIn = (language: MailLanguage): ReadonlyArray<string> =>
  customerTexts(language).map((text) => text.replaceAll(/\{%.*?%\}|\]\(.*?\)/g, "").replaceAll(/\{\{.*?\}\}/g, "X"))

/** What no text of a language has. */
const wrong: Readonly<Record<MailLanguage, RegExp>> = {
  // A quotation opens and closes.
  en: /\b(?:e-mails?|mails?)\b|„|“(?![^“”]*”)|(?<!“[^“”]*)”/i,
  // A courteous "you" is written large; a mail is an E-Mail or a Nachricht.
  de: /\b(?:du|dich|dir|dein\w*|Mail(?:s|adresse)?)\b(?<!E-Mail)| [:;?!]/,
  // A space that does not break before high punctuation, and none that does.
  fr: /[^\u00a0\u202f][:;?!]| [:;?!»]|« |(?<!\p{L})(?:tu|ton|tes|toi|courriel)(?!\p{L})/u,
  es: /(?<!\p{L})(?:tú|tu|tus|vos|vence|vencido)(?!\p{L})|(?:^|[.:] )[^¿.:]*\?/u,
  ja: /[?!,]|。。/
}

describe("words to customers", () => {
  it.each(mailLanguages)("in %s are in the typography of the language", (language) => {
    const said = saidIn(language)
    assert.isAbove(said.length, 100)
    assert.deepStrictEqual(said.filter((text) => wrong[language].test(text)), [])
    // Straight quotes, two spaces, three points, and letters in parts.
    assert.deepStrictEqual(said.filter((text) => /['"]| {2}|\.\.\.|^\s|[ \t]$/.test(text)), [])
    assert.deepStrictEqual(said.filter((text) => text !== text.normalize("NFC")), [])
  })
})
