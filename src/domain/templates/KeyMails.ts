import type { MailLanguage } from "../mail/MailLanguage.ts"
import { commonVariables, greetings, validities, ways, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

/** A mail that names the key says it in a paragraph of its own. */
const key = "`{{ license_key }}`"

const vendor = "{{ vendor }}"

/** A key as previews show it: no more than its last characters. */
export const maskedKey = (last: string): string => `CS-•••••-•••••-•••••-•••••-${last.padStart(5, "•")}`

const variables = {
  ...commonVariables,
  license_key: {
    type: "text",
    about: "The license key, whole: this mail is where its owner gets it.",
    sample: maskedKey("0PM2X")
  }
} as const satisfies MailDeclaration["variables"]

/** How each language warns against passing the key on. */
const warnings: Readonly<Record<MailLanguage, string>> = {
  en: "Keep this email, and do not share it: anyone who has the key can use the license.",
  de: "Bewahren Sie diese Nachricht auf und geben Sie sie nicht weiter: Wer den Schlüssel hat, kann die Lizenz nutzen.",
  fr: "Conservez ce message et ne le transmettez à personne\u00a0: quiconque possède la clé peut utiliser la licence.",
  es: "Guarde este correo y no lo comparta: quien tenga la clave puede usar la licencia.",
  ja:
    "このメールは大切に保管し、ほかの方には転送しないでください。ライセンスキーがあれば、どなたでもライセンスを使用できます。"
}

/** The mail with the key of a new license. */
export const licenseIssued: MailDeclaration = {
  isNotice: false,
  variables,
  texts: {
    en: worded(
      "Your license key for {{ product }}",
      greetings.en,
      "Here is your license key for **{{ product }}**:",
      key,
      validities.en,
      warnings.en,
      ways.en,
      vendor
    ),
    de: worded(
      "Ihr Lizenzschlüssel für {{ product }}",
      greetings.de,
      "hier ist Ihr Lizenzschlüssel für **{{ product }}**:",
      key,
      validities.de,
      warnings.de,
      ways.de,
      vendor
    ),
    fr: worded(
      "Votre clé de licence pour {{ product }}",
      greetings.fr,
      "Voici votre clé de licence pour **{{ product }}**\u00a0:",
      key,
      validities.fr,
      warnings.fr,
      ways.fr,
      vendor
    ),
    es: worded(
      "Su clave de licencia de {{ product }}",
      greetings.es,
      "Esta es su clave de licencia de **{{ product }}**:",
      key,
      validities.es,
      warnings.es,
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスキーのお知らせ",
      greetings.ja,
      "**{{ product }}** のライセンスキーをお送りします。",
      key,
      validities.ja,
      warnings.ja,
      ways.ja,
      vendor
    )
  }
}

/** The mail with the new key of a license whose key was rotated. */
export const keyChanged: MailDeclaration = {
  isNotice: false,
  variables,
  texts: {
    en: worded(
      "Your new license key for {{ product }}",
      greetings.en,
      "Your license for **{{ product }}** has a new key. Please use this one from now on:",
      key,
      "The previous key no longer works, or works only for a limited time.",
      validities.en,
      warnings.en,
      ways.en,
      vendor
    ),
    de: worded(
      "Ihr neuer Lizenzschlüssel für {{ product }}",
      greetings.de,
      "Ihre Lizenz für **{{ product }}** hat einen neuen Schlüssel. Bitte verwenden Sie ab sofort diesen:",
      key,
      "Der bisherige Schlüssel funktioniert nicht mehr oder nur noch für begrenzte Zeit.",
      validities.de,
      warnings.de,
      ways.de,
      vendor
    ),
    fr: worded(
      "Votre nouvelle clé de licence pour {{ product }}",
      greetings.fr,
      "Votre licence pour **{{ product }}** a une nouvelle clé. Veuillez désormais utiliser celle-ci\u00a0:",
      key,
      "L’ancienne clé ne fonctionne plus, ou seulement pendant une durée limitée.",
      validities.fr,
      warnings.fr,
      ways.fr,
      vendor
    ),
    es: worded(
      "Su nueva clave de licencia de {{ product }}",
      greetings.es,
      "Su licencia de **{{ product }}** tiene una clave nueva. A partir de ahora, use esta:",
      key,
      "La clave anterior ya no funciona o solo funcionará durante un tiempo limitado.",
      validities.es,
      warnings.es,
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} の新しいライセンスキーのお知らせ",
      greetings.ja,
      "**{{ product }}** のライセンスキーが新しくなりました。今後はこちらのキーをお使いください。",
      key,
      "以前のキーは、すでに使用できないか、一定期間後に使用できなくなります。",
      validities.ja,
      warnings.ja,
      ways.ja,
      vendor
    )
  }
}
