import { Stream } from "effect"
import type { ByteRange } from "../../../domain/evidence/exports/ByteRange.ts"
import type { ArchivedFile } from "../../../domain/evidence/exports/ZipArchive.ts"
import { zipArchive } from "../../../domain/evidence/exports/ZipArchive.ts"

/** A file to put into an archive. */
export interface FileToArchive extends ArchivedFile {
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
