import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { PortalTransfer } from "../../../domain/portal/PortalTransfer.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { formatsOf } from "./Formats.ts"
import { actionOf } from "./PortalPaths.ts"
import { transferWords } from "./TransferWords.ts"

/** The part of the page of a license by which its owner transfers it; nothing where that is not allowed. */
export const transferSection = (
  transfer: PortalTransfer | undefined,
  { language, licenseId }: { readonly language: MailLanguage; readonly licenseId: string }
): string => {
  if (transfer === undefined) return ""
  const words = transferWords[language]
  const { expires_at, recipient } = transfer
  const content = recipient === undefined || expires_at === undefined
    ? `<p>${escape(words.lead)}</p>
<form method="post" action="${escape(actionOf(licenseId, "askTransfer"))}">
<label class="name" for="new-owner">${escape(words.email)}</label>
<p><input type="email" id="new-owner" name="email" required maxlength="320" autocomplete="off"></p>
<button class="plain">${escape(words.ask)}</button></form>`
    : `<p>${escape(words.open(recipient, formatsOf(language).time(expires_at)))}</p>
<form method="post" action="${escape(actionOf(licenseId, "cancelTransfer"))}"><button class="plain">${
      escape(words.cancel)
    }</button></form>`
  return `
<section><h2>${escape(words.title)}</h2>
${content}</section>`
}
