import type { License } from "../../../domain/licensing/licenses/License.ts"
import type { PortalPurchase } from "../../../domain/portal/PortalLanguage.ts"
import type { PortalAccount } from "../../../domain/portal/PortalView.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { escape } from "../../ground/pages/Markdown.ts"
import { unsubscribeWords } from "../unsubscribe/UnsubscribePages.ts"
import { formatsOf, noticeOf, portalPage, termOf } from "./PortalPages.ts"
import type { PortalNotice, PortalReader } from "./PortalPages.ts"
import { portalWords } from "./PortalWords.ts"
import { purchaseWords } from "./PurchaseWords.ts"
import { customersPath, licensePath, portalActions, portalPath, purchasesPath, signInWords } from "./SignInWords.ts"
import type { PortalAction } from "./SignInWords.ts"

/** How the providers write their names. */
const providerNames: Readonly<Record<Provider, string>> = {
  stripe: "Stripe",
  paddle: "Paddle",
  lemon_squeezy: "Lemon Squeezy",
  fastspring: "FastSpring",
  chargebee: "Chargebee"
}

/** Whether notices are sent to the customer, and the button that changes it. */
const noticesOf = ({ notices }: PortalAccount, { language }: PortalReader): string => {
  const words = unsubscribeWords[language]
  if (notices === undefined) return ""
  const { areSent, email } = notices
  return `
<section><h2>${escape(words.title)}</h2>
<p>${escape(email)}</p>
<p>${escape(areSent ? words.lead : `${words.stopped} ${words.stoppedLead}`)}</p>
<form method="post" action="${portalPath}${portalActions.setNotices}"><input type="hidden" name="notices" value="${
    areSent ? "off" : "on"
  }"><button class="plain">${escape(areSent ? words.stop : words.resume)}</button></form></section>`
}

/** The sections of a customer's first page that follow the licenses. */
const accountSections = (account: PortalAccount, reader: PortalReader): string =>
  `${
    account.hasPurchases
      ? `\n<section><h2><a href="${purchasesPath}">${escape(purchaseWords[reader.language].title)}</a></h2></section>`
      : ""
  }${noticesOf(account, reader)}`

/** The state and the dates of a purchase, in sentences. */
const sentencesOf = (purchase: PortalPurchase, { language }: PortalReader): string => {
  const words = purchaseWords[language]
  const { date } = formatsOf(language)
  const { beganAt, cancelAt, endedAt, paidThrough, refund, state } = purchase
  const isOver = endedAt !== undefined
  return [
    words.states[state],
    ...(refund === "none" ? [] : [words.refunds[refund]]),
    ...(purchase.dispute === "none" ? [] : [words.disputed]),
    ...(beganAt === undefined ? [] : [words.boughtAt(date(beganAt))]),
    ...(isOver ? [words.endedAt(date(endedAt))] : []),
    ...(paidThrough === undefined || isOver ? [] : [words.paidThrough(date(paidThrough))]),
    ...(cancelAt === undefined || isOver ? [] : [words.endsAt(date(cancelAt))])
  ].join(" ")
}

/** The units that a purchase gave and that can be used still, a line for each feature and end. */
const unitLines = ({ units }: PortalPurchase, { language }: PortalReader): ReadonlyArray<string> => {
  const words = purchaseWords[language]
  const { amount: written, date } = formatsOf(language)
  return units.map(({ amount, decimals, endsAt, feature }) => {
    const what = `${written(amount, decimals)} × ${feature}`
    return endsAt === undefined ? words.units(what) : words.unitsUntil(what, date(endsAt))
  })
}

const purchaseOf = (purchase: PortalPurchase, reader: PortalReader): string => {
  const words = purchaseWords[reader.language]
  const { amount } = formatsOf(reader.language)
  const provider = providerNames[purchase.provider]
  const items = purchase.items.map(({ name, quantity }) =>
    `${name ?? words.unnamed}${quantity === 1 ? "" : ` × ${amount(quantity)}`}`
  )
  return `<li class="whole"><span>${escape(items.length === 0 ? words.unnamed : items.join(", "))}</span>
<span>${escape(sentencesOf(purchase, reader))}</span>
${unitLines(purchase, reader).map((line) => `<span>${escape(line)}</span>\n`).join("")}<span class="quiet">${
    escape(words.number(purchase.externalId, provider))
  }</span>${
    purchase.portalUrl === undefined
      ? ""
      : `\n<p class="links"><a href="${escape(purchase.portalUrl)}" rel="noreferrer">${
        escape(words.manage(provider))
      }</a></p>`
  }</li>`
}

/** The page with the purchases of a customer. */
export const purchasesPage = (
  reader: PortalReader,
  { next, purchases }: {
    readonly purchases: ReadonlyArray<PortalPurchase>
    readonly next: string | null | undefined
  },
  notice?: PortalNotice
): string => {
  const words = purchaseWords[reader.language]
  return portalPage(reader, {
    title: words.title,
    isSignedIn: true,
    main: `<p><a href="${portalPath}">${escape(signInWords[reader.language].otherLicenses)}</a></p>
<h1>${escape(words.title)}</h1>
${noticeOf(notice)}<section>${
      purchases.length === 0
        ? `<p class="quiet">${escape(words.none)}</p>`
        : `<ul>${purchases.map((purchase) => purchaseOf(purchase, reader)).join("\n")}</ul>`
    }${
      next === undefined || next === null
        ? ""
        : `\n<p><a href="${purchasesPath}?cursor=${encodeURIComponent(next)}">${escape(words.more)}</a></p>`
    }</section>`
  })
}

