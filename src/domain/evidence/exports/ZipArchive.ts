import { joinedBytes } from "../../ground/parsing/ByteTexts.ts"
import { crc32 } from "../../ground/parsing/Crc32.ts"

/** A file of an archive, whose content follows. */
export interface ArchivedFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** The most bytes of a stored block (RFC 1951 section 3.2.4), and those in front of it. */
const blockSize = 0xffff
const blockHead = 5

/** From this size on, sizes and places need 64 bits (ZIP64). */
const large = 0xffffffff

/** MS-DOS, because that is what every reader knows; 4.5 has ZIP64. */
const versions = { usual: 20, large: 45 } as const
/** The checksum and the sizes follow the content; names are UTF-8. */
const flags = 0x0808
const deflated = 8
const ofSizes = 1

const utf8 = new TextEncoder()

type Field = readonly [bytes: 2 | 4 | 8, value: number]

const bytesOf = (fields: ReadonlyArray<Field>, ...rest: ReadonlyArray<Uint8Array>): Uint8Array => {
  const view = new DataView(new ArrayBuffer(fields.reduce((all, [bytes]) => all + bytes, 0)))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true)
    else if (bytes === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += bytes
  }
  return joinedBytes([new Uint8Array(view.buffer), ...rest])
}

/** The date and the time of day as ZIP keeps them: from 1980 on, in steps of two seconds. */
const timeOf = (instant: string): readonly [Field, Field] => {
  const at = new Date(instant)
  return [
    [2, at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1],
    [2, Math.max(0, at.getUTCFullYear() - 1980) << 9 | (at.getUTCMonth() + 1) << 5 | at.getUTCDate()]
  ]
}

/** The bytes that content takes in blocks; an empty one is one block. */
const packedSize = (size: number): number => size + blockHead * Math.max(1, Math.ceil(size / blockSize))

/** The parts of an archive of one size, whatever is in it. */
const partsOf = (files: ReadonlyArray<ArchivedFile>, instant: string, isLarge: boolean) => {
  const version: Field = [2, isLarge ? versions.large : versions.usual]
  const width = isLarge ? 8 : 4
  const time = timeOf(instant)
  const named = files.map(({ name, size }) => ({ name: utf8.encode(name), size, packed: packedSize(size) }))

  const head = ({ name }: typeof named[number]): Uint8Array => {
    const extra = isLarge ? bytesOf([[2, ofSizes], [2, 16], [8, 0], [8, 0]]) : new Uint8Array()
    const sizes = isLarge ? large : 0
    return bytesOf(
      [[4, 0x04034b50], version, [2, flags], [2, deflated], ...time, [4, 0], [4, sizes], [4, sizes], [2, name.length], [
        2,
        extra.length
      ]],
      name,
      extra
    )
  }
  const tail = ({ packed, size }: typeof named[number], sum: number): Uint8Array =>
    bytesOf([[4, 0x08074b50], [4, sum], [width, packed], [width, size]])

  const directory = (sums: ReadonlyArray<number>): Uint8Array => {
    let at = 0
    const records = named.map((file, index) => {
      const { name, packed, size } = file
      const extra = isLarge ? bytesOf([[2, ofSizes], [2, 24], [8, size], [8, packed], [8, at]]) : new Uint8Array()
      const [shownPacked, shownSize, shownAt] = isLarge ? [large, large, large] : [packed, size, at]
      at += head(file).length + packed + tail(file, 0).length
      return bytesOf(
        [
          [4, 0x02014b50],
          version,
          version,
          [2, flags],
          [2, deflated],
          ...time,
          [4, sums[index]!],
          [4, shownPacked],
          [4, shownSize],
          [2, name.length],
          [2, extra.length],
          [2, 0],
          [2, 0],
          [2, 0],
          [4, 0],
          [4, shownAt]
        ],
        name,
        extra
      )
    })
    const length = records.reduce((all, record) => all + record.length, 0)
    const count = files.length
    const beyond = isLarge
      ? [
        bytesOf([[4, 0x06064b50], [8, 44], version, version, [4, 0], [4, 0], [8, count], [8, count], [8, length], [
          8,
          at
        ]]),
        bytesOf([[4, 0x07064b50], [4, 0], [8, at + length], [4, 1]])
      ]
      : []
    const place = isLarge ? large : at
    const end = bytesOf([[4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, length], [4, place], [2, 0]])
    return joinedBytes([...records, ...beyond, end])
  }

  const size = named.reduce((all, file) => all + head(file).length + file.packed + tail(file, 0).length, 0) +
    directory(files.map(() => 0)).length
  return { directory, head, named, size, tail }
}

/**
 * A ZIP archive that is written as a stream. Its size is known beforehand, and its bytes follow from the files alone:
 * they stand in it as they are, in the stored blocks of the compression that every reader knows, because readers of
 * streams refuse files without compression whose checksum follows them. `largeFrom`: for tests.
 */
export const zipArchive = (files: ReadonlyArray<ArchivedFile>, instant: string, largeFrom = large) => {
  const usual = partsOf(files, instant, false)
  const parts = usual.size < largeFrom ? usual : partsOf(files, instant, true)

  /** Puts the content of a file into blocks, piece by piece; answers the bytes of a piece. */
  const packer = (size: number) => {
    let at = 0
    let sum = 0
    const blockAt = (): Uint8Array => {
      const length = Math.min(blockSize, size - at)
      const head = bytesOf([[2, length], [2, length ^ 0xffff]])
      return joinedBytes([Uint8Array.of(at + length === size ? 1 : 0), head])
    }
    return {
      sum: () => sum,
      add: (piece: Uint8Array): Uint8Array => {
        const framed: Array<Uint8Array> = []
        for (let from = 0; from < piece.length;) {
          if (at % blockSize === 0) framed.push(blockAt())
          const until = Math.min(piece.length, from + blockSize - at % blockSize)
          framed.push(piece.subarray(from, until))
          at += until - from
          from = until
        }
        sum = crc32(piece, sum)
        return joinedBytes(framed)
      },
      /** The block of a file without content. */
      rest: (): Uint8Array => size === 0 ? blockAt() : new Uint8Array()
    }
  }

  const sums: Array<number> = []
  return {
    size: parts.size,
    /** Writes the next file: `head`, then what `add` makes of each piece of its content, then `tail`. */
    next: () => {
      const file = parts.named[sums.length]!
      const { add, rest, sum } = packer(file.size)
      return {
        head: parts.head(file),
        add,
        tail: (): Uint8Array => {
          const all = sum()
          sums.push(all)
          return joinedBytes([rest(), parts.tail(file, all)])
        }
      }
    },
    /** The bytes behind the last file. */
    end: (): Uint8Array => parts.directory(sums)
  }
}
