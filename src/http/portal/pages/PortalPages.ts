import { isEmail } from "../../../domain/ground/parsing/Email.ts"
import { mailLanguages } from "../../../domain/ground/wire/MailLanguage.ts"
import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { Brand } from "../../../domain/keys/settings/ServiceSettings.ts"
import type { FeatureEntitlement } from "../../../domain/licensing/entitlements/Entitlement.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import type { OwnDevice } from "../../../domain/licensing/licenses/OwnDevice.ts"
import { languageNames } from "../../../domain/portal/PortalLanguage.ts"
import type { PortalTransfer } from "../../../domain/portal/PortalLanguage.ts"
import type { PortalView } from "../../../domain/portal/PortalView.ts"
import { escape } from "../../ground/pages/Markdown.ts"
import { offlineWords } from "./OfflineWords.ts"
import { portalWords } from "./PortalWords.ts"
import type { PortalWords } from "./PortalWords.ts"
import { actionOf, licensePath, portalActions, portalPath, portalStylesPath, signInWords } from "./SignInWords.ts"
import { deviceWords, transferWords } from "./TransferWords.ts"
import { userWords } from "./UserWords.ts"
import type { UserWords } from "./UserWords.ts"

/** How dates and amounts are written. Dates are of UTC, and times say so: no script asks the browser where it is. */
export const formatsOf = (language: MailLanguage) => {
  const date = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" })
  const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })
  return {
    date: (instant: string) => date.format(new Date(instant)),
    time: (instant: string) => `${time.format(new Date(instant))} UTC`,
    amount: (amount: number, decimals = 0) =>
      new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format(amount / 10 ** decimals)
  }
}

/** How dates and amounts are written in a language. */
type Formats = ReturnType<typeof formatsOf>

/** For whom, and how, devices are written. */
interface Reading {
  readonly language: MailLanguage
  readonly formats: Formats
}

/** The form that names a device. It is folded away: most customers release one, and name none. */
const nameForm = (licenseId: string, { id, name: given }: OwnDevice, language: MailLanguage): string => {
  const words = deviceWords[language]
  const name = given ?? portalWords[language].unnamed
  const field = `name-${id}`
  return `<details><summary aria-label="${escape(words.renameName(name))}">${escape(words.rename)}</summary>
<form method="post" action="${escape(actionOf(licenseId, "renameDevice", id))}"><label class="name" for="${
    escape(field)
  }">${escape(words.newName)}</label>
<p><input type="text" id="${escape(field)}" name="name" maxlength="255" autocomplete="off" value="${
    escape(given ?? "")
  }" aria-describedby="${escape(field)}-help"></p>
<p class="quiet" id="${escape(field)}-help">${escape(words.nameHelp)}</p>
<button class="plain">${escape(words.save)}</button></form></details>`
}

const deviceOf = (licenseId: string, device: OwnDevice, { formats, language }: Reading): string => {
  const words = portalWords[language]
  const name = device.name ?? words.unnamed
  const isSeated = device.status === "active"
  const held = device.seat_held_until === undefined
    ? ""
    : deviceWords[language][isSeated ? "holds" : "isHeld"](formats.time(device.seat_held_until))
  return `<li class="whole"><div class="line"><div><span>${escape(name)}</span><span class="quiet">${
    escape(words.lastSeen(formats.time(device.last_seen_at)))
  }</span>${held === "" ? "" : `<span class="quiet">${escape(held)}</span>`}</div>${
    isSeated
      ? `
<form method="post" action="${
        escape(actionOf(licenseId, "releaseDevice", device.id))
      }"><button class="plain" aria-label="${escape(words.releaseName(name))}">${escape(words.release)}</button></form>`
      : ""
  }</div>
${nameForm(licenseId, device, language)}</li>`
}

/** The devices of a license with a seat, each with what a customer may do with it. */
const deviceList = ({ devices, license, seats }: PortalView, reading: Reading): string => {
  const { formats, language } = reading
  const words = portalWords[language]
  const next = devices?.page_info.next_cursor
  return `<section><h2>${escape(words.devices)}</h2>
