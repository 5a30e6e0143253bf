import type { MailLanguage } from "../../ground/wire/MailLanguage.ts"

/** What a mail says in the place of a variable: a text of one line, a number, or a day. */
export type MailValue = string | number | Date

/** The values of a mail, by the names of its variables; an optional one may be left out. */
export type MailValues = Readonly<Record<string, MailValue | undefined>>

interface Variable<Type extends string, Value extends MailValue> {
  readonly type: Type
  readonly about: string
  /** The value in previews, and in those renderings that a new template has to pass. */
  readonly sample: Value
  /** Whether a mail may have no such value: a template then asks for it by `if`, or names a `default`. */
  readonly isOptional?: boolean
  /** Whether customers or apps say it, and not the vendor (see ForeignName.ts). */
  readonly isForeign?: boolean
}

/** A variable of a mail. Numbers and days are written as the language of the mail writes them. */
type MailVariable = Variable<"text", string> | Variable<"number", number> | Variable<"date", Date>

/** The source of a mail: Liquid in its subject, and in a body of paragraphs (see MailMarkup.ts). */
export interface MailTemplate {
  readonly subject: string
  readonly body: string
}

/** A kind of mail, in one place: what it may say, and how it is worded in every language until the vendor rewords it. */
export interface MailDeclaration {
  /** Whether nobody asked for it: who opted out gets no notices, and a notice has a link to do so. */
  readonly isNotice: boolean
  readonly variables: Readonly<Record<string, MailVariable>>
  readonly texts: Readonly<Record<MailLanguage, MailTemplate>>
}

/** A text from its subject and its paragraphs. */
export const worded = (subject: string, ...paragraphs: ReadonlyArray<string>): MailTemplate => ({
  subject,
  body: `${paragraphs.join("\n\n")}\n`
})

/** Where the vendor can be asked, as the settings say: in every mail. */
export const contactVariables = {
  contact: {
    type: "text",
    about: "Where customers can ask: `support_contact` of the settings, an email address or a URL.",
    sample: "support@acme.example",
    isOptional: true
  }
} as const satisfies MailDeclaration["variables"]

/** The variables of every mail about a license. */
export const commonVariables = {
  ...contactVariables,
  vendor: {
    type: "text",
    about: "The vendor: the name of the brand, or else the name of the sender.",
    sample: "Acme Licensing"
  },
  product: { type: "text", about: "The name of the product.", sample: "Acme Studio" },
  customer_name: {
    type: "text",
    about: "The name of the owner of the license.",
    sample: "Ada Lovelace",
    isOptional: true,
    isForeign: true
  },
  expires_at: {
    type: "date",
    about: "The end of the license, as a day (UTC).",
    sample: new Date("2027-03-01T12:00:00Z"),
    isOptional: true
  },
  portal_url: {
    type: "text",
    about: "The address of the portal. Absent while it is off.",
    sample: "https://licenses.example.com/portal",
    isOptional: true
  },
  renewal_url: {
    type: "text",
    about: "Where a license can be renewed: `renewal_url` of the settings.",
    sample: "https://acme.example/renew",
    isOptional: true
  }
} as const satisfies MailDeclaration["variables"]

/** How each language addresses the owner of a license. */
export const greetings: Readonly<Record<MailLanguage, string>> = {
  en: "Hello{% if customer_name %} {{ customer_name }}{% endif %},",
  de: "Guten Tag{% if customer_name %} {{ customer_name }}{% endif %},",
  fr: "Bonjour{% if customer_name %} {{ customer_name }}{% endif %},",
  es: "Hola{% if customer_name %}, {{ customer_name }}{% endif %}:",
  ja: "{% if customer_name %}{{ customer_name }} 様{% else %}お客様{% endif %}"
}

/** How each language says until when the license is valid, where it ends. */
export const validities: Readonly<Record<MailLanguage, string>> = {
  en: "{% if expires_at %}The license is valid until {{ expires_at }}.{% endif %}",
  de: "{% if expires_at %}Die Lizenz ist bis zum {{ expires_at }} gültig.{% endif %}",
  fr: "{% if expires_at %}La licence est valable jusqu’au {{ expires_at }}.{% endif %}",
  es: "{% if expires_at %}La licencia es válida hasta el {{ expires_at }}.{% endif %}",
  ja: "{% if expires_at %}ライセンスの有効期限は{{ expires_at }}です。{% endif %}"
}

/** How each language says where the vendor can be asked, where the settings name it. */
export const contacts: Readonly<Record<MailLanguage, string>> = {
  en: "{% if contact %}Questions? You reach us at {{ contact }}{% endif %}",
  de: "{% if contact %}Fragen? Sie erreichen uns unter {{ contact }}{% endif %}",
  fr: "{% if contact %}Une question\u202f? Contactez-nous\u00a0: {{ contact }}{% endif %}",
  es: "{% if contact %}¿Tiene preguntas? Contacto: {{ contact }}{% endif %}",
  ja: "{% if contact %}お問い合わせ：{{ contact }}{% endif %}"
}

/** How each language says where the owner sees the license, and whom to ask. */
export const ways: Readonly<Record<MailLanguage, string>> = {
  en: `{% if portal_url %}Your license online: [{{ portal_url }}]({{ portal_url }}){% endif %}\n${contacts.en}`,
  de: `{% if portal_url %}Ihre Lizenz online: [{{ portal_url }}]({{ portal_url }}){% endif %}\n${contacts.de}`,
  fr:
    `{% if portal_url %}Votre licence en ligne\u00a0: [{{ portal_url }}]({{ portal_url }}){% endif %}\n${contacts.fr}`,
  es: `{% if portal_url %}Su licencia en línea: [{{ portal_url }}]({{ portal_url }}){% endif %}\n${contacts.es}`,
  ja: `{% if portal_url %}ライセンスの確認：[{{ portal_url }}]({{ portal_url }}){% endif %}\n${contacts.ja}`
}

/** How each language links to where a license is renewed, where the settings name it. */
export const renewals: Readonly<Record<MailLanguage, string>> = {
  en: "{% if renewal_url %}[Renew the license]({{ renewal_url }}){% endif %}",
  de: "{% if renewal_url %}[Lizenz verlängern]({{ renewal_url }}){% endif %}",
  fr: "{% if renewal_url %}[Renouveler la licence]({{ renewal_url }}){% endif %}",
  es: "{% if renewal_url %}[Renovar la licencia]({{ renewal_url }}){% endif %}",
  ja: "{% if renewal_url %}[ライセンスを更新する]({{ renewal_url }}){% endif %}"
}
