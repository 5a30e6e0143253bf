import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"

/** A key as `GET /api/v1/system/public-keys` lists it. Ship the list with the app, or fetch it over TLS. */
export interface PublicKey {
  readonly kid: string
  readonly algorithm: string
  /** Standard base64 of the 32 raw bytes. */
  readonly public_key: string
  /** A key that is said to be revoked verifies nothing. */
  readonly status?: string
  /** RFC 3339; of a key that was revoked. */
  readonly revoked_at?: string
  /** The log that introduced the key (`followLogKeys`), and by which event: it counts for checkpoints of this log that cover it. */
  readonly introduced?: { readonly origin: string; readonly size: number }
  /** Whether it signs the service's list of keys, as it is listed: no other list is believed by a program that ships it so. */
  readonly endorses?: boolean
}

/** A key that was revoked, as `revoked` of the same answer lists it. Its signatures prove nothing any more. */
export interface RevokedKey extends PublicKey {
  /** RFC 3339. */
  readonly revoked_at: string
}

/** The SHA-256 of the UTF-8 bytes of a text, in hex. */
export const sha256Hex = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** The 32 bytes of an Ed25519 key; undefined of any other key. */
export const rawKeyOf = ({ algorithm, public_key }: PublicKey): Uint8Array | undefined =>
  algorithm === "Ed25519" ? decodeBase64(public_key, 32) : undefined

/** Whether a key signed the UTF-8 bytes of a text (Ed25519, RFC 8032). */
export const verifies = async (rawKey: Uint8Array, text: string, signature: Uint8Array): Promise<boolean> => {
  if (signature.length !== 64) return false
  const key = await crypto.subtle.importKey("raw", Uint8Array.from(rawKey), "Ed25519", false, ["verify"])
  return crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), new TextEncoder().encode(text))
}

/** Whether a key is said to be revoked. */
const isRevoked = ({ revoked_at, status }: PublicKey): boolean => status === "revoked" || typeof revoked_at === "string"

/** The day on which a key was revoked, for messages; empty where the key does not say. */
export const onDay = ({ revoked_at }: PublicKey): string =>
  revoked_at === undefined ? "" : ` on ${revoked_at.slice(0, 10)}`

/**
 * The reason why a signature was refused. A revoked key is `unknown_key` like any other that verifies nothing: callers fetch the list of
 * keys again on that code, and refuse. What tells the two apart is `revokedAt` of the error.
 */
export type SignatureErrorCode = "malformed" | "unsupported_algorithm" | "unknown_key" | "signature_mismatch"

/**
 * The likely reason why no key fits, where something says of itself that it is of the test environment. Nobody has verified
 * that.
 */
const likelyReason = (claimed: unknown): string =>
  claimed === "test" ? ": it says that it is of the test environment, which signs with other keys" : ""

/**
 * Verifies a signature `{alg, kid, value}`, in which `alg` may be called `algorithm`: the algorithm must be exactly
 * Ed25519, the key must be among the public keys, and the signature must cover the text. Answers the text and the id of
 * the key. Otherwise throws the error that `refuse` makes from a code and a message, and of a revoked key from when that
 * was (RFC 3339); `what` names what was signed. A key that is said to be revoked anywhere in the list verifies nothing, and an entry that is no key stops no other.
 */
export const checkSignature = async (options: {
  readonly what: string
  readonly signature: unknown
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly text: () => string
  /** The member `environment` of what was signed, which nobody has verified. */
  readonly claimedEnvironment?: unknown
  readonly refuse: (code: SignatureErrorCode, message: string, revokedAt?: string) => Error
}): Promise<{ readonly kid: string; readonly text: string }> => {
  const { publicKeys, refuse, what } = options
  if (!isMembers(options.signature)) throw refuse("malformed", `The ${what} has no signature`)
  const { alg, algorithm = alg, kid, value } = options.signature
  if (alg !== "Ed25519" || algorithm !== "Ed25519") {
    throw refuse("unsupported_algorithm", `The ${what} is not signed with Ed25519`)
  }
  const named = publicKeys.filter((key) => isMembers(key) && key.kid === kid)
  const revoked = named.find(isRevoked)
  if (revoked !== undefined) {
    throw refuse(
      "unknown_key",
      `The ${what} is signed by a key that was revoked${onDay(revoked)}`,
      revoked.revoked_at
    )
  }
  // A list may have entries that are none of ours, also under the same id; the first that is a key counts.
  const published = named.find((key) => rawKeyOf(key) !== undefined)
  const rawKey = published && rawKeyOf(published)
  if (published === undefined || rawKey === undefined) {
    throw refuse(
      "unknown_key",
      `The ${what} is signed with a key that is not among the public keys${likelyReason(options.claimedEnvironment)}`
    )
  }
  const signature = decodeBase64(value, 64)
  if (signature === undefined) throw refuse("malformed", `The signature of the ${what} is not 64 bytes of base64`)
  const text = options.text()
  if (!await verifies(rawKey, text, signature)) {
    throw refuse("signature_mismatch", `The signature does not cover this ${what}`)
  }
  return { kid: published.kid, text }
}