<p>${escape(words.seats(formats.amount(license.active_device_count), formats.amount(seats)))}</p>
${
    devices === undefined
      ? `<p class="quiet">${escape(words.notAllowed)}</p>`
      : devices.items.length === 0
      ? `<p class="quiet">${escape(words.noDevices)}</p>`
      : `<ul>${devices.items.map((device) => deviceOf(license.id, device, reading)).join("\n")}</ul>`
  }${
    next === undefined || next === null
      ? ""
      : `\n<p><a href="${escape(licensePath(license.id))}?cursor=${encodeURIComponent(next)}">${
        escape(words.more)
      }</a></p>`
  }</section>`
}

/** The part of the page of a license by which its owner transfers it; nothing where that is not allowed. */
const transferSection = (
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

/** For whom a page is written, and in whose name. */
export interface PortalReader {
  readonly language: MailLanguage
  /** The address of the page, behind the host. */
  readonly at: string
  readonly brand: Brand | undefined
}

/** A sentence above the content of a page: what was done, or why it was not. */
export interface PortalNotice {
  readonly kind: "alert" | "status"
  readonly text: string
}

/** A notice as HTML. */
export const noticeOf = (notice: PortalNotice | undefined): string =>
  notice === undefined ? "" : `<p role="${notice.kind}">${escape(notice.text)}</p>\n`

const brandOf = (brand: Brand | undefined): string =>
  `${
    brand?.logo === undefined
      ? ""
      : `<img src="${escape(brand.logo.path)}" width="${brand.logo.width}" height="${brand.logo.height}" alt="">`
  }${escape(brand?.name ?? "")}`

/** Where customers can ask, where the settings name it: an email address or a URL. */
const contactOf = (contact: string | undefined, words: PortalWords): string =>
  contact === undefined ?
    "" :
    `<p class="quiet">${escape(words.questions)} <a href="${
      escape(isEmail(contact) ? `mailto:${contact}` : contact)
    }">${escape(contact)}</a></p>
`

/** The other languages, of which one is chosen and kept. */
const languagesOf = ({ at, language }: PortalReader): string =>
  `<form class="languages" method="post" action="${portalPath}${portalActions.chooseLanguage}">
<input type="hidden" name="to" value="${escape(at)}">
${
    mailLanguages.map((one) =>
      one === language
        ? `<span aria-current="true">${languageNames[one]}</span>`
        : `<button class="plain" name="language" value="${one}" lang="${one}">${languageNames[one]}</button>`
    ).join("\n")
  }</form>`

/** A whole page. `main` is HTML; the title is text. */
export const portalPage = (
  reader: PortalReader,
  { isSignedIn, main, script, title }: {
    readonly title: string
    readonly main: string
    readonly isSignedIn: boolean
    /** The address of a script of this service. */
    readonly script?: string | undefined
  }
): string => {
  const { brand, language } = reader
  const words = portalWords[language]
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(brand?.name === undefined ? title : `${title} · ${brand.name}`)}</title>
<meta name="robots" content="noindex"><link rel="icon" href="data:,"><link rel="stylesheet" href="${portalStylesPath}">${
    script === undefined ? "" : `<script src="${script}" defer></script>`
  }</head>
<body><header><p>${brandOf(brand)}</p>${
    isSignedIn
      ? `<form method="post" action="${portalPath}${portalActions.signOut}"><button class="plain">${
        escape(words.signOut)
      }</button></form>`
      : ""
  }</header>
<main>
${main}
</main>
<footer>${contactOf(brand?.support_contact, words)}${languagesOf(reader)}</footer></body></html>
`
}

