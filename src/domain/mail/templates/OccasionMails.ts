import { commonVariables, greetings, ways, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

const vendor = "{{ vendor }}"

/** The mail about a quota of which a share is used, or little is left. */
export const quotaThreshold: MailDeclaration = {
  isNotice: true,
  variables: {
    ...commonVariables,
    feature: { type: "text", about: "The name of the feature.", sample: "PDF exports" },
    used: { type: "number", about: "The usage so far, in the period of the quota.", sample: 812 },
    quota: { type: "number", about: "The quota, with grants.", sample: 1000 },
    remaining: { type: "number", about: "The part of the quota that is left.", sample: 188 },
    percentage: {
      type: "number",
      about:
        "The percentage of `quota_thresholds` that was reached. Absent where a number of `remaining_thresholds` was.",
      sample: 80,
      isOptional: true
    },
    resets_at: {
      type: "date",
      about: "The time of the next reset of the quota, as a day (UTC). Absent where it has no period.",
      sample: new Date("2027-03-01T00:00:00Z"),
      isOptional: true
    }
  },
  texts: {
    en: worded(
      "{{ product }}: {{ remaining }} of {{ quota }} left for {{ feature }}",
      greetings.en,
      "Your license for **{{ product }}** has used {{ used }} of {{ quota }} for **{{ feature }}**. That leaves {{ remaining }}.",
      "{% if resets_at %}The count starts again on {{ resets_at }}.{% endif %}",
      "If you need more, please contact us.",
      ways.en,
      vendor
    ),
    de: worded(
      "{{ product }}: noch {{ remaining }} von {{ quota }} übrig für {{ feature }}",
      greetings.de,
      "mit Ihrer Lizenz für **{{ product }}** wurden {{ used }} von {{ quota }} für **{{ feature }}** verbraucht. " +
        "Übrig sind noch {{ remaining }}.",
      "{% if resets_at %}Am {{ resets_at }} beginnt die Zählung von vorn.{% endif %}",
      "Wenn Sie mehr benötigen, melden Sie sich bitte bei uns.",
      ways.de,
      vendor
    ),
    fr: worded(
      "{{ product }}\u00a0: il reste {{ remaining }} sur {{ quota }} pour {{ feature }}",
      greetings.fr,
      "Avec votre licence **{{ product }}**, vous avez utilisé {{ used }} sur {{ quota }} pour **{{ feature }}**. Il en reste {{ remaining }}.",
      "{% if resets_at %}Le décompte repart de zéro le {{ resets_at }}.{% endif %}",
      "S’il vous en faut davantage, contactez-nous.",
      ways.fr,
      vendor
    ),
    es: worded(
      "{{ product }}: quedan {{ remaining }} de {{ quota }} de {{ feature }}",
      greetings.es,
      "Con su licencia de **{{ product }}** se han usado {{ used }} de {{ quota }} de **{{ feature }}**. Quedan {{ remaining }}.",
      "{% if resets_at %}El recuento vuelve a empezar el {{ resets_at }}.{% endif %}",
      "Si necesita más, póngase en contacto con nosotros.",
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }}：{{ feature }} の残りは {{ quota }} のうち {{ remaining }} です",
      greetings.ja,
      "**{{ product }}** のライセンスで、**{{ feature }}** の上限 {{ quota }} のうち {{ used }} をご使用になりました。残りは {{ remaining }} です。",
      "{% if resets_at %}使用量は{{ resets_at }}にリセットされます。{% endif %}",
      "追加が必要な場合は、お問い合わせください。",
      ways.ja,
      vendor
    )
  }
}

