import { joinedBytes } from "../../domain/ground/parsing/ByteTexts.ts"

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
