/*
 * Bytes as text. The library's modules for it bring its runtime with them, 17 kB in verify.html and in the package for apps.
 */

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Bytes as lower-case hexadecimal digits (RFC 4648 section 8). */
export const encodeHex = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at++) text += pairs[bytes[at]!]
  return text
}

const codes = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const padding = 0x3d
const ascii = new TextDecoder()

/** Bytes as standard padded base64 (RFC 4648 section 4). Megabytes are one text that is written once. */
export const encodeBase64 = (bytes: Uint8Array): string => {
  const { length } = bytes
  const text = new Uint8Array(Math.ceil(length / 3) * 4)
  for (let at = 0, to = 0; at < length; at += 3, to += 4) {
    const bits = bytes[at]! << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0)
    text[to] = codes[bits >> 18]!
    text[to + 1] = codes[bits >> 12 & 63]!
    text[to + 2] = at + 1 < length ? codes[bits >> 6 & 63]! : padding
    text[to + 3] = at + 2 < length ? codes[bits & 63]! : padding
  }
  return ascii.decode(text)
}

/** Bytes one after another, in a buffer of their own. */
export const joinedBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
