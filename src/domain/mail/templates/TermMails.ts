import { commonVariables, greetings, renewals, ways, worded } from "./MailDeclaration.ts"
import type { MailDeclaration } from "./MailDeclaration.ts"

const vendor = "{{ vendor }}"

/** The mail about a license that will expire. */
export const licenseExpiring: MailDeclaration = {
  isNotice: true,
  variables: {
    ...commonVariables,
    days: {
      type: "number",
      about: "How many days before the end the license is announced as expiring: one of `expiring_days` of its policy.",
      sample: 7
    }
  },
  texts: {
    en: worded(
      "Your license for {{ product }} will expire soon",
      greetings.en,
      "Your license for **{{ product }}** will expire{% if expires_at %} on {{ expires_at }}{% else %} soon{% endif %}.",
      "To continue to use {{ product }} without interruption, please renew your license before then.",
      renewals.en,
      ways.en,
      vendor
    ),
    de: worded(
      "Ihre Lizenz für {{ product }} läuft bald ab",
      greetings.de,
      "Ihre Lizenz für **{{ product }}** läuft {% if expires_at %}am {{ expires_at }}{% else %}bald{% endif %} ab.",
      "Wenn Sie {{ product }} ohne Unterbrechung weiter nutzen möchten, verlängern Sie Ihre Lizenz bitte rechtzeitig.",
      renewals.de,
      ways.de,
      vendor
    ),
    fr: worded(
      "Votre licence {{ product }} expire bientôt",
      greetings.fr,
      "Votre licence **{{ product }}** expire {% if expires_at %}le {{ expires_at }}{% else %}bientôt{% endif %}.",
      "Pour continuer à utiliser {{ product }} sans interruption, veuillez renouveler votre licence d’ici là.",
      renewals.fr,
      ways.fr,
      vendor
    ),
    es: worded(
      "Su licencia de {{ product }} caduca pronto",
      greetings.es,
      "Su licencia de **{{ product }}** caduca {% if expires_at %}el {{ expires_at }}{% else %}pronto{% endif %}.",
      "Para seguir usando {{ product }} sin interrupciones, renueve su licencia antes de esa fecha.",
      renewals.es,
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスの有効期限が近づいています",
      greetings.ja,
      "**{{ product }}** のライセンスは{% if expires_at %}{{ expires_at }}に{% else %}まもなく{% endif %}有効期限を迎えます。",
      "引き続き {{ product }} をお使いになる場合は、期限までにライセンスの更新をお願いいたします。",
      renewals.ja,
      ways.ja,
      vendor
    )
  }
}

/** The mail about a license that expired: while its grace lasts, it says until when the license still works. */
export const licenseExpired: MailDeclaration = {
  isNotice: true,
  variables: {
    ...commonVariables,
    serves_until: {
      type: "date",
      about: "The end of the grace period, as a day (UTC). Absent without one, and once it is over.",
      sample: new Date("2027-03-15T12:00:00Z"),
      isOptional: true
    }
  },
  texts: {
    en: worded(
      "Your license for {{ product }} has expired",
      greetings.en,
      "{% if expires_at %}Your license for **{{ product }}** expired on {{ expires_at }}.{% else %}Your license for " +
        "**{{ product }}** has expired.{% endif %}",
      "{% if serves_until %}You can keep using it until {{ serves_until }}. After that it stops working.{% else %}It no longer " +
        "works.{% endif %}",
      "To continue to use {{ product }}, please renew your license.",
      renewals.en,
      ways.en,
      vendor
    ),
    de: worded(
      "Ihre Lizenz für {{ product }} ist abgelaufen",
      greetings.de,
      "{% if expires_at %}Ihre Lizenz für **{{ product }}** ist am {{ expires_at }} abgelaufen.{% else %}Ihre Lizenz für " +
        "**{{ product }}** ist abgelaufen.{% endif %}",
      "{% if serves_until %}Sie können sie noch bis zum {{ serves_until }} nutzen. Danach funktioniert sie nicht mehr.{% else %}Sie " +
        "funktioniert nicht mehr.{% endif %}",
      "Wenn Sie {{ product }} weiter nutzen möchten, verlängern Sie bitte Ihre Lizenz.",
      renewals.de,
      ways.de,
      vendor
    ),
    fr: worded(
      "Votre licence {{ product }} a expiré",
      greetings.fr,
      "{% if expires_at %}Votre licence **{{ product }}** a expiré le {{ expires_at }}.{% else %}Votre licence " +
        "**{{ product }}** a expiré.{% endif %}",
      "{% if serves_until %}Vous pouvez encore l’utiliser jusqu’au {{ serves_until }}. Passé cette date, elle ne fonctionnera " +
        "plus.{% else %}Elle ne fonctionne plus.{% endif %}",
      "Pour continuer à utiliser {{ product }}, veuillez renouveler votre licence.",
      renewals.fr,
      ways.fr,
      vendor
    ),
    es: worded(
      "Su licencia de {{ product }} ha caducado",
      greetings.es,
      "{% if expires_at %}Su licencia de **{{ product }}** caducó el {{ expires_at }}.{% else %}Su licencia de " +
        "**{{ product }}** ha caducado.{% endif %}",
      "{% if serves_until %}Puede seguir usándola hasta el {{ serves_until }}. Después dejará de funcionar.{% else %}Ya no " +
        "funciona.{% endif %}",
      "Para seguir usando {{ product }}, renueve su licencia.",
      renewals.es,
      ways.es,
      vendor
    ),
    ja: worded(
      "{{ product }} のライセンスの有効期限が切れました",
      greetings.ja,
      "{% if expires_at %}**{{ product }}** のライセンスは{{ expires_at }}に有効期限を迎えました。{% else %}**{{ product }}** " +
        "のライセンスの有効期限が切れました。{% endif %}",
      "{% if serves_until %}{{ serves_until }}までは引き続きお使いいただけますが、その後は使用できなくなります。{% else %}現在は使用できません。{% endif %}",
      "引き続き {{ product }} をお使いになる場合は、ライセンスの更新をお願いいたします。",
      renewals.ja,
      ways.ja,
      vendor
    )
  }
}
