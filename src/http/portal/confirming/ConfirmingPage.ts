import { escape } from "../../ground/pages/Layout.ts"
import { mailPage } from "../unsubscribe/UnsubscribePages.ts"
import type { MailPageReader } from "../unsubscribe/UnsubscribePages.ts"
import { confirmingWords } from "./ConfirmingWords.ts"

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
