import { commonVariables, contacts, contactVariables, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

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
