import type { PortalAccount } from "../../../domain/portal/PortalAccount.ts"
import type { PortalPurchase } from "../../../domain/portal/PortalPurchase.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { unsubscribeWords } from "../unsubscribe/UnsubscribeWords.ts"
import { formatsOf } from "./Formats.ts"
import { noticeOf, portalPage } from "./PortalPages.ts"
import type { PortalNotice, PortalReader } from "./PortalPages.ts"
import { portalActions, portalPath, purchasesPath } from "./PortalPaths.ts"
import { purchaseWords } from "./PurchaseWords.ts"
import { signInWords } from "./SignInWords.ts"

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
export const accountSections = (account: PortalAccount, reader: PortalReader): string =>
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
