import type { FileHandle } from "node:fs/promises"
import { Readable, Writable } from "node:stream"
import type { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { callbackify } from "node:util"

/**
 * A file of named entries: a tar archive (POSIX.1-2017 pax, "ustar" headers), so that it can be unpacked without this
 * program. The length of an entry is known only after it was written, and is then put into its header.
 */
const block = 512

/** The largest size that eleven octal digits hold; a larger one is written in base 256, as GNU tar and libarchive do. */
const largestOctal = 8 ** 11 - 1

/** An entry, and where its bytes are in the file. */
export interface BackupEntry {
  readonly name: string
  readonly start: number
  /** In bytes. */
  readonly size: number
}

/** The file is no archive, or ends within an entry. */
class TornFile extends Error {}

const sizeField = (size: number): Buffer => {
  const field = Buffer.alloc(12)
  if (size <= largestOctal) field.write(`${size.toString(8).padStart(11, "0")} `, "latin1")
  else {
    field.writeBigUInt64BE(BigInt(size), 4)
    field[0] = 0x80
  }
  return field
}

const checksum = (header: Buffer): number => {
  let sum = 8 * 0x20
  for (let index = 0; index < block; index++) if (index < 148 || index >= 156) sum += header[index]!
  return sum
}

const headerOf = (name: string, size: number, seconds: number): Buffer => {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long for the header of an entry`)
  const header = Buffer.alloc(block)
  header.write(name, 0)
  header.write("0000600\0", 100)
  header.write("0000000\0", 108)
  header.write("0000000\0", 116)
  sizeField(size).copy(header, 124)
  header.write(`${seconds.toString(8).padStart(11, "0")} `, 136)
  header.write("0", 156)
  header.write("ustar\u000000", 257)
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148)
  return header
}

const padding = (size: number): number => (block - size % block) % block

const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** Writes entries to a file that was opened for writing; memory does not grow with them. */
export const makeBackupWriter = (file: FileHandle, signal: AbortSignal) => {
  const seconds = Math.floor(Date.now() / 1000)
  let position = 0
  return {
    /** Appends an entry with what the source yields after the transforms; answers its size in bytes. */
    add: async (name: string, source: Readable, ...transforms: ReadonlyArray<Transform>): Promise<number> => {
      const start = position + block
      let size = 0
      const place = callbackify(async (chunk: Buffer): Promise<void> => {
        await writeAll(file, chunk, start + size)
        size += chunk.length
      })
      const target = new Writable({ write: (chunk: Buffer, _, done) => place(chunk, done) })
      await pipeline([source, ...transforms, target], { signal })
      await writeAll(file, headerOf(name, size, seconds), position)
      await writeAll(file, Buffer.alloc(padding(size)), start + size)
      position = start + size + padding(size)
      return size
    },
    /** Ends the archive; answers the size of the file in bytes. */
    end: async (): Promise<number> => {
      await writeAll(file, Buffer.alloc(2 * block), position)
      return position + 2 * block
    }
  }
}

const readExactly = async (file: FileHandle, position: number, size: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(size)
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(bytes, done, size - done, position + done)
    if (bytesRead === 0) throw new TornFile(`it ends after ${position + done} bytes, in the middle`)
    done += bytesRead
  }
  return bytes
}

/** The size that a header says; not a number unless it is octal digits, or base 256 that a number holds exactly. */
const sizeOf = (header: Buffer): number => {
  if (header[124] === 0x80) {
    const size = header.readBigUInt64BE(128)
    return header.readUIntBE(125, 3) === 0 && size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : Number.NaN
  }
  const [, octal] = /^ *([0-7]+)[ \0]*$/.exec(header.toString("latin1", 124, 136)) ?? []
  return octal === undefined ? Number.NaN : Number.parseInt(octal, 8)
}

/** The largest text of the archive, in bytes: manifest and seal. A manifest has a line for each table. */
const longestText = 4 * 1024 * 1024

/** The entries of a file, by their headers. Rejects with a {@link TornFile} when it is no archive, or not a whole one. */
export const readEntries = async (file: FileHandle): Promise<ReadonlyArray<BackupEntry>> => {
  const entries: Array<BackupEntry> = []
  const { size: length } = await file.stat()
  for (let position = 0;;) {
    const header = await readExactly(file, position, block)
    if (header.every((byte) => byte === 0)) return entries
    const size = sizeOf(header)
    const sum = Number.parseInt(header.toString("latin1", 148, 156), 8)
    if (header.toString("latin1", 257, 262) !== "ustar" || sum !== checksum(header) || !(size >= 0)) {
      throw new TornFile(entries.length === 0 ? "it is no backup" : `there is no entry at byte ${position}`)
    }
    const start = position + block
    if (start + size > length) throw new TornFile(`it ends after ${length} bytes, in the middle`)
    entries.push({ name: header.toString("utf8", 0, 100).replace(/\0.*$/s, ""), start, size })
    position = start + size + padding(size)
  }
}

/** Bytes of an entry that are read at once. */
const readAtOnce = 256 * 1024

async function* chunksOf(file: FileHandle, { size, start }: BackupEntry): AsyncGenerator<Buffer, void> {
  for (let done = 0; done < size;) {
    const chunk = await readExactly(file, start + done, Math.min(readAtOnce, size - done))
    done += chunk.length
    yield chunk
  }
}

/** The bytes of an entry as they are in the file. */
export const openEntry = (file: FileHandle, entry: BackupEntry): Readable =>
  Readable.from(chunksOf(file, entry), { objectMode: false })

/** The text of a small entry. */
export const readEntry = async (file: FileHandle, { name, size, start }: BackupEntry): Promise<string> => {
  if (size > longestText) throw new TornFile(`${name} has ${size} bytes, and is never so long`)
  return (await readExactly(file, start, size)).toString("utf8")
}
