import { createHash } from "node:crypto"

/** The measure of a stream: lines, which are rows, bytes and their digest. */
export interface Metered {
  readonly rows: number
  readonly bytes: number
  /** 64 hex digits. */
  readonly sha256: string
}

const newline = 10

/**
 * Counts and digests the chunks of a source while they pass. Text as COPY writes it has one line for each row,
 * because a newline within a value is escaped.
 */
export const makeMeter = (advance: (rows: number) => void) => {
  const hash = createHash("sha256")
  let rows = 0
  let bytes = 0
  const through = async function*(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const chunk of source) {
      let found = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) found += 1
      hash.update(chunk)
      rows += found
      bytes += chunk.length
      advance(found)
      yield chunk
    }
  }
  return {
    through,
    /** Reads a source to its end and discards it. */
    drain: async (source: AsyncIterable<Buffer>): Promise<void> => {
      for await (const _ of through(source)) { /** Counting is its only purpose. */ }
    },
    /** The sums, once the source has ended. */
    end: (): Metered => ({ rows, bytes, sha256: hash.digest("hex") })
  }
}
