const polynomial = 0xedb88320

/** The checksum of each byte. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ polynomial
  return sum
})

/** The CRC-32 of ZIP files, of these bytes behind those of which `before` is the checksum. */
export const crc32 = (bytes: Uint8Array, before = 0): number => {
  let sum = ~before
  for (let at = 0; at < bytes.length; at++) sum = (sum >>> 8) ^ table[(sum ^ bytes[at]!) & 0xff]!
  return ~sum >>> 0
}
