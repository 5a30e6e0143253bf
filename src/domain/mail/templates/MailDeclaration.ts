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
  /** Whether customers or apps say it, and not the vendor (see MailTemplates.ts). */
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

const vendor = "{{ vendor }}"

const { product } = commonVariables

/**
 * The mail to a person whom the owner of a license wants to give it to. It names the owner by the address that he or she has proven:
 * a name could be anything.
 */
export const licenseTransfer: MailDeclaration = {
  isNotice: false,
  variables: {
    ...contactVariables,
    vendor: commonVariables.vendor,
    product,
    owner_email: {
      type: "text",
      about: "The email address of the owner who gives the license away.",
      sample: "ada@example.com"
    },
    answer_by: {
      type: "date",
      about: "The day until which the license can be accepted (UTC).",
      sample: new Date("2026-11-24T12:00:00Z")
    },
    link: {
      type: "text",
      about: "The address of the page on which the license is accepted. It works once, within 72 hours.",
      sample: "https://licenses.example.com/portal/transfer?token=clt_sample"
    }
  },
  texts: {
    en: worded(
      "A license for {{ product }} is offered to you",
      "Hello,",
      "{{ owner_email }} wants to transfer a license for **{{ product }}** to you. If you accept it by {{ answer_by }}, it is yours: " +
        "its devices are released, and it gets a new license key.",
      "[See the license]({{ link }})",
      "You do not expect this? Then ignore this email: nothing happens. Do not share it: anyone who has it can take the license.",
      contacts.en,
      vendor
    ),
    de: worded(
      "Ihnen wird eine Lizenz für {{ product }} angeboten",
      "Guten Tag,",
      "{{ owner_email }} möchte Ihnen eine Lizenz für **{{ product }}** übertragen. Wenn Sie sie bis zum {{ answer_by }} annehmen, gehört sie Ihnen: " +
        "Die bisherigen Geräte werden freigegeben, und sie erhält einen neuen Lizenzschlüssel.",
      "[Lizenz ansehen]({{ link }})",
      "Sie erwarten das nicht? Dann ignorieren Sie diese Nachricht: Es geschieht nichts. Geben Sie sie nicht weiter: Wer sie hat, kann die Lizenz annehmen.",
      contacts.de,
      vendor
    ),
    fr: worded(
      "Une licence {{ product }} vous est proposée",
      "Bonjour,",
      "{{ owner_email }} souhaite vous transférer une licence **{{ product }}**. Si vous l’acceptez au plus tard le {{ answer_by }}, elle est à vous\u00a0: " +
        "ses appareils sont libérés et elle reçoit une nouvelle clé.",
      "[Voir la licence]({{ link }})",
      "Vous n’attendez rien de tel\u00a0? Ignorez ce message\u00a0: rien ne se passera. Ne le transmettez à personne\u00a0: quiconque le possède peut prendre la licence.",
      contacts.fr,
      vendor
    ),
    es: worded(
      "Le ofrecen una licencia de {{ product }}",
      "Hola:",
      "{{ owner_email }} quiere transferirle una licencia de **{{ product }}**. Si la acepta hasta el {{ answer_by }}, será suya: " +
        "se liberan los dispositivos actuales y recibe una clave nueva.",
      "[Ver la licencia]({{ link }})",
      "¿No esperaba este correo? Entonces ignórelo: no pasará nada. No lo comparta: quien lo tenga puede quedarse con la licencia.",
      contacts.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスの譲渡について",
      "お客様",
      "{{ owner_email }} 様が **{{ product }}** のライセンスをお客様に譲渡することを希望しています。{{ answer_by }}までに承諾されると、ライセンスはお客様のものになります。" +
        "登録済みのデバイスは解除され、新しいライセンスキーが発行されます。",
      "[ライセンスを確認する]({{ link }})",
      "お心当たりがない場合は、このメールを破棄してください。何も変更されません。このメールがあればだれでもライセンスを受け取れるため、ほかの方には転送しないでください。",
      contacts.ja,
      vendor
    )
  }
}
