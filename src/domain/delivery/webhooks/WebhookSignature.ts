import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import { decodeHex } from "../../ground/parsing/StrictBytes.ts"
import * as Crockford from "../../ground/wire/Crockford.ts"
import { webhookSecretKeyBytes } from "../../keys/security/WebhookSecret.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"

/** HMAC-SHA-256, 32 bytes. A key or data that is a string stands for its UTF-8 bytes. */
export type HmacSha256 = (key: Uint8Array | string, data: string) => Uint8Array

/** The names of the headers of a delivery, as they are sent. */
export const headerNames = {
  signature: "X-Service-Signature",
  deliveryId: "X-Service-Delivery-ID",
  sequence: "X-Service-Event-Sequence",
  epoch: "X-Service-Event-Epoch",
  type: "X-Service-Event-Type",
  standardId: "webhook-id",
  standardTimestamp: "webhook-timestamp",
  standardSignature: "webhook-signature"
} as const

/**
 * The id of the delivery of an event to an endpoint: `dlv_` and 26 characters, the same on every attempt and after
 * every crash, with nothing stored. It is the first 128 bits of SHA-256(`<endpoint id>.<event id>`).
 */
export const deliveryId = (endpointId: string, eventId: string, sha256: Sha256): string =>
  `dlv_${Crockford.encode(sha256(`${endpointId}.${eventId}`).subarray(0, 16)).toLowerCase()}`

/** The signed text: `<unix seconds>.<delivery id>.<raw body>`, in UTF-8. */
export const signedString = (timestamp: number, deliveryId: string, rawBody: string): string =>
  `${timestamp}.${deliveryId}.${rawBody}`

/** The keys of a secret, decoded once instead of for each delivery. */
export interface SigningKeys {
  /** The key of `X-Service-Signature`: the UTF-8 bytes of the whole secret, a `whsec_` included. */
  readonly service: Uint8Array
  /** The key of `webhook-signature`: the decoded part of a secret that is `whsec_` and base64, otherwise the same bytes. */
  readonly standard: Uint8Array
}

const utf8 = new TextEncoder()

/** The keys of a secret. Throws a RangeError for a text that is no webhook secret; the message does not repeat it. */
export const signingKeys = (secret: string): SigningKeys => {
  const standard = webhookSecretKeyBytes(secret)
  if (standard === undefined) throw new RangeError("A webhook secret is malformed")
  return { service: utf8.encode(secret), standard }
}

/** The headers that every attempt has, whatever it delivers, while the log is in this epoch. */
export const fixedHeaders = (epoch: number, version: string): Readonly<Record<string, string>> => ({
  "accept-encoding": "identity",
  "content-type": "application/json",
  "user-agent": `Countersign/${version}`,
  [headerNames.epoch]: String(epoch)
})

/** The content of one attempt of a delivery, and the keys of the live secrets. `timestamp` is in Unix seconds. */
export interface Attempt {
  readonly deliveryId: string
  readonly sequence: number | bigint
  readonly type: string
  readonly timestamp: number
  readonly rawBody: string
  readonly keys: ReadonlyArray<SigningKeys>
}

type Signed = Pick<Attempt, "deliveryId" | "timestamp" | "rawBody" | "keys">

/** The value of `X-Service-Signature`: `t=<unix seconds>` and one `v1=<hex>` for each live secret. */
const serviceSignature = ({ deliveryId, keys, rawBody, timestamp }: Signed, hmac: HmacSha256): string => {
  const signed = signedString(timestamp, deliveryId, rawBody)
  return keys.reduce((header, { service }) => `${header},v1=${Hex.encode(hmac(service, signed))}`, `t=${timestamp}`)
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): `v1,<base64>` for each live secret, separated by spaces,
 * over `<delivery id>.<unix seconds>.<raw body>`.
 */
const standardSignature = ({ deliveryId, keys, rawBody, timestamp }: Signed, hmac: HmacSha256): string => {
  const signed = `${deliveryId}.${timestamp}.${rawBody}`
  return keys.map(({ standard }) => `v1,${Base64.encode(hmac(standard, signed))}`).join(" ")
}

/** Every header that identifies and signs one attempt, for both kinds of verifier, beside the `others` of a request. */
export const deliveryHeaders = (
  attempt: Attempt,
  hmac: HmacSha256,
  others?: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => ({
  ...others,
  [headerNames.deliveryId]: attempt.deliveryId,
  [headerNames.sequence]: `${attempt.sequence}`,
  [headerNames.type]: attempt.type,
  [headerNames.signature]: serviceSignature(attempt, hmac),
  [headerNames.standardId]: attempt.deliveryId,
  [headerNames.standardTimestamp]: `${attempt.timestamp}`,
  [headerNames.standardSignature]: standardSignature(attempt, hmac)
})

/** A parsed `X-Service-Signature`: Unix seconds, and the raw bytes of each `v1` signature. */
export interface ParsedSignature {
  readonly timestamp: number
  readonly signatures: ReadonlyArray<Uint8Array>
}

/**
 * Reads a `X-Service-Signature` value. Unknown schemes beside `v1` are passed over, so that a later one can be added.
 * Answers undefined when there is not exactly one `t` in whole seconds, no `v1`, or a `v1` that is not 64 hex digits.
 */
export const parseSignature = (header: string): ParsedSignature | undefined => {
  if (header.length > 4096) return undefined
  let timestamp: number | undefined
  const signatures: Array<Uint8Array> = []
  for (const part of header.split(",")) {
    const [scheme, value] = part.trim().split("=", 2)
    if (value === undefined) return undefined
    if (scheme === "t") {
      if (timestamp !== undefined || !/^\d{1,12}$/.test(value)) return undefined
      timestamp = Number(value)
    } else if (scheme === "v1") {
      const bytes = decodeHex(value, 32)
      if (bytes === undefined) return undefined
      signatures.push(bytes)
    }
  }
  return timestamp === undefined || signatures.length === 0 ? undefined : { timestamp, signatures }
}