/** Where the form of an action on no license is sent. */
const actionOf = (action: PortalAction, id = ""): string =>
  escape(portalPath + portalActions[action].replace(":customer_id", id))

/** The form that asks for a link to an address. */
const byMail = ({ language }: PortalReader): string => {
  const words = signInWords[language]
  return `
<form class="card" method="post" action="${actionOf("askLink")}">
<h2>${escape(words.byMail)}</h2>
<p>${escape(words.byMailLead)}</p>
<label class="name" for="email">${escape(words.email)}</label>
<p><input type="email" id="email" name="email" required maxlength="320" autocomplete="email"></p>
<p><button>${escape(words.sendLink)}</button></p>
</form>`
}

/** The page on which a customer signs in: by a license key, and by mail where links are offered. */
export const signInPage = (reader: PortalReader, isByMail: boolean, notice?: PortalNotice): string => {
  const words = portalWords[reader.language]
  return portalPage(reader, {
    title: words.signIn,
    isSignedIn: false,
    main: `<h1>${escape(words.title)}</h1>
${noticeOf(notice)}<form class="card" method="post" action="${actionOf("signIn")}">
<p>${escape(words.signInLead)}</p>
<label class="name" for="key">${escape(words.licenseKey)}</label>
<p><input type="text" id="key" name="license_key" required maxlength="255" autocomplete="off" autocapitalize="characters" spellcheck="false"
 aria-describedby="key-help"></p>
<p class="quiet" id="key-help">${escape(words.keyHelp)}</p>
<p><button>${escape(words.signIn)}</button></p>
</form>${isByMail ? byMail(reader) : ""}`
  })
}

/** The page after a link was asked for, the same for every address. */
export const sentPage = (reader: PortalReader, notice?: PortalNotice): string => {
  const words = signInWords[reader.language]
  return portalPage(reader, {
    title: words.sent,
    isSignedIn: false,
    main: `<h1>${escape(words.sent)}</h1>
${noticeOf(notice)}<p>${escape(words.sentLead)}</p>
<form class="card" method="post" action="${actionOf("enterCode")}">
<p>${escape(words.codeLead)}</p>
<label class="name" for="code">${escape(words.code)}</label>
<p><input type="text" id="code" name="code" required maxlength="40" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false"></p>
<p><button>${escape(portalWords[reader.language].signIn)}</button></p>
</form>
<p><a href="${portalPath}">${escape(words.sendLink)}</a></p>`
  })
}

/** The page of a link. Programs that look into mails open it, too: only its button spends the link. */
export const linkPage = (reader: PortalReader, link: { readonly secret: string; readonly who: string }): string => {
  const words = signInWords[reader.language]
  return portalPage(reader, {
    title: words.linkTitle,
    isSignedIn: false,
    main: `<h1>${escape(words.linkTitle)}</h1>
<form class="card" method="post" action="${actionOf("spendLink")}">
<p>${escape(words.linkLead(link.who))}</p>
<input type="hidden" name="token" value="${escape(link.secret)}">
<p><button>${escape(portalWords[reader.language].signIn)}</button></p>
</form>`
  })
}

/** The page on which one of several customers with one address is chosen. */
export const customersPage = (
  reader: PortalReader,
  customers: ReadonlyArray<{ readonly id: string; readonly name: string }>,
  notice?: PortalNotice
): string => {
  const words = signInWords[reader.language]
  return portalPage(reader, {
    title: words.customers,
    isSignedIn: true,
    main: `<h1>${escape(words.customers)}</h1>
${noticeOf(notice)}<section><p>${escape(words.customersLead)}</p>
<ul>${
      customers.map(({ id, name }) =>
        `<li><form method="post" action="${actionOf("choose", id)}"><button class="plain">${
          escape(name)
        }</button></form></li>`
      ).join("\n")
    }</ul></section>`
  })
}

/** The licenses of a customer as a page lists them. */
export interface ListedLicenses {
  readonly licenses: ReadonlyArray<License>
  readonly next: string | null | undefined
  /** Whether the address of the session is of other customers, too. */
  readonly hasOthers: boolean
  readonly account: PortalAccount
}

/** The page with all licenses of a customer. */
export const licensesPage = (
  reader: PortalReader,
  { account, hasOthers, licenses, next }: ListedLicenses,
  notice?: PortalNotice
): string => {
  const words = signInWords[reader.language]
  const common = portalWords[reader.language]
  const licenseOf = (license: License) =>
    `<li><div><a href="${escape(licensePath(license.id))}">${
      escape(license.names?.product ?? words.unnamedProduct)
    }</a><span>${escape([common.states[license.status], ...termOf(license, reader.language)].join(" "))}</span>
<span class="quiet">${escape(common.keyEndsWith(license.license_key_last4))}</span></div></li>`
  return portalPage(reader, {
    title: words.licenses,
    isSignedIn: true,
    main: `<h1>${escape(words.licenses)}</h1>
${noticeOf(notice)}<section>${
      licenses.length === 0
        ? `<p class="quiet">${escape(words.noLicenses)}</p>`
        : `<ul>${licenses.map(licenseOf).join("\n")}</ul>`
    }${
      next === undefined || next === null
        ? ""
        : `\n<p><a href="${portalPath}?cursor=${encodeURIComponent(next)}">${escape(words.moreLicenses)}</a></p>`
    }</section>${accountSections(account, reader)}${
      hasOthers ? `\n<p><a href="${customersPath}">${escape(words.otherCustomer)}</a></p>` : ""
    }`
  })
}
