import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import { escape } from "../../ground/pages/Markdown.ts"
import { mailPage } from "../unsubscribe/UnsubscribePages.ts"
import type { MailPageReader } from "../unsubscribe/UnsubscribePages.ts"

/** The words of the page on which a person confirms a sign-in to an app, in one language. */
interface ConfirmingWords {
  readonly title: string
  readonly lead: (product: string, email: string) => string
  readonly compare: string
  readonly confirm: string
  readonly confirmed: string
  readonly unknown: string
  readonly tooMany: string
}

/** The words in every language of mails. */
const confirmingWords: Readonly<Record<MailLanguage, ConfirmingWords>> = {
  en: {
    title: "Confirm the sign-in",
    lead: (product, email) => `You sign in to ${product} as ${email}.`,
    compare: "Confirm only if you are signing in at this moment, and your app shows these characters:",
    confirm: "Confirm",
    confirmed: "The sign-in is confirmed. Go back to the app.",
    unknown: "This link was used already or no longer works. Begin the sign-in in the app again.",
    tooMany: "There were too many attempts. Wait a minute and try again."
  },
  de: {
    title: "Anmeldung bestätigen",
    lead: (product, email) => `Sie melden sich bei ${product} an als ${email}.`,
    compare: "Bestätigen Sie nur, wenn Sie sich gerade anmelden und Ihre Anwendung diese Zeichen anzeigt:",
    confirm: "Bestätigen",
    confirmed: "Die Anmeldung ist bestätigt. Kehren Sie zur Anwendung zurück.",
    unknown:
      "Dieser Link wurde schon verwendet oder gilt nicht mehr. Beginnen Sie die Anmeldung in der Anwendung erneut.",
    tooMany: "Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es erneut."
  },
  fr: {
    title: "Confirmer la connexion",
    lead: (product, email) => `Vous vous connectez à ${product} en tant que ${email}.`,
    compare:
      "Confirmez seulement si vous êtes en train de vous connecter et si votre application affiche ces caractères\u00a0:",
    confirm: "Confirmer",
    confirmed: "La connexion est confirmée. Revenez à l’application.",
    unknown: "Ce lien a déjà servi ou n’est plus valable. Recommencez la connexion dans l’application.",
    tooMany: "Trop de tentatives. Attendez une minute, puis réessayez."
  },
  es: {
    title: "Confirmar el inicio de sesión",
    lead: (product, email) => `Inicia sesión en ${product} como ${email}.`,
    compare: "Confirme solo si está iniciando sesión ahora y su aplicación muestra estos caracteres:",
    confirm: "Confirmar",
    confirmed: "El inicio de sesión está confirmado. Vuelva a la aplicación.",
    unknown: "Este enlace ya se usó o ya no vale. Empiece de nuevo el inicio de sesión en la aplicación.",
    tooMany: "Hubo demasiados intentos. Espere un minuto e inténtelo de nuevo."
  },
  ja: {
    title: "サインインの確認",
    lead: (product, email) => `${email} として ${product} にサインインします。`,
    compare: "ご自身がサインイン中で、アプリに次の文字が表示されている場合にのみ確認してください。",
    confirm: "確認する",
    confirmed: "サインインを確認しました。アプリに戻ってください。",
    unknown: "このリンクは使用済みか、無効になっています。アプリでもう一度サインインを始めてください。",
    tooMany: "試行回数が多すぎます。1分ほど待ってからもう一度お試しください。"
  }
}

/** Where the link in the mail to a user who signs in leads. */
export const confirmingPath = "/user-sign-in"

/** The state of the page: its button confirms a sign-in; without one that waits there is none. */
export type ConfirmingView =
  | {
    readonly is: "waiting"
    readonly secret: string
    readonly product: string
    readonly email: string
    readonly reference: string
  }
  | { readonly is: "confirmed" }
  | { readonly is: "refused"; readonly because: "unknown" | "tooMany" }

const contentOf = (view: ConfirmingView, words: (typeof confirmingWords)["en"]): string => {
  switch (view.is) {
    case "waiting":
      return `<p>${escape(words.lead(view.product, view.email))}</p>
<p>${escape(words.compare)}</p>
<p class="key">${escape(view.reference)}</p>
<form method="post" action="${confirmingPath}"><input type="hidden" name="token" value="${
        escape(view.secret)
      }"><button>${escape(words.confirm)}</button></form>`
    case "confirmed":
      return `<p role="status">${escape(words.confirmed)}</p>`
    case "refused":
      return `<p role="alert">${escape(words[view.because])}</p>`
  }
}

/** The page of the link in a mail to a user who signs in. Programs that look into mails open it, too: only its button confirms. */
export const confirmingPage = (reader: MailPageReader, view: ConfirmingView): string => {
  const words = confirmingWords[reader.language]
  return mailPage(reader, words.title, contentOf(view, words))
}
