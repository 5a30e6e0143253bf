/** The bytes of a file to send: from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header (RFC 9110 section 14.2) for a file of `size` bytes. Undefined means the whole file: no header,
 * another unit, several ranges or nonsense, all of which a server may ignore. `unsatisfiable` is answered 416.
 */
export const byteRange = (header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined => {
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/i.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== "" && Number(last) < start) return undefined
  return start >= size ? "unsatisfiable" : { start, end }
}