/** How long a license lasts, in sentences. */
export const termOf = (license: License, language: MailLanguage): ReadonlyArray<string> => {
  const words = portalWords[language]
  const { date } = formatsOf(language)
  // A license that was withdrawn is valid at no time.
  if (license.status === "revoked") return []
  return [
    ...(license.awaits_activation === true ? [words.awaitsActivation] : []),
    ...(license.starts_at === undefined ? [] : [words.startsAt(date(license.starts_at))]),
    license.expires_at === undefined
      ? words.endsNever
      : license.status === "expired" || license.status === "grace_period"
      ? words.endedAt(date(license.expires_at))
      : words.endsAt(date(license.expires_at)),
    ...(license.maintenance_expires_at === undefined ? [] : [words.updatesUntil(date(license.maintenance_expires_at))])
  ]
}

const useOf = (feature: FeatureEntitlement, words: PortalWords, { amount, date }: Formats): string => {
  const used = amount(feature.consumed ?? 0, feature.decimals)
  const ends = feature.period_ends_at === undefined ? "" : `, ${words.resetsAt(date(feature.period_ends_at))}`
  const text = feature.quota === undefined
    ? `${used} (${words.unlimited})`
    : words.usedOf(used, amount(feature.quota, feature.decimals))
  return `<tr><th scope="row">${escape(feature.code)}</th><td>${escape(text + ends)}</td></tr>`
}

/** The use of features that are counted; nothing where none is. */
const usesOf = (features: PortalView["features"], words: PortalWords, formats: Formats): string => {
  const counted = features.filter(({ consumed }) => consumed !== undefined)
  return counted.length === 0 ? "" : `
<section><h2>${escape(words.use)}</h2>
<table><thead><tr><th scope="col">${escape(words.feature)}</th><th scope="col">${escape(words.used)}</th></tr></thead>
<tbody>${counted.map((feature) => useOf(feature, words, formats)).join("\n")}</tbody></table></section>`
}

/** The links of a version, and the hashes of what is there, for customers who compare them. */
const linksOf = ({ links, version }: PortalView["versions"][number]): string => {
  const hashes = links.filter(({ sha256 }) => sha256 !== undefined)
  return links.length === 0 ? "" : `
<p class="links">${
    links.map(({ label, url }) =>
      `<a href="${escape(url)}" aria-label="${escape(`${label}, ${version}`)}">${escape(label)}</a>`
    ).join("\n")
  }</p>${
    hashes.length === 0 ? "" : `
<details><summary>SHA-256</summary>${
      hashes.map(({ label, sha256 = "" }) => `<p>${escape(label)}<br><code>${escape(sha256)}</code></p>`).join("")
    }</details>`
  }`
}

/** The versions that the license covers; nothing where its product lists none. */
const versionsOf = ({ versions }: PortalView, words: PortalWords, { date }: Formats): string =>
  versions.length === 0 ? "" : `
<section><h2>${escape(words.versions)}</h2>
<ul>${
    versions.map((version) =>
      `<li class="whole"><span>${escape(version.version)}</span><span class="quiet">${
        escape(words.releasedAt(date(version.released_at)))
      }</span>${linksOf(version)}</li>`
    ).join("\n")
  }</ul></section>`

const changeOf = ({ license, mayChangeKey }: PortalView, words: PortalWords): string =>
  !mayChangeKey ? "" : `
<section><h2>${escape(words.change)}</h2>
<p>${escape(words.changeLead)}</p>
<form method="post" action="${escape(actionOf(license.id, "changeKey"))}">
<input type="hidden" name="last4" value="${escape(license.license_key_last4)}">
<fieldset><legend>${escape(words.oldKey)}</legend>
<label><input type="radio" name="old_key" value="day" checked>${escape(words.endsInADay)}</label>
<label><input type="radio" name="old_key" value="now">${escape(words.endsNow)}</label></fieldset>
<button class="plain">${escape(words.change)}</button></form></section>`

/** The way to the page for machines without a network. */
const offlineOf = ({ hasFiles, license }: PortalView, words: PortalWords, language: MailLanguage): string =>
  hasFiles ?
    `
<section><h2>${escape(words.offline)}</h2>
<p><a href="${escape(actionOf(license.id, "issueFile"))}">${escape(offlineWords[language].open)}</a></p></section>` :
    ""

