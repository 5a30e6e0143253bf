import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"
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

/** The mail about the license that continues in the place of a new one, whose key was mailed before: it has the ends of both keys. */
export const licenseContinued: MailDeclaration = {
  isNotice: false,
  variables: {
    ...commonVariables,
    key_last4: {
      type: "text",
      about: "The last four characters of the key that works.",
      sample: "0PM2"
    },
    former_key_last4: {
      type: "text",
      about: "The last four characters of the key that was mailed before and does not work.",
      sample: "7XK4"
    }
  },
  texts: {
    en: worded(
      "Your license for {{ product }} continues",
      greetings.en,
      "Your license for **{{ product }}** continues, with its devices and with the key that you already have. It ends in **{{ key_last4 }}**.",
      "We recently emailed you another key, which ends in **{{ former_key_last4 }}**. You do not need it, and it does not work.",
      validities.en,
      ways.en,
      vendor
    ),
    de: worded(
      "Ihre Lizenz für {{ product }} läuft weiter",
      greetings.de,
      "Ihre Lizenz für **{{ product }}** läuft weiter, mit ihren Geräten und mit dem Schlüssel, den Sie schon haben. Er endet auf **{{ key_last4 }}**.",
      "Wir haben Ihnen vor Kurzem einen anderen Schlüssel gesendet, der auf **{{ former_key_last4 }}** endet. Sie brauchen ihn nicht, und er funktioniert nicht.",
      validities.de,
      ways.de,
      vendor
    ),
    fr: worded(
      "Votre licence {{ product }} se poursuit",
      greetings.fr,
      "Votre licence **{{ product }}** se poursuit, avec ses appareils et avec la clé que vous avez déjà. Elle se termine par **{{ key_last4 }}**.",
      "Nous vous avons récemment envoyé une autre clé, qui se termine par **{{ former_key_last4 }}**. Vous n’en avez pas besoin, et elle ne fonctionne pas.",
      validities.fr,
      ways.fr,
      vendor
    ),
    es: worded(
      "Su licencia de {{ product }} continúa",
      greetings.es,
      "Su licencia de **{{ product }}** continúa, con sus dispositivos y con la clave que ya tiene. Termina en **{{ key_last4 }}**.",
      "Hace poco le enviamos otra clave, que termina en **{{ former_key_last4 }}**. No la necesita, y no funciona.",
      validities.es,
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスは継続されます",
      greetings.ja,
      "**{{ product }}** のライセンスは、登録済みのデバイスと、すでにお持ちのライセンスキーのまま継続されます。そのキーの末尾は **{{ key_last4 }}** です。",
      "先日お送りした末尾が **{{ former_key_last4 }}** のキーは不要です。このキーは使用できません。",
      validities.ja,
      ways.ja,
      vendor
    )
  }
}
