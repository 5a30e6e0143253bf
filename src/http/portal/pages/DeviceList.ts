import type { OwnDevice } from "../../../domain/licensing/licenses/OwnDevice.ts"
import type { MailLanguage } from "../../../domain/ground/wire/MailLanguage.ts"
import type { PortalView } from "../../../domain/portal/PortalView.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { deviceWords } from "./DeviceWords.ts"
import type { Formats } from "./Formats.ts"
import { actionOf, licensePath } from "./PortalPaths.ts"
import { portalWords } from "./PortalWords.ts"

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
export const deviceList = ({ devices, license, seats }: PortalView, reading: Reading): string => {
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
