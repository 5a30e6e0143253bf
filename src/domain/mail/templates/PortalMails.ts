import { commonVariables, contacts, contactVariables, greetings, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

const code = "{% if code %}`{{ code }}`{% endif %}"

const vendor = "{{ vendor }}"

/** The mail with a link into the portal. */
export const portalLink: MailDeclaration = {
  isNotice: false,
  variables: {
    ...contactVariables,
    vendor: commonVariables.vendor,
    customer_name: { ...commonVariables.customer_name, about: "The name of the customer." },
    link: {
      type: "text",
      about: "The address of the page on which the customer signs in. It works once, within 15 minutes.",
      sample: "https://licenses.example.com/portal/link?token=cpl_sample"
    },
    code: {
      type: "text",
      about:
        "The code to be typed on the page where the customer asked for the link; none in a mail that the vendor has sent.",
      sample: "7K3P-9WQX",
      isOptional: true
    }
  },
  texts: {
    en: worded(
      "Your link to your licenses",
      greetings.en,
      "This link signs you in to your licenses. It works once, within 15 minutes.",
      "[Sign in]({{ link }})",
      "{% if code %}On another device? Then enter this code on the page where you asked for the link:{% endif %}",
      code,
      "You did not ask for this email? Then ignore it. Do not share it: anyone who has it can sign in.",
      contacts.en,
      vendor
    ),
    de: worded(
      "Ihr Link zu Ihren Lizenzen",
      greetings.de,
      "über diesen Link gelangen Sie zu Ihren Lizenzen. Er ist 15 Minuten lang gültig und funktioniert nur einmal.",
      "[Anmelden]({{ link }})",
      "{% if code %}Auf einem anderen Gerät? Dann geben Sie diesen Code auf der Seite ein, auf der Sie den Link angefordert haben:{% endif %}",
      code,
      "Sie haben diese Nachricht nicht angefordert? Dann ignorieren Sie sie: Ohne sie kann sich niemand anmelden. Geben Sie sie nicht weiter.",
      contacts.de,
      vendor
    ),
    fr: worded(
      "Votre lien vers vos licences",
      greetings.fr,
      "Ce lien vous donne accès à vos licences. Il fonctionne une seule fois, pendant 15 minutes.",
      "[Se connecter]({{ link }})",
      "{% if code %}Sur un autre appareil\u00a0? Saisissez alors ce code sur la page où vous avez demandé le lien\u00a0:{% endif %}",
      code,
      "Vous n’avez pas demandé ce message\u00a0? Ignorez-le\u00a0: personne ne peut se connecter sans lui. Ne le transmettez à personne.",
      contacts.fr,
      vendor
    ),
    es: worded(
      "Su enlace a sus licencias",
      greetings.es,
      "Con este enlace accede a sus licencias. Funciona una sola vez, durante 15 minutos.",
      "[Iniciar sesión]({{ link }})",
      "{% if code %}¿En otro dispositivo? Entonces escriba este código en la página donde pidió el enlace:{% endif %}",
      code,
      "¿No pidió este correo? Entonces ignórelo: nadie puede entrar sin él. No lo comparta.",
      contacts.es,
      vendor
    ),
    ja: worded(
      "ライセンスのページへのリンク",
      greetings.ja,
      "次のリンクからライセンスのページにサインインできます。15分以内に1回だけ使用できます。",
      "[サインイン]({{ link }})",
      "{% if code %}別のデバイスの場合は、リンクをリクエストしたページに次のコードを入力してください。{% endif %}",
      code,
      "このメールにお心当たりがない場合は、破棄してください。このメールがなければ、どなたもサインインできません。ほかの方には転送しないでください。",
      contacts.ja,
      vendor
    )
  }
}
