import { encodeBase64 } from "./ByteTexts.ts"

/**
 * The bytes of standard padded base64 in its one canonical form (RFC 4648 sections 3.5 and 4), of this length if one is
 * given; undefined of anything else: line breaks, missing padding, or bits that stand for nothing.
 */
export const decodeBase64 = (text: unknown, length?: number): Uint8Array | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = decoded(text)
  return bytes !== undefined && (length === undefined || bytes.length === length) && encodeBase64(bytes) === text
    ? bytes
    : undefined
}

/**
 * The bytes of base64url without padding in its one canonical form (RFC 4648 sections 3.5 and 5); undefined of anything else.
 * Platforms read bits that stand for nothing as if they were not there, so that several texts would be one credential.
 */
export const decodeBase64Url = (text: string): Uint8Array | undefined => {
  if (!/^[\w-]*$/.test(text)) return undefined
  const padding = "=".repeat((4 - text.length % 4) % 4)
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding)
}

/** The platform's reading of a text, which accepts more than one form. */
const decoded = (text: string): Uint8Array | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The value of a hexadecimal digit, by its character code. */
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

/** Where bytes are not UTF-8, and what stands there. */
export interface StrayByte {
  /** From 0 on. */
  readonly offset: number
  readonly byte: number
}

/** How many bytes follow a first byte, and what the second one is at least and at most (RFC 3629 section 4). */
const following = (first: number): readonly [count: number, least: number, most: number] | undefined => {
  if (first >= 0xc2 && first <= 0xdf) return [1, 0x80, 0xbf]
  if (first >= 0xe0 && first <= 0xef) return [2, first === 0xe0 ? 0xa0 : 0x80, first === 0xed ? 0x9f : 0xbf]
  if (first >= 0xf0 && first <= 0xf4) return [3, first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf]
  return undefined
}

/** The first byte that is of no character of UTF-8 (RFC 3629); undefined where all are. */
export const strayByte = (bytes: Uint8Array): StrayByte | undefined => {
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at]!
    if (first < 0x80) continue
    const more = following(first)
    if (more === undefined) return { offset: at, byte: first }
    const [count, least, most] = more
    for (let index = 1; index <= count; index++) {
      const byte = bytes[at + index]
      const isRight = byte !== undefined && (index === 1 ? byte >= least && byte <= most : (byte & 0xc0) === 0x80)
      if (!isRight) return { offset: at, byte: first }
    }
    at += count
  }
  return undefined
}

/** A byte as people write it: 0xE9. */
export const byteText = (byte: number): string => `0x${byte.toString(16).toUpperCase().padStart(2, "0")}`
