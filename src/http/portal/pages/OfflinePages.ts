import { Base64 } from "effect/encoding"
import { longestRequest } from "../../../domain/licensing/offline/MachineRequest.ts"
import type { PortalView } from "../../../domain/portal/PortalView.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { offlineWords } from "./OfflineWords.ts"
import type { OfflineWords } from "./OfflineWords.ts"
import { noticeOf, portalPage } from "./PortalPages.ts"
import type { PortalNotice, PortalReader } from "./PortalPages.ts"
import { actionOf, licensePath, requestPhotoPath } from "./PortalPaths.ts"
import { portalWords } from "./PortalWords.ts"
import type { PortalWords } from "./PortalWords.ts"
import { qrCode } from "./QrCode.ts"

/** The choice of a device whose seat the machine takes when none is free; nothing where devices cannot be released. */
const takeOf = ({ devices }: PortalView, words: PortalWords, offline: OfflineWords): string =>
  devices === undefined || devices.items.length === 0 ?
    "" :
    `<label class="name" for="take">${escape(offline.takeSeat)}</label>
<p><select id="take" name="take_seat_of"><option value="">${escape(offline.noDevice)}</option>${
      devices.items.map(({ id, name }) => `<option value="${escape(id)}">${escape(name ?? words.unnamed)}</option>`)
        .join("")
    }</select></p>
`

/** The field of a photo, which the script shows. It has no name: the photo is not sent. */
const photoField = (offline: OfflineWords): string =>
  `<div id="photo" hidden><label class="name" for="request-photo">${escape(offline.photo)}</label>
<p><input type="file" id="request-photo" accept="image/*" capture="environment" aria-describedby="photo-told"></p>
<p class="quiet" id="photo-told" aria-live="polite" data-reading="${escape(offline.photoReading)}" data-read="${
    escape(offline.photoRead)
  }" data-failed="${escape(offline.photoFailed)}">${escape(offline.photoHelp)}</p></div>
`

/**
 * The page on which a customer asks for the file of a machine without a network. The license key is asked for, because the file is
 * encrypted under it, and the service does not have it.
 */
export const offlineFormPage = (
  reader: PortalReader,
  view: PortalView,
  { hasScript, notice }: { readonly hasScript: boolean; readonly notice?: PortalNotice | undefined }
): string => {
  const words = portalWords[reader.language]
  const offline = offlineWords[reader.language]
  return portalPage(reader, {
    title: words.offline,
    isSignedIn: true,
    script: hasScript ? requestPhotoPath : undefined,
    main: `<h1>${escape(words.offline)}</h1>
${noticeOf(notice)}<form class="card" method="post" enctype="multipart/form-data" action="${
      escape(actionOf(view.license.id, "issueFile"))
    }">
<p>${escape(offline.lead)}</p>
<label class="name" for="request">${escape(offline.request)}</label>
<p><textarea id="request" name="request" rows="3" maxlength="${longestRequest}" autocomplete="off" spellcheck="false"
 aria-describedby="request-help"></textarea></p>
<p class="quiet" id="request-help">${escape(offline.requestHelp)}</p>
<label class="name" for="request-file">${escape(offline.requestFile)}</label>
<p><input type="file" id="request-file" name="request_file"></p>
${hasScript ? photoField(offline) : ""}<label class="name" for="hostname">${escape(offline.machineName)}</label>
<p><input type="text" id="hostname" name="hostname" maxlength="255" autocomplete="off" spellcheck="false"></p>
${takeOf(view, words, offline)}<label class="name" for="key">${escape(words.licenseKey)}</label>
<p><input type="text" id="key" name="license_key" required maxlength="255" autocomplete="off" spellcheck="false"></p>
<p><button name="as" value="file">${escape(offline.getFile)}</button>
<button class="plain" name="as" value="code">${escape(offline.getCode)}</button></p>
</form>
<p><a href="${licensePath(view.license.id)}">${escape(words.back)}</a></p>`
  })
}

/** The page that shows the license of a machine as a QR code, once, and as a file to save, which is a link that no script makes. */
export const offlineCodePage = (
  reader: PortalReader,
  { content, fileName, licenseId, machine }: {
    readonly licenseId: string
    readonly content: string
    readonly fileName: string
    readonly machine: string
  }
): string => {
  const words = portalWords[reader.language]
  const offline = offlineWords[reader.language]
  const code = qrCode(content, offline.code)
  return portalPage(reader, {
    title: offline.made,
    isSignedIn: true,
    main: `<h1>${escape(offline.made)}</h1>
<div class="card"><p>${escape(offline.madeFor(machine))}</p>
${code === undefined ? `<p>${escape(offline.codeTooLong)}</p>` : `<p>${escape(offline.codeLead)}</p>\n${code}`}
<p><a class="button" download="${escape(fileName)}" href="data:application/octet-stream;base64,${
      Base64.encode(content)
    }">${escape(offline.saveFile)}</a></p>
<p class="quiet">${escape(offline.once)}</p></div>
<p><a href="${licensePath(licenseId)}">${escape(words.back)}</a></p>`
  })
}
