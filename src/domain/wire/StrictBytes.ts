import * as Base64 from "effect/encoding/Base64"

/**
 * The bytes of standard padded base64 in its one canonical form (RFC 4648 sections 3.5 and 4), of this length if one is
 * given; undefined of anything else: line breaks, missing padding, or bits that stand for nothing.
 */
export const decodeBase64 = (text: unknown, length?: number): Uint8Array | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = decoded(text)
  return bytes !== undefined && (length === undefined || bytes.length === length) && Base64.encode(bytes) === text
    ? bytes
    : undefined
}

/** What the platform makes of a text; it takes more than the one form. */
const decoded = (text: string): Uint8Array | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** What a hexadecimal digit stands for, by its character code. */
const digit = (code: number): number => code <= 57 ? code - 48 : (code | 32) - 87

/**
 * The bytes of hexadecimal text in either case (RFC 4648 section 8), of this length if one is given; undefined of anything
 * else.
 */
export const decodeHex = (text: unknown, length?: number): Uint8Array | undefined => {
  if (typeof text !== "string" || text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return undefined
  if (length !== undefined && text.length !== 2 * length) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = digit(text.charCodeAt(2 * index)) << 4 | digit(text.charCodeAt(2 * index + 1))
  }
  return bytes
}
