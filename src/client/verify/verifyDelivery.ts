import { headerNames, parseSignature, signedString } from "../../domain/delivery/webhooks/WebhookSignature.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isWebhookSecret } from "../../domain/keys/security/WebhookSecret.ts"

/** The reason why a delivery was refused. */
export type DeliveryErrorCode =
  | "missing_header"
  | "malformed_header"
  | "timestamp_out_of_tolerance"
  | "signature_mismatch"
  | "malformed_body"

/** A delivery that must not be trusted. Answer it with 400 and do nothing else. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError"
  readonly code: DeliveryErrorCode
  constructor(code: DeliveryErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The body of a delivery. */
export interface DeliveredEvent {
  readonly id: string
  readonly type: string
  /** The same as `type`, by the name that the feed has for it. */
  readonly event_type: string
  readonly sequence: number
  /** `test` in everything of the test environment; absent in the live one. Do nothing real for it. */
  readonly environment?: string
  /** RFC 3339. */
  readonly created_at: string
  /** The resource as the event left it. */
  readonly data: Readonly<Record<string, unknown>>
}

/** A delivery that is genuine. `deliveryId` is the same each time it is repeated: use it to recognise duplicates. */
export interface VerifiedDelivery {
  readonly deliveryId: string
  readonly event: DeliveredEvent
}

/** Request headers: those of `fetch`, or an object as Node gives it. Names may be in any case. */
export type DeliveryHeaders =
  | Headers
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyDeliveryOptions {
  /** How old or how far ahead the timestamp may be, in seconds. Default: 300. */
  readonly tolerance?: number
  /** The time to compare with, in Unix milliseconds. Default: this machine's clock. */
  readonly now?: number
}

const readHeader = (headers: DeliveryHeaders, name: string): string => {
  const wanted = name.toLowerCase()
  const found = headers instanceof Headers
    ? headers.get(wanted)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === wanted)?.[1]
  const value = typeof found === "string" || found === null || found === undefined ? found : found.join(",")
  if (value === null || value === undefined || value === "") {
    throw new DeliveryError("missing_header", `The header ${name} is missing`)
  }
  return value
}

const encoder = new TextEncoder()

/**
 * The secrets that deliveries are verified with. An empty text is none. Throws a TypeError that names, and never repeats,
 * one that can be no secret: `null` from a table or a cut line would otherwise be a key that anybody can guess.
 */
export const liveSecrets = (secrets: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const given: ReadonlyArray<unknown> = [secrets].flat()
  const live = given.filter((secret, index): secret is string => {
    if (secret === "") return false
    if (typeof secret === "string" && isWebhookSecret(secret)) return true
    const kind = typeof secret === "string" ? `a text of ${secret.length}` : secret === null ? "null" : typeof secret
    throw new TypeError(`secrets[${index}] must be a webhook secret, 16 to 128 printable characters, and is ${kind}`)
  })
  if (live.length === 0) throw new TypeError("A delivery cannot be verified without a secret")
  return live
}

/**
 * Verifies one webhook delivery. `rawBody` must be the body exactly as it arrived, before any JSON parsing. `secrets`
 * are the live secrets of the endpoint; one that matches is enough, so that a rotation loses nothing. The comparison
 * takes constant time. Rejects with a {@link DeliveryError}, and with a TypeError for what can be no secret.
 */
export const verifyDelivery = async (
  rawBody: string | Uint8Array,
  headers: DeliveryHeaders,
  secrets: string | ReadonlyArray<string>,
  options: VerifyDeliveryOptions = {}
): Promise<VerifiedDelivery> => {
  const keys = liveSecrets(secrets)
  const deliveryId = readHeader(headers, headerNames.deliveryId)
  const parsed = parseSignature(readHeader(headers, headerNames.signature))
  if (parsed === undefined) {
    throw new DeliveryError("malformed_header", `The header ${headerNames.signature} cannot be read`)
  }
  const age = (options.now ?? Date.now()) / 1000 - parsed.timestamp
  // Negated, so that a tolerance or a time that is NaN is refused.
  if (!(Math.abs(age) <= (options.tolerance ?? 300))) {
    throw new DeliveryError("timestamp_out_of_tolerance", `The delivery was signed ${Math.round(age)} seconds ago`)
  }
  const body = typeof rawBody === "string" ? encoder.encode(rawBody) : rawBody
  const prefix = encoder.encode(signedString(parsed.timestamp, deliveryId, ""))
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  for (const secret of keys) {
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"])
    for (const signature of parsed.signatures) {
      // subtle.verify compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, Uint8Array.from(signature), signed)) {
        return { deliveryId, event: readBody(body) }
      }
    }
  }
  throw new DeliveryError("signature_mismatch", "No signature matches a secret")
}

const readBody = (body: Uint8Array): DeliveredEvent => {
  try {
    return parseInternetJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)) as DeliveredEvent
  } catch {
    throw new DeliveryError("malformed_body", "The body is not JSON, or JSON that can be read in two ways")
  }
}
