import { Schema } from "effect"
import { mailLanguages, usualLanguage } from "../ground/wire/MailLanguage.ts"
import type { MailLanguage } from "../ground/wire/MailLanguage.ts"
import { cookieIn, secretOf } from "../people/SessionCookie.ts"
import { PurchaseState as ShownState } from "../sales/billing/Purchase.ts"
import type { PurchaseName } from "../sales/providers/Fact.ts"
import { Provider } from "../sales/providers/Provider.ts"
import { wireTime } from "../sales/providers/SourceTime.ts"
import type { SourceTime } from "../sales/providers/SourceTime.ts"
import type { PurchaseState } from "../sales/purchases/PurchaseState.ts"

/** A purchase as the customer sees it who made it. Instants are those of the provider, in ISO 8601. */
export const PortalPurchase = Schema.Struct({
  provider: Provider,
  /** The ID of the subscription or order at the provider. */
  externalId: Schema.String,
  items: Schema.Array(Schema.Struct({ name: Schema.optional(Schema.String), quantity: Schema.Number })),
  state: ShownState,
  beganAt: Schema.optional(Schema.String),
  paidThrough: Schema.optional(Schema.String),
  cancelAt: Schema.optional(Schema.String),
  endedAt: Schema.optional(Schema.String),
  refund: Schema.Literals(["none", "partial", "full"]),
  dispute: Schema.Literals(["none", "open", "lost"]),
  /** The units that it gave and that can be used still, by feature and end. */
  units: Schema.Array(Schema.Struct({
    feature: Schema.String,
    amount: Schema.Number,
    decimals: Schema.optional(Schema.Number),
    endsAt: Schema.optional(Schema.String)
  })),
  /** The login page of the provider's own portal, as the vendor gave it. */
  portalUrl: Schema.optional(Schema.String)
})
export type PortalPurchase = typeof PortalPurchase.Type

/** The parts of a purchase that is known well enough to be shown. */
export interface KnownPurchase {
  readonly provider: Provider
  readonly name: PurchaseName
  readonly state: PurchaseState & { readonly state: PortalPurchase["state"] }
  readonly customer_portal_url: string | null
  readonly units: ReadonlyArray<{
    readonly feature: string
    readonly amount: number
    readonly decimals: number | null
    readonly ends_at: string | null
  }>
}

const timeOf = (time: SourceTime | undefined) => time === undefined ? undefined : wireTime(time)

/** A purchase as its customer sees it: what was dropped from it is not shown. */
export const portalPurchaseOf = (
  { customer_portal_url, name, provider, state, units }: KnownPurchase
): PortalPurchase => ({
  provider,
  externalId: name.slice(name.indexOf("/") + 1),
  items: state.slots.filter(({ dropped_at }) => dropped_at === undefined)
    .map(({ name: item, quantity }) => ({ name: item, quantity })),
  state: state.state,
  beganAt: timeOf(state.began_at),
  paidThrough: timeOf(state.paid_through),
  cancelAt: timeOf(state.cancel_at),
  endedAt: timeOf(state.ended_at),
  refund: state.refund,
  dispute: state.dispute,
  units: units.map(({ amount, decimals, ends_at, feature }) => ({
    feature,
    amount,
    decimals: decimals ?? undefined,
    endsAt: ends_at ?? undefined
  })),
  portalUrl: customer_portal_url ?? undefined
})

/** For how long a license that is offered to somebody can be accepted, in hours: a mail may come on a Friday. */
export const transferHours = 72

/** The secret of a link by which a license is accepted. Throws a RangeError when there are not exactly 32 bytes. */
export const formatTransferLink = (random: Uint8Array): string => secretOf("clt", random)

/** That a license can be transferred by its owner, and to whom it is offered at present; neither member where to nobody. */
export interface PortalTransfer {
  readonly recipient?: string
  /** When the offer ends. */
  readonly expires_at?: string
}

const preference = /^\s*([a-z]{2})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i

/** The languages as each calls itself. */
export const languageNames: Readonly<Record<MailLanguage, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  ja: "日本語"
}

/** The name of the cookie: with the prefix, a browser takes it from this host alone, over https, for all paths. */
const nameFor = (isSecure: boolean): string =>
  isSecure ? "__Host-countersign-portal-language" : "countersign-portal-language"

/** How long a browser keeps the language that was chosen in it, in seconds: a year. */
const keptSeconds = 365 * 86_400

/** The cookie of a browser in which a language was chosen. */
export const languageCookie = (language: MailLanguage, isSecure: boolean): string =>
  `${nameFor(isSecure)}=${language}; Path=/; Max-Age=${keptSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** The language that was chosen in a browser, in a Cookie header; undefined where there is none. */
export const languageIn = (header: string | undefined, isSecure: boolean): MailLanguage | undefined => {
  const chosen = cookieIn(header, nameFor(isSecure))
  return mailLanguages.find((known) => known === chosen)
}

/** What is known of the language of a reader. */
interface KnownLanguages {
  /** The one that was chosen on a page, in this browser. */
  readonly chosen?: MailLanguage | undefined
  /** The one of the customer, in which mails are written. */
  readonly ofCustomer?: MailLanguage | undefined
  /** The header `Accept-Language`. */
  readonly accepted?: string | undefined
}

/** The language of the portal: the one that was chosen, else that of the customer, else the one that the browser asks for most, else English. */
export const portalLanguage = ({ accepted = "", chosen, ofCustomer }: KnownLanguages): MailLanguage => {
  const asked = accepted.split(",").flatMap((part) => {
    const [, name = "", weight = "1"] = preference.exec(part) ?? []
    const language = mailLanguages.find((known) => known === name.toLowerCase())
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }]
  })
  return chosen ?? ofCustomer ?? asked.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? usualLanguage
}
