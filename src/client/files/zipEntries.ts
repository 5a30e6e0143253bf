import { crc32 } from "../../domain/parsing/Crc32.ts"
import { Unpackable, unpacked } from "./unpacked.ts"

/** A file of an archive: its name and its content. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The most files of an archive. */
const mostEntries = 100

/** The most bytes that the files of an archive have together. */
export const mostBytes = 512 * 1024 * 1024

const signatures = { entry: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const
const sizes = { entry: 30, directory: 46, end: 22 } as const
/** The longest comment of an archive, which stands behind its end. */
const mostComment = 0xffff
/** The mark of a field whose value is too large for it and stands elsewhere (ZIP64). */
const elsewhere = 0xffffffff
const isEncrypted = 1
const methods = { stored: 0, deflated: 8 } as const

const tooLarge = "is too large to be read here"

/** Whether bytes begin as an archive does. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Where the end of the directory begins: behind it nothing stands but its own comment. */
const endOf = (view: DataView): number => {
  const last = view.byteLength - sizes.end
  for (let at = last; at >= Math.max(0, last - mostComment); at--) {
    if (
      view.getUint32(at, true) === signatures.end && at + sizes.end + view.getUint16(at + 20, true) === view.byteLength
    ) {
      return at
    }
  }
  throw new Unpackable("has no directory: a part of it is missing")
}

/** A file as the directory of its archive names it. */
interface Listed {
  readonly name: string
  readonly method: number
  readonly checksum: number
  readonly packed: number
  readonly size: number
  readonly at: number
}

const utf8 = new TextDecoder()

const listed = (bytes: Uint8Array, view: DataView): ReadonlyArray<Listed> => {
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  if (count > mostEntries) throw new Unpackable(`has more than ${mostEntries} files`)
  const entries: Array<Listed> = []
  let at = view.getUint32(end + 16, true)
  if (at === elsewhere) throw new Unpackable(tooLarge)
  for (let index = 0; index < count; index++) {
    if (at + sizes.directory > end || view.getUint32(at, true) !== signatures.directory) {
      throw new Unpackable("has a directory that cannot be read")
    }
    if ((view.getUint16(at + 8, true) & isEncrypted) !== 0) throw new Unpackable("is encrypted")
    const [name, extra, comment] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true)
    ]
    entries.push({
      name: utf8.decode(bytes.subarray(at + sizes.directory, at + sizes.directory + name)),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true)
    })
    at += sizes.directory + name + extra + comment
  }
  return entries
}

const contentOf = async (bytes: Uint8Array, view: DataView, { at, checksum, method, name, packed, size }: Listed) => {
  if (at === elsewhere || packed === elsewhere || size === elsewhere) {
    throw new Unpackable(tooLarge)
  }
  if (at + sizes.entry > bytes.length || view.getUint32(at, true) !== signatures.entry) {
    throw new Unpackable("has a directory that names other places")
  }
  const start = at + sizes.entry + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const body = bytes.subarray(start, start + packed)
  if (method !== methods.stored && method !== methods.deflated) {
    throw new Unpackable("is compressed in a way that is rare")
  }
  const content = method === methods.stored ? body : await unpacked(body, "deflate-raw", size)
  if (content.length !== size || crc32(content) !== checksum) throw new Unpackable(`is damaged in ${name}`)
  return content
}

/** Entries that programs put beside the files: folders, and what macOS keeps about each. */
const isBeside = ({ name }: Listed): boolean => /(?:^|\/)(?:__MACOSX\/.*|\.DS_Store|)$/.test(name)

/**
 * The files of a ZIP archive, as its directory lists them: stored or deflated, below half a gigabyte. Rejects with an
 * {@link Unpackable}.
 */
export const zipEntries = async (bytes: Uint8Array): Promise<ReadonlyArray<ZipEntry>> => {
  const view = viewOf(bytes)
  const entries = listed(bytes, view).filter((entry) => !isBeside(entry))
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw new Unpackable("has two files of one name")
  if (entries.reduce((all, { size }) => all + size, 0) > mostBytes) throw new Unpackable(tooLarge)
  const found: Array<ZipEntry> = []
  for (const entry of entries) found.push({ name: entry.name, bytes: await contentOf(bytes, view, entry) })
  return found
}
