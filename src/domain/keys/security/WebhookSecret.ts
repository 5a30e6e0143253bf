import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/** The form of a webhook secret: 16 to 128 printable characters. */
const webhookSecretShape = /^[^\p{C}\p{Zl}\p{Zp}]{16,128}$/u

/** Whether the text can be a webhook secret: one that we made, or 16 to 128 printable characters of somebody's own. */
export const isWebhookSecret = (text: string): boolean => webhookSecretShape.test(text)

/** The bytes of the padded standard base64 after `whsec_` (RFC 4648 section 4); undefined without it. */
const decodedPart = (secret: string): Uint8Array | undefined => {
  const text = secret.startsWith("whsec_") ? secret.slice(6) : undefined
  const bytes = text === undefined ? undefined : Result.getOrUndefined(Base64.decode(text))
  // The decoder is lenient; encoding again shows whether the text was canonical base64.
  return bytes !== undefined && Base64.encode(bytes) === text ? bytes : undefined
}

/**
 * The key of the Standard Webhooks signature: of a secret that is `whsec_` and padded standard base64 (RFC 4648
 * section 4) the decoded part, of any other its UTF-8 bytes. Answers undefined for a text that is no webhook secret.
 */
export const webhookSecretKeyBytes = (secret: string): Uint8Array | undefined => {
  if (!isWebhookSecret(secret)) return undefined
  return decodedPart(secret) ?? new TextEncoder().encode(secret)
}

/**
 * The reason why a webhook secret is refused, in words that complete `secret …`; undefined for a valid one.
 * Libraries of the Standard Webhooks decode what follows `whsec_` and refuse what is no padded standard base64 (RFC 4648
 * section 4), so nobody could verify with it. The message never repeats the secret.
 */
export const webhookSecretFault = (secret: string): string | undefined => {
  if (!isWebhookSecret(secret)) return "must be 16 to 128 printable characters"
  if (!secret.startsWith("whsec_") || decodedPart(secret) !== undefined) return undefined
  const cures = [
    /[-_]/.test(secret.slice(6)) ? "write + and / in place of - and _" : undefined,
    (secret.length - 6) % 4 === 0 ? undefined : "pad it with = to a multiple of 4 characters"
  ].filter((cure) => cure !== undefined)
  return "begins with whsec_, and what follows is not padded standard base64, which libraries for webhooks decode: " +
    `${[...cures, cures.length === 0 ? "encode the bytes again" : undefined].filter(Boolean).join(" and ")}, ` +
    "or leave out whsec_"
}

/** {@link webhookSecretFault} as a pattern of JSON Schema: canonical base64 behind `whsec_`, or another beginning. */
export const webhookSecretPattern =
  "^(?!whsec_)|^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"

/** A webhook secret from 24 to 64 random bytes: `whsec_<base64>`. Throws a RangeError for other lengths. */
export const formatWebhookSecret = (random: Uint8Array): string => {
  if (random.length < 24 || random.length > 64) {
    throw new RangeError(`A webhook secret needs 24 to 64 random bytes, not ${random.length}`)
  }
  return `whsec_${Base64.encode(random)}`
}

/**
 * The part of a webhook secret that may be stored and shown: its first 10 characters when it begins with `whsec_`,
 * otherwise its first 4.
 */
export const webhookSecretPrefix = (secret: string): string =>
  Array.from(secret).slice(0, secret.startsWith("whsec_") ? 10 : 4).join("")
