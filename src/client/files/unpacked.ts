import { joinedBytes } from "../../domain/ground/parsing/ByteTexts.ts"
import { crc32 } from "../../domain/ground/parsing/Crc32.ts"

/** Bytes that are not compressed as they should be, or are more than the reader takes. */
export class Unpackable extends Error {
  override readonly name = "Unpackable"
}

/** Decompresses bytes, at most so many of the result. Rejects with an {@link Unpackable}. */
export const unpacked = async (
  packed: Uint8Array,
  format: "deflate" | "deflate-raw" | "gzip",
  most: number
): Promise<Uint8Array> => {
  const stream = new Blob([Uint8Array.from(packed)]).stream().pipeThrough(new DecompressionStream(format))
  const reader = stream.getReader()
  const pieces: Array<Uint8Array> = []
  let length = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length
      if (length > most) throw new Unpackable("too large")
      pieces.push(next.value)
    }
  } catch (error) {
    throw error instanceof Unpackable ? error : new Unpackable(`not compressed by ${format}`)
  }
  return joinedBytes(pieces)
}

/** A file of an archive: its name and its content. */
interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The most files of an archive. */
const mostEntries = 100

/** The most bytes that the files of an archive have together. */
const mostBytes = 512 * 1024 * 1024

const signatures = { entry: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const
const sizes = { entry: 30, directory: 46, end: 22 } as const
/** The longest comment of an archive, which stands behind its end. */
const mostComment = 0xffff
/** The mark of a field whose value is too large for it and stands elsewhere (ZIP64). */
const elsewhere = 0xffffffff
const flags = { encrypted: 1, sizesBehind: 8 } as const
const methods = { stored: 0, deflated: 8 } as const

const tooLarge = "is too large to be read here"

/** Whether bytes begin as an archive does. */
const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4

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
  readonly flags: number
  readonly method: number
  readonly checksum: number
  readonly packed: number
  readonly size: number
  readonly at: number
}

const twice = "can be read in two ways"

const nameIn = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Programs take other bytes for a code page of their own.
    throw new Unpackable(twice)
  }
}

/**
 * Whether two programs may take a name for two files: one with a control character, where some end it; a path that leads elsewhere; and
 * one of a drive or of Windows.
 */
const isDoubtful = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\0-\x1f\x7f\\:]/.test(name) || name.split("/").slice(0, name.endsWith("/") ? -1 : undefined)
    .some((part) => part === "" || part === "." || part === ".." || /[. ]$/.test(part))

/** Names that a file system may take for one: it knows no capitals, or composes letters. */
const folded = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")

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
    if ((view.getUint16(at + 8, true) & flags.encrypted) !== 0) throw new Unpackable("is encrypted")
    const [name, extra, comment] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true)
    ]
    entries.push({
      name: nameIn(bytes.subarray(at + sizes.directory, at + sizes.directory + name)),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true)
    })
    at += sizes.directory + name + extra + comment
  }
  // Behind the directory stands its end, and nothing that only some programs read.
  if (at !== end || view.getUint16(end + 8, true) !== count || view.getUint32(end + 4, true) !== 0) {
    throw new Unpackable(twice)
  }
  return entries
}

/** The bytes of the sizes behind a content, with or without their signature, of 4 or 8 bytes each. */
const lengthsBehind: ReadonlySet<number> = new Set([12, 16, 20, 24])

/** Where an entry begins in the file, and where its content ends, as the entry itself says it. It must say what the directory says. */
const placeOf = (bytes: Uint8Array, view: DataView, entry: Listed) => {
  const { at, checksum, method, name, packed, size } = entry
  if (at === elsewhere || packed === elsewhere || size === elsewhere) throw new Unpackable(tooLarge)
  if (at + sizes.entry > bytes.length || view.getUint32(at, true) !== signatures.entry) {
    throw new Unpackable("has a directory that names other places")
  }
  const named = at + sizes.entry
  const start = named + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const isBehind = (entry.flags & flags.sizesBehind) !== 0
  const own = [14, 18, 22].map((offset) => view.getUint32(at + offset, true))
  const isSame = view.getUint16(at + 6, true) === entry.flags && view.getUint16(at + 8, true) === method &&
    nameIn(bytes.subarray(named, named + view.getUint16(at + 26, true))) === name &&
    (isBehind || [checksum, packed, size].every((value, index) => own[index] === value))
  if (!isSame) throw new Unpackable(twice)
  return { at, start, end: start + packed, isBehind }
}

/** Whether the entries stand one after another from the first byte to the directory: what no directory names is read by some. */
const leaveNoGap = (places: ReadonlyArray<ReturnType<typeof placeOf>>, directory: number): boolean =>
  places.toSorted((a, b) => a.at - b.at).every(({ at, end, isBehind }, index, all) => {
    const gap = (all[index + 1]?.at ?? directory) - end
    return (index > 0 || at === 0) && (isBehind ? lengthsBehind.has(gap) : gap === 0)
  })

const contentOf = async (bytes: Uint8Array, view: DataView, entry: Listed) => {
  const { checksum, method, name, size } = entry
  const { end, start } = placeOf(bytes, view, entry)
  const body = bytes.subarray(start, end)
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
 * The files of a ZIP archive, as its directory lists them: stored or deflated, below half a gigabyte. What two programs could take
 * for different files is refused. Rejects with an {@link Unpackable}.
 */
export const zipEntries = async (bytes: Uint8Array): Promise<ReadonlyArray<ZipEntry>> => {
  const view = viewOf(bytes)
  const all = listed(bytes, view)
  if (new Set(all.map(({ name }) => folded(name))).size < all.length) throw new Unpackable("has two files of one name")
  const places = all.map((entry) => placeOf(bytes, view, entry))
  if (all.some(({ name }) => isDoubtful(name)) || !leaveNoGap(places, view.getUint32(endOf(view) + 16, true))) {
    throw new Unpackable(twice)
  }
  const entries = all.filter((entry) => !isBeside(entry))
  if (entries.reduce((all, { size }) => all + size, 0) > mostBytes) throw new Unpackable(tooLarge)
  const found: Array<ZipEntry> = []
  for (const entry of entries) found.push({ name: entry.name, bytes: await contentOf(bytes, view, entry) })
  return found
}

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
