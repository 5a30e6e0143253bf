/** Crockford's base32 alphabet in value order: no I, L, O or U. */
export const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/**
 * Encodes bytes as upper-case Crockford base32, the most significant bit first. The bytes are read as one big-endian
 * number, so zero bits are added on the left: 15 bytes make 24 characters, 16 bytes make 26, and the order of the
 * bytes is the order of the text.
 */
export const encode = (bytes: Uint8Array): string => {
  let text = ""
  let pending = 0
  let bits = (5 - (bytes.length * 8) % 5) % 5
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[pending >>> bits]
      pending &= (1 << bits) - 1
    }
  }
  return text
}
