import { Unpackable, unpacked } from "./unpacked.ts"
import { isZip, mostBytes, zipEntries } from "./zipEntries.ts"
import type { ZipEntry } from "./zipEntries.ts"

/** Whether bytes begin as one compressed file does (RFC 1952, 2.3.1). */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Whether bytes begin as a file does that holds others: a ZIP archive, or one file as gzip. */
export const isArchive = (bytes: Uint8Array): boolean => isZip(bytes) || isGzip(bytes)

/** The files in an archive. Rejects with an {@link Unpackable}, whose message goes on after "The archive". */
export const archivedFiles = async ({ bytes, name }: ZipEntry): Promise<ReadonlyArray<ZipEntry>> => {
  if (isZip(bytes)) {
    return (await zipEntries(bytes)).map((entry) => ({ name: `${name}/${entry.name}`, bytes: entry.bytes }))
  }
  try {
    return [{ name: name.replace(/\.gz$/i, ""), bytes: await unpacked(bytes, "gzip", mostBytes) }]
  } catch (error) {
    throw error instanceof Unpackable ? new Unpackable(`is ${error.message}`) : error
  }
}
