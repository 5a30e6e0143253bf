/** Crockford's base32 alphabet in value order: no I, L, O or U. */
export const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const codesOf = (characters: string) => Uint8Array.from(characters, (character) => character.charCodeAt(0))
const upperCase = codesOf(alphabet)
const lowerCase = codesOf(alphabet.toLowerCase())

// Every request gets an id, so this works on codes, and makes one string.
const encodeWith = (characters: Uint8Array, bytes: Uint8Array): string => {
  const text = new Uint8Array(Math.ceil(bytes.length * 8 / 5))
  let length = 0
  let pending = 0
  let bits = (5 - (bytes.length * 8) % 5) % 5
  for (let index = 0; index < bytes.length; index++) {
    pending = (pending << 8) | bytes[index]!
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text[length++] = characters[pending >>> bits]!
      pending &= (1 << bits) - 1
    }
  }
  return Reflect.apply(String.fromCharCode, undefined, text)
}

/**
 * Encodes bytes as upper-case Crockford base32, the most significant bit first. The bytes are read as one big-endian
 * number, so zero bits are added on the left: 15 bytes make 24 characters, 16 bytes make 26, and the order of the
 * bytes is the order of the text.
 */
export const encode = (bytes: Uint8Array): string => encodeWith(upperCase, bytes)

/** {@link encode} in lower case. */
export const encodeLowerCase = (bytes: Uint8Array): string => encodeWith(lowerCase, bytes)

const values = new Int8Array(128)
for (let value = 0; value < upperCase.length; value++) values[upperCase[value]!] = value

/** The value of a character of the alphabet, by its position in a text. */
export const valueAt = (text: string, index: number): number => values[text.charCodeAt(index)]!