/** The mail about a device that took a seat for the first time. */
export const deviceAdded: MailDeclaration = {
  isNotice: true,
  variables: {
    ...commonVariables,
    device: {
      type: "text",
      about: "The name of the device, as the app named its machine.",
      sample: "Ada’s laptop",
      isOptional: true,
      isForeign: true
    },
    added_at: {
      type: "date",
      about: "When the device was activated, as a day (UTC).",
      sample: new Date("2027-02-15T12:00:00Z")
    }
  },
  texts: {
    en: worded(
      "A new device is using your license for {{ product }}",
      greetings.en,
      "Your license for **{{ product }}** was activated on a new device{% if device %}, **{{ device }}**,{% endif %} on {{ added_at }}.",
      "If this was you, there is nothing you need to do. If you do not recognize the device, please contact us.",
      ways.en,
      vendor
    ),
    de: worded(
      "Ein neues Gerät nutzt Ihre Lizenz für {{ product }}",
      greetings.de,
      "Ihre Lizenz für **{{ product }}** wurde am {{ added_at }} auf einem neuen Gerät{% if device %} (**{{ device }}**){% endif %} " +
        "aktiviert.",
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn Sie das Gerät nicht kennen, melden Sie sich bitte bei uns.",
      ways.de,
      vendor
    ),
    fr: worded(
      "Un nouvel appareil utilise votre licence {{ product }}",
      greetings.fr,
      "Votre licence **{{ product }}** a été activée le {{ added_at }} sur un nouvel appareil{% if device %} " +
        "(**{{ device }}**){% endif %}.",
      "S’il s’agit de vous, vous n’avez rien à faire. Si vous ne connaissez pas cet appareil, contactez-nous.",
      ways.fr,
      vendor
    ),
    es: worded(
      "Un dispositivo nuevo usa su licencia de {{ product }}",
      greetings.es,
      "Su licencia de **{{ product }}** se activó el {{ added_at }} en un dispositivo nuevo{% if device %} " +
        "(**{{ device }}**){% endif %}.",
      "Si fue usted, no tiene que hacer nada. Si no reconoce el dispositivo, póngase en contacto con nosotros.",
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスが新しいデバイスで使用されました",
      greetings.ja,
      "**{{ product }}** のライセンスが、{{ added_at }}に新しいデバイス{% if device %}（**{{ device }}**）{% endif %}で有効化されました。",
      "お心当たりがある場合は、何もしていただく必要はありません。お心当たりのないデバイスの場合は、お問い合わせください。",
      ways.ja,
      vendor
    )
  }
}

/** The mail about a payment of a subscription that failed. */
export const paymentFailed: MailDeclaration = {
  isNotice: true,
  variables: commonVariables,
  texts: {
    en: worded(
      "A payment for {{ product }} failed",
      greetings.en,
      "A payment for your subscription to **{{ product }}** did not go through.",
      "Please check your payment details, so that your license stays valid.",
      ways.en,
      vendor
    ),
    de: worded(
      "Eine Zahlung für {{ product }} ist fehlgeschlagen",
      greetings.de,
      "eine Zahlung für Ihr Abonnement von **{{ product }}** konnte nicht ausgeführt werden.",
      "Bitte prüfen Sie Ihre Zahlungsdaten, damit Ihre Lizenz gültig bleibt.",
      ways.de,
      vendor
    ),
    fr: worded(
      "Un paiement pour {{ product }} a échoué",
      greetings.fr,
      "Un paiement de votre abonnement à **{{ product }}** n’a pas abouti.",
      "Veuillez vérifier vos informations de paiement afin que votre licence reste valable.",
      ways.fr,
      vendor
    ),
    es: worded(
      "No se ha podido realizar un pago de {{ product }}",
      greetings.es,
      "No se ha podido realizar un pago de su suscripción a **{{ product }}**.",
      "Revise sus datos de pago para que su licencia siga siendo válida.",
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のお支払いを処理できませんでした",
      greetings.ja,
      "**{{ product }}** のサブスクリプションのお支払いを処理できませんでした。",
      "ライセンスを引き続きご利用いただくため、お支払い情報をご確認ください。",
      ways.ja,
      vendor
    )
  }
}
