import { Effect, Option, Result, Schema, Stream } from "effect"
import { Base64 } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { correction, generate } from "lean-qr"
import { attachment } from "../../domain/ground/parsing/ContentDisposition.ts"
import { longestRequest, machineRequestOf } from "../../domain/licensing/offline/MachineRequest.ts"
import { OfflineFileCreate } from "../../domain/licensing/offline/OfflineFile.ts"
import type { PortalView } from "../../domain/portal/PortalView.ts"
import { Portal } from "../../services/portal/Portal.ts"
import type { PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { formPageHeaders } from "../ground/edge/StaticAnswer.ts"
import { ConsoleFiles, escape } from "../ground/pages/Markdown.ts"
import { offlineWords } from "./pages/OfflineWords.ts"
import type { OfflineWords } from "./pages/OfflineWords.ts"
import type { PortalNotice, PortalReader } from "./pages/PortalPages.ts"
import { noticeOf, portalPage } from "./pages/PortalPages.ts"
import { portalWords } from "./pages/PortalWords.ts"
import type { PortalWords } from "./pages/PortalWords.ts"
import { actionOf, licensePath, requestPhotoPath } from "./pages/SignInWords.ts"
import { makePortalVisits, shown } from "./PortalVisits.ts"

/** The empty modules around a code, which readers need (ISO/IEC 18004). */
const quietZone = 4

/**
 * The longest text of a code in bytes, which is what version 32 holds with the least correction. A larger one has modules below two
 * pixels on a phone, and cameras do not read it from another screen.
 */
const mostBytes = 1952

/** The dark modules of a row, run by run. */
const rowOf = (isDark: (x: number) => boolean, size: number, y: number): string => {
  let path = ""
  for (let x = 0; x < size; x++) {
    const start = x
    while (x < size && isDark(x)) x++
    if (x > start) path += `M${start} ${y}h${x - start}v1H${start}z`
  }
  return path
}

/**
 * A QR code of a text, as SVG that needs no script: dark on light in both color schemes, as readers expect. Undefined where the text is
 * too long for one that cameras read.
 */
export const qrCode = (text: string, label: string): string | undefined => {
  if (new TextEncoder().encode(text).length > mostBytes) return undefined
  const code = generate(text, { minCorrectionLevel: correction.L })
  const width = code.size + 2 * quietZone
  const path = Array.from({ length: code.size }, (_, y) => rowOf((x) => code.get(x, y), code.size, y)).join("")
  return `<svg class="qr" role="img" aria-label="${
    escape(label)
  }" viewBox="${-quietZone} ${-quietZone} ${width} ${width}"
 shape-rendering="crispEdges"><rect x="${-quietZone}" y="${-quietZone}" width="${width}" height="${width}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}

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
const offlineFormPage = (
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
const offlineCodePage = (
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

const FileForm = Schema.Struct({
  request: Schema.String,
  request_file: Schema.String,
  hostname: Schema.String,
  take_seat_of: Schema.String.check(Schema.isMaxLength(128)),
  license_key: OfflineFileCreate.fields.license_key,
  as: Schema.Literals(["file", "code"])
})

const decodeForm = Schema.decodeUnknownOption(FileForm)

/** The limits of a form: fields, and one file, none of them longer than a request in UTF-8. */
const limits = Multipart.limitsServices({
  maxParts: 8,
  maxFieldSize: 4 * longestRequest,
  maxFileSize: 4 * longestRequest,
  maxTotalSize: 16 * longestRequest
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The value of a part of a form; of a file its text, if it is one. */
const valueOf = (part: Multipart.Part) =>
  part._tag === "Field"
    ? Effect.succeed(part.value)
    : Effect.map(part.contentEffect, (bytes) => Result.getOrElse(Result.try(() => utf8.decode(bytes)), () => ""))

/** The fields of the form by name, read as they arrive: nothing of it is written to a disk. */
const readForm = Effect.gen(function*() {
  const { multipartStream } = yield* HttpServerRequest.HttpServerRequest
  const fields = new Map([["request", ""], ["request_file", ""], ["hostname", ""], ["take_seat_of", ""]])
  yield* Stream.runForEach(multipartStream, (part) => Effect.map(valueOf(part), (value) => fields.set(part.key, value)))
  return decodeForm(Object.fromEntries(fields))
}).pipe(
  Effect.catchTag("MultipartError", () => Effect.succeedNone),
  Effect.provideContext(limits)
)

/** The file of a form: what the machine says of itself, which the browser sends as text or as a file, and the license key. */
const inputOf = ({ hostname, license_key, request, request_file }: typeof FileForm.Type) => {
  const machine = machineRequestOf(request.trim() === "" ? request_file : request)
  // A browser sends a field that was left empty, too.
  return machine === undefined ? undefined : { ...machine, ...(hostname === "" ? {} : { hostname }), license_key }
}

/** The pages for machines without a network: the form, and the file that it is answered with, or a code to hold before a camera. */
export const makeOfflinePages = Effect.gen(function*() {
  const portal = yield* Portal
  const { licenseShown, readerOf, refusedAt } = yield* makePortalVisits

  const hasScript = (yield* ConsoleFiles).requestPhoto
  /** The form, which alone of all pages runs a script, of this service. */
  const formOf = (reader: PortalReader, view: PortalView, notice?: PortalNotice, status = 200) =>
    shown(
      offlineFormPage(reader, view, { hasScript, notice }),
      status,
      formPageHeaders(hasScript ? "own" : "none")
    )

  const formShown = Effect.fnUntraced(function*(visitor: PortalVisitor, notice?: PortalNotice, status = 200) {
    const { reader } = yield* readerOf(visitor)
    return formOf(reader, yield* portal.see(visitor), notice, status)
  })

  const formOpened = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const { reader } = yield* readerOf(visitor)
    const view = yield* portal.see(visitor)
    if (view.hasFiles) return formOf(reader, view)
    return yield* licenseShown(visitor, { kind: "alert", text: offlineWords[reader.language].notAllowed }, 403)
  })

  const given = Effect.fnUntraced(function*(visitor: PortalVisitor) {
    const form = Option.getOrUndefined(yield* readForm)
    const input = form === undefined ? undefined : inputOf(form)
    const { reader } = yield* readerOf(visitor)
    if (form === undefined || input === undefined) {
      return yield* formShown(visitor, { kind: "alert", text: offlineWords[reader.language].wrongRequest }, 422)
    }
    const { file_name, lic } = yield* portal.issueFile(
      visitor,
      input,
      form.take_seat_of === "" ? undefined : form.take_seat_of
    )
    const content = JSON.stringify(lic)
    if (form.as === "code") {
      const machine = input.hostname ?? input.fingerprint
      return shown(offlineCodePage(reader, { licenseId: visitor.licenseId, content, fileName: file_name, machine }))
    }
    return HttpServerResponse.text(content, {
      contentType: "application/octet-stream",
      headers: { "content-disposition": attachment(file_name) }
    })
  })

  /** A refusal is told on the form. */
  const issueFile = (visitor: PortalVisitor) =>
    given(visitor).pipe(Effect.catch(({ _tag }) => refusedAt(visitor, _tag, undefined, formShown)))

  return { formOpened, issueFile }
})
