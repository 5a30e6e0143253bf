import * as Base64 from "effect/encoding/Base64"

/**
 * The bytes of standard padded base64 in its one canonical form (RFC 4648 sections 3.5 and 4), of this length if one is
 * given; undefined of anything else: line breaks, missing padding, or bits that stand for nothing.
 */
export const decodeBase64 = (text: unknown, length?: number): Uint8Array | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = Base64.decode(text)
  return bytes._tag === "Success" && (length === undefined || bytes.success.length === length) &&
      Base64.encode(bytes.success) === text
    ? bytes.success
    : undefined
}
