import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"

/** The words of the page on which recipients opt out of notices, in one language. */
export interface UnsubscribeWords {
  readonly title: string
  readonly lead: string
  readonly stop: string
  readonly stopped: string
  readonly stoppedLead: string
  readonly resume: string
  readonly resumed: string
  readonly unknown: string
  readonly tooMany: string
}

/** The words in every language of mails. */
export const unsubscribeWords: Readonly<Record<MailLanguage, UnsubscribeWords>> = {
  en: {
    title: "Email notices",
    lead:
      "Stop notices about your licenses, such as those about their expiry? Emails that you ask for, such as a license key, still reach you.",
    stop: "Stop notices",
    stopped: "You will get no more notices.",
    stoppedLead: "Emails that you ask for, such as a license key, still reach you.",
    resume: "Send notices again",
    resumed: "You will get notices again.",
    unknown: "This link does not work. Use the whole link from the email.",
    tooMany: "There were too many attempts. Wait a minute and try again."
  },
  de: {
    title: "Benachrichtigungen per E-Mail",
    lead:
      "Möchten Sie keine Benachrichtigungen mehr zu Ihren Lizenzen erhalten, etwa zu deren Ablauf? Nachrichten, die Sie selbst anfordern, etwa ein Lizenzschlüssel, erreichen Sie weiterhin.",
    stop: "Benachrichtigungen beenden",
    stopped: "Sie erhalten keine Benachrichtigungen mehr.",
    stoppedLead: "Nachrichten, die Sie selbst anfordern, etwa ein Lizenzschlüssel, erreichen Sie weiterhin.",
    resume: "Wieder benachrichtigen",
    resumed: "Sie erhalten wieder Benachrichtigungen.",
    unknown: "Dieser Link ist ungültig. Verwenden Sie den vollständigen Link aus der Nachricht.",
    tooMany: "Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal."
  },
  fr: {
    title: "Notifications par e-mail",
    lead:
      "Voulez-vous ne plus recevoir de notifications sur vos licences, par exemple sur leur expiration\u00a0? Les messages que vous demandez, comme une clé de licence, vous parviendront toujours.",
    stop: "Ne plus recevoir de notifications",
    stopped: "Vous ne recevrez plus de notifications.",
    stoppedLead: "Les messages que vous demandez, comme une clé de licence, vous parviendront toujours.",
    resume: "Recevoir à nouveau les notifications",
    resumed: "Vous recevez à nouveau les notifications.",
    unknown: "Ce lien ne fonctionne pas. Utilisez le lien complet qui figure dans le message.",
    tooMany: "Trop de tentatives. Attendez une minute, puis réessayez."
  },
  es: {
    title: "Avisos por correo",
    lead:
      "¿Quiere dejar de recibir avisos sobre sus licencias, por ejemplo sobre su caducidad? Los correos que usted solicite, como una clave de licencia, le seguirán llegando.",
    stop: "Dejar de recibir avisos",
    stopped: "Ya no recibirá más avisos.",
    stoppedLead: "Los correos que usted solicite, como una clave de licencia, le seguirán llegando.",
    resume: "Volver a recibir avisos",
    resumed: "Volverá a recibir avisos.",
    unknown: "Este enlace no funciona. Use el enlace completo del correo.",
    tooMany: "Hubo demasiados intentos. Espere un minuto e inténtelo de nuevo."
  },
  ja: {
    title: "メールによるお知らせ",
    lead:
      "有効期限など、ライセンスに関するお知らせの配信を停止しますか。ライセンスキーなど、ご自身でリクエストされたメールは引き続きお届けします。",
    stop: "お知らせを停止する",
    stopped: "お知らせの配信を停止しました。",
    stoppedLead: "ライセンスキーなど、ご自身でリクエストされたメールは引き続きお届けします。",
    resume: "お知らせを再開する",
    resumed: "お知らせの配信を再開しました。",
    unknown: "このリンクは無効です。メールに記載されたリンク全体をお使いください。",
    tooMany: "試行回数が多すぎます。1分ほど待ってから、もう一度お試しください。"
  }
}
