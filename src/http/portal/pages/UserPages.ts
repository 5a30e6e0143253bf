import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { PortalUser, PortalUsersView } from "../../../domain/portal/PortalUser.ts"
import { escape } from "../../ground/pages/Markdown.ts"
import { formatsOf, noticeOf, portalPage } from "./PortalPages.ts"
import type { PortalNotice, PortalReader } from "./PortalPages.ts"
import { portalWords } from "./PortalWords.ts"
import { actionOf, licensePath, signInWords } from "./SignInWords.ts"
import { userWords } from "./UserWords.ts"
import type { UserWords } from "./UserWords.ts"

/** The name of a person, else the address or the account, of which each has one. */
export const personOf = ({ email, name, subject }: Pick<PortalUser, "email" | "name" | "subject">): string =>
  name ?? email ?? subject ?? ""

/** The devices of a person in a line: those that were seen last by name, and how many more there are. */
const devicesOf = ({ device_count, device_names }: PortalUser, language: MailLanguage): ReadonlyArray<string> => {
  const words = userWords[language]
  if (device_count === 0) return []
  const names = device_names.map((name) => name === "" ? portalWords[language].unnamed : name)
  const more = device_count - names.length
  const parts = more > 0 ? [...names, words.moreDevices(formatsOf(language).amount(more))] : names
  return [words.devices(new Intl.ListFormat(language, { type: "conjunction" }).format(parts))]
}

/** The state of a person in sentences, each a line. */
const linesOf = (user: PortalUser, language: MailLanguage): ReadonlyArray<string> => {
  const words = userWords[language]
  return [
    ...(user.name === undefined || user.email === undefined ? [] : [user.email]),
    user.status === "invited" ? words.invited : words.active,
    ...(user.last_seen_at === undefined ? [] : [words.lastSignIn(formatsOf(language).time(user.last_seen_at))]),
    ...devicesOf(user, language)
  ]
}

const resendForm = (
  licenseId: string,
  { id, who }: { readonly id: string; readonly who: string },
  words: UserWords
) => `
<form method="post" action="${escape(actionOf(licenseId, "resendInvitation", id))}"><button class="plain" aria-label="${
  escape(words.resendTo(who))
}">${escape(words.resend)}</button></form>`

/** The form that removes a person. It is folded away, because nothing but a new invitation takes it back. */
const removeForm = (
  licenseId: string,
  { id, who }: { readonly id: string; readonly who: string },
  words: UserWords
) => `
<details><summary aria-label="${escape(words.removeWho(who))}">${escape(words.remove)}</summary>
<form method="post" action="${escape(actionOf(licenseId, "removeUser", id))}"><p>${escape(words.removeLead)}</p>
<button class="plain">${escape(words.removeWho(who))}</button></form></details>`

const userOf = (
  { invitation, license }: PortalUsersView,
  user: PortalUser,
  language: MailLanguage
): string => {
  const words = userWords[language]
  const who = personOf(user)
  const named = { id: user.id, who }
  const isResent = user.status === "invited" && user.email !== undefined && invitation === "mail"
  return `<li class="whole"><span>${escape(who)}</span>${
    linesOf(user, language).map((line) => `<span class="quiet">${escape(line)}</span>`).join("")
  }<div class="line wraps">${removeForm(license.id, named, words)}${
    isResent ? resendForm(license.id, named, words) : ""
  }</div></li>`
}

/** The form that invites a person, or why there is none. */
const inviteForm = ({ invitation, license }: PortalUsersView, language: MailLanguage): string => {
  const words = userWords[language]
  return `
<section><h2>${escape(words.invite)}</h2>
${
    invitation === "none" ?
      `<p class="quiet">${escape(words.mailOff)}</p>` :
      `<form method="post" action="${escape(actionOf(license.id, "inviteUser"))}"><p>${
        escape(invitation === "mail" ? words.byMail : words.byWord)
      }</p>
<label class="name" for="email">${escape(signInWords[language].email)}</label>
<p><input type="email" id="email" name="email" required maxlength="320" autocomplete="off"></p>
<button>${escape(words.send)}</button></form>`
  }</section>`
}

/** The page with the people who use a license, for the customer who has it. */
export const usersPage = (reader: PortalReader, view: PortalUsersView, notice?: PortalNotice): string => {
  const { language } = reader
  const words = userWords[language]
  const { license, seats: { limit, taken }, users } = view
  const { amount } = formatsOf(language)
  const next = users?.page_info.next_cursor
  return portalPage(reader, {
    title: words.title,
    isSignedIn: true,
    main: `<p><a href="${escape(licensePath(license.id))}">${
      escape(license.names?.product ?? portalWords[language].back)
    }</a></p>
<h1>${escape(words.title)}</h1>
${noticeOf(notice)}<section><p>${escape(words.seats(amount(taken), amount(limit)))}</p>
${
      users === undefined
        ? `<p class="quiet">${escape(words.notAllowed)}</p>`
        : users.items.length === 0
        ? `<p class="quiet">${escape(words.none)}</p>`
        : `<ul>${users.items.map((user) => userOf(view, user, language)).join("\n")}</ul>`
    }${
      next === undefined || next === null
        ? ""
        : `\n<p><a href="${escape(actionOf(license.id, "inviteUser"))}?cursor=${encodeURIComponent(next)}">${
          escape(words.more)
        }</a></p>`
    }</section>${users === undefined ? "" : inviteForm(view, language)}`
  })
}
