import { Effect, Option, Result, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { longestRequest, machineRequestOf } from "../../domain/licensing/offline/MachineRequest.ts"
import { OfflineFileCreate } from "../../domain/licensing/offline/OfflineFile.ts"
import { attachment } from "../../domain/ground/parsing/ContentDisposition.ts"
import type { PortalView } from "../../domain/portal/PortalView.ts"
import { Portal } from "../../services/portal/Portal.ts"
import type { PortalVisitor } from "../../services/portal/PortalSessions.ts"
import { formPageHeaders } from "../ground/edge/StaticAnswer.ts"
import { ConsoleFiles } from "../ground/pages/ConsoleFiles.ts"
import { offlineCodePage, offlineFormPage } from "./pages/OfflinePages.ts"
import { offlineWords } from "./pages/OfflineWords.ts"
import type { PortalNotice, PortalReader } from "./pages/PortalPages.ts"
import { makePortalVisits, shown } from "./PortalVisits.ts"

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
