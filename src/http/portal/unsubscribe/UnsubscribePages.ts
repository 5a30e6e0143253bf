import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { Brand } from "../../../domain/keys/settings/ServiceSettings.ts"
import { unsubscribeStylesPath } from "../../../domain/mail/Unsubscribe.ts"
import { escape } from "../../ground/pages/Markdown.ts"

/** The words of the page on which recipients opt out of notices, in one language. */
interface UnsubscribeWords {
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

/** The member of the form by which notices are sent again. What is posted without it opts out: mail programs post what they like. */
export const resumeMember = "resume"

/** The state of the page: its button stops notices, or has them sent again; without a genuine link there is none. */
export type UnsubscribeView =
  | { readonly is: "subscribed" | "resumed" | "stopped" }
  | { readonly is: "refused"; readonly because: "unknown" | "tooMany" }

/** The reader of a page that a mail leads to: for whom it is written, and in whose name. */
export interface MailPageReader {
  readonly brand: Brand | undefined
  readonly language: MailLanguage
}

/**
 * A page that a mail leads to, with one card, which is HTML; the title is text. Its links are relative, so that it works under the
 * addresses of each environment.
 */
export const mailPage = ({ brand, language }: MailPageReader, title: string, card: string): string => {
  const logo = brand?.logo === undefined
    ? ""
    : `<img src="..${escape(brand.logo.path)}" width="${brand.logo.width}" height="${brand.logo.height}" alt="">`
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(brand?.name === undefined ? title : `${title} · ${brand.name}`)}</title>
<meta name="robots" content="noindex"><link rel="icon" href="data:,"><link rel="stylesheet" href="..${unsubscribeStylesPath}"></head>
<body><header><p>${logo}${escape(brand?.name ?? "")}</p></header>
<main>
<h1>${escape(title)}</h1>
<div class="card">${card}</div>
</main></body></html>
`
}

/** The page on which a recipient opts out of notices. Its form is sent to its own address. */
export const unsubscribePage = (reader: MailPageReader, view: UnsubscribeView): string => {
  const { language } = reader
  const words = unsubscribeWords[language]
  const stop = `<p>${escape(words.lead)}</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${
    escape(words.stop)
  }</button></form>`
  const content = {
    subscribed: () => stop,
    resumed: () => `<p role="status">${escape(words.resumed)}</p>\n${stop}`,
    stopped: () =>
      `<p role="status">${escape(words.stopped)}</p>
<p>${escape(words.stoppedLead)}</p>
<form method="post"><input type="hidden" name="${resumeMember}" value="1"><button class="plain">${
        escape(words.resume)
      }</button></form>`
  }
  return mailPage(
    reader,
    words.title,
    view.is === "refused" ? `<p role="alert">${escape(words[view.because])}</p>` : content[view.is]()
  )
}
