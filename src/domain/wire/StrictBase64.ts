/**
 * The bytes of standard padded base64 in its one canonical form (RFC 4648 sections 3.5 and 4), of this length if one is
 * given; undefined of anything else: line breaks, missing padding, or bits that stand for nothing.
 */
export const decodeBase64 = (text: unknown, length?: number): Uint8Array | undefined => {
  if (typeof text !== "string") return undefined
  try {
    const decoded = atob(text)
    // The platform's decoder forgives; encoding again shows what it forgave.
    if ((length !== undefined && decoded.length !== length) || btoa(decoded) !== text) return undefined
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
