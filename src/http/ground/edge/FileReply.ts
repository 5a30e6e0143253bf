import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { byteRange } from "../../../domain/evidence/exports/ByteRange.ts"
import type { ByteRange } from "../../../domain/evidence/exports/ByteRange.ts"
import type { ArchivedFile } from "../../../domain/evidence/exports/ZipArchive.ts"
import { zipArchive } from "../../../domain/evidence/exports/ZipArchive.ts"
import { attachment } from "../../../domain/ground/parsing/ContentDisposition.ts"
import { matchesEtag } from "../../../domain/ground/wire/EntityTag.ts"
import { failing, RangeNotSatisfiable } from "../../../domain/ground/wire/Errors.ts"
import type { ExportFile } from "../../../services/evidence/exports/ReportExports.ts"
import type { Admission } from "../../../services/ground/admission/Admission.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { errorResponse } from "./Failures.ts"
import { meta } from "./Reply.ts"
import { takePlace } from "./StaticAnswer.ts"

/** A file to put into an archive. */
interface FileToArchive extends ArchivedFile {
  readonly bytes: Stream.Stream<Uint8Array>
}

/**
 * A ZIP archive of files, which are read as it is sent; `instant` is when they were written. The same files give the same
 * bytes. For a range they are all read up to its end, because a checksum of each stands behind it.
 */
export const archiveOf = (files: ReadonlyArray<FileToArchive>, instant: string) => {
  const whole = () => {
    const archive = zipArchive(files, instant)
    const entries = files.map(({ bytes }) =>
      Stream.suspend(() => {
        const { add, head, tail } = archive.next()
        return Stream.make(head).pipe(
          Stream.concat(Stream.map(bytes, add)),
          Stream.concat(Stream.suspend(() => Stream.make(tail())))
        )
      })
    )
    return [...entries, Stream.suspend(() => Stream.make(archive.end()))].reduce((all, one) => Stream.concat(all, one))
  }
  return {
    size: zipArchive(files, instant).size,
    bytes: ({ end, start }: ByteRange): Stream.Stream<Uint8Array> =>
      Stream.suspend(() => {
        let at = 0
        return whole().pipe(
          Stream.takeWhile(() => at <= end),
          Stream.map((piece) => {
            const from = at
            at += piece.length
            return piece.subarray(Math.max(0, start - from), Math.max(0, end - from + 1))
          }),
          Stream.filter((piece) => piece.length > 0)
        )
      })
  }
}

/** The name and media type of a file. */
interface Labels {
  readonly name: string
  readonly contentType: string
}

/**
 * Sends a file, or what the request's conditions select (RFC 9110 sections 13 and 14): 304 when the caller has the
 * file, 206 for a range, 416 for a range outside it. A range with an `If-Range` that is not the file's entity tag is
 * ignored.
 */
export const sendFile = <E, R>(
  admission: Admission["Service"],
  file: Effect.Effect<ExportFile, E, R>,
  labels: (file: ExportFile) => Labels
) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    // Before anything is read, so that a request without a place costs nothing.
    if (request.method !== "HEAD") yield* takePlace(admission)
    const found = yield* file
    const { digest, size } = found
    const { contentType, name } = labels(found)
    const etag = `"${digest}"`
    // The file never changes, but permission to read it can: only the caller may cache it, and must revalidate each
    // time.
    const headers = { etag, "accept-ranges": "bytes", "cache-control": "private, no-cache" }
    if (matchesEtag(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
    const ifRange = request.headers["if-range"]
    const range = ifRange === undefined || ifRange === etag ? byteRange(request.headers["range"], size) : undefined
    if (range === "unsatisfiable") {
      const { publicUrl } = yield* Settings
      return errorResponse(
        failing(RangeNotSatisfiable, `The file has ${size} bytes.`),
        yield* meta,
        publicUrl,
        { "content-range": `bytes */${size}`, "accept-ranges": "bytes" }
      )
    }
    const { end, start } = range ?? { start: 0, end: size - 1 }
    if (request.method !== "HEAD") yield* found.downloaded({ start, end })
    return HttpServerResponse.stream(found.bytes({ start, end }), {
      status: range === undefined ? 200 : 206,
      contentType,
      contentLength: end - start + 1,
      headers: {
        ...headers,
        "content-disposition": attachment(name),
        // If a browser opens the file instead of saving it, the file runs no script and cannot be framed.
        "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end}/${size}` })
      }
    })
  })
