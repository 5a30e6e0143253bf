import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import { unsubscribeStylesPath } from "../../../domain/mail/Unsubscribe.ts"
import type { Brand } from "../../../domain/keys/settings/ServiceSettings.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { unsubscribeWords } from "./UnsubscribeWords.ts"

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