/** The way to the people who use the license; who is signed in by its key is told why there is none. */
const usersOf = ({ hasUsers, license }: PortalView, words: UserWords, others: LicensePageOptions["others"]): string =>
  hasUsers ?
    `
<section><h2>${escape(words.title)}</h2>
${
      others === "signed-in"
        ? `<p><a href="${escape(actionOf(license.id, "inviteUser"))}">${escape(words.open)}</a></p>`
        : `<p class="quiet">${escape(words.onlyByLink)}</p>`
    }</section>` :
    ""

/** The surroundings of a license on its page. */
export interface LicensePageOptions {
  readonly notice?: PortalNotice | undefined
  /** Whether the customer is signed in to other licenses, too; `offered` where a link to them can be asked for. */
  readonly others: "none" | "offered" | "signed-in"
  /** The transfer that the customer may ask for, or has asked for. */
  readonly transfer: PortalTransfer | undefined
}

/** The way to the other licenses of the customer. */
const othersOf = ({ language }: PortalReader, others: LicensePageOptions["others"]): string => {
  const words = signInWords[language]
  if (others === "none") return ""
  return others === "signed-in"
    ? `<p><a href="${portalPath}">${escape(words.otherLicenses)}</a></p>\n`
    : `
<section><h2>${escape(words.otherLicenses)}</h2>
<p>${escape(words.otherLicensesLead)}</p>
<form method="post" action="${portalPath}${portalActions.widen}"><button class="plain">${
      escape(words.sendLink)
    }</button></form></section>`
}

/** The way to renew a license that has an end, where the settings name one. What its purchase renews needs none. */
const renewalOf = ({ license, renewsItself }: PortalView, { brand, language }: PortalReader): string =>
  brand?.renewal_url === undefined || license.expires_at === undefined || license.status === "revoked" || renewsItself
    ? ""
    : `
<p><a class="button" href="${escape(brand.renewal_url)}">${escape(portalWords[language].renew)}</a></p>`

/** The page of a license, for the customer who is signed in to it. */
export const licensePage = (
  reader: PortalReader,
  view: PortalView,
  { notice, others, transfer }: LicensePageOptions
): string => {
  const words = portalWords[reader.language]
  const formats = formatsOf(reader.language)
  const { license } = view
  return portalPage(reader, {
    title: words.title,
    isSignedIn: true,
    main: `${others === "signed-in" ? othersOf(reader, others) : ""}<h1>${
      escape(license.names?.product ?? words.title)
    }</h1>
${noticeOf(notice)}<section><h2>${escape(words.license)}</h2>
<p>${escape([words.states[license.status], ...termOf(license, reader.language)].join(" "))}</p>
<p class="quiet">${escape(words.keyEndsWith(license.license_key_last4))}</p>${renewalOf(view, reader)}</section>
${deviceList(view, { language: reader.language, formats })}${usersOf(view, userWords[reader.language], others)}${
      usesOf(view.features, words, formats)
    }${versionsOf(view, words, formats)}${offlineOf(view, words, reader.language)}${changeOf(view, words)}${
      transferSection(transfer, { language: reader.language, licenseId: license.id })
    }${others === "offered" ? othersOf(reader, others) : ""}`
  })
}

/** The page that shows a new license key, once. */
export const newKeyPage = (
  reader: PortalReader,
  { key, licenseId, title = portalWords[reader.language].changed }: {
    readonly key: string
    readonly licenseId: string
    readonly title?: string
  }
): string => {
  const words = portalWords[reader.language]
  return portalPage(reader, {
    title,
    isSignedIn: true,
    main: `<h1>${escape(title)}</h1>
<div class="card"><p>${escape(words.newKeyLead)}</p>
<p class="key">${escape(key)}</p>
<p><a href="${escape(licensePath(licenseId))}">${escape(words.back)}</a></p></div>`
  })
}
