import { parseInstant } from "../../domain/ground/parsing/Instant.ts"
import { isDouble, parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import { asMeant, unquoted } from "../../domain/keys/security/PastedText.ts"
import { bindingOf } from "../../domain/licensing/entitlements/DeviceBinding.ts"
import { offlineAad, offlineInfo, offlineSizes } from "../../domain/licensing/offline/OfflineFormat.ts"
import { sha256Hex } from "../notes/checkpoint.ts"
import type { PublicKey } from "../notes/checkpoint.ts"
import { deepest, verifyEnvelope } from "./verifyEnvelope.ts"

/** The reason why an offline envelope was refused, beside those of `verifyEnvelope`. */
export type OfflineErrorCode =
  | "malformed"
  | "license_key_invalid"
  | "cannot_decrypt"
  | "device_mismatch"
  | "not_yet_valid"
  | "rolled_back"
  | "revoked"

/** An offline envelope that must not be trusted. */
export class OfflineError extends Error {
  override readonly name = "OfflineError"
  readonly code: OfflineErrorCode
  constructor(code: OfflineErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The conditions beside the signature. */
export interface ExpectedOffline {
  /** The code of the product that asks, so that a license of another product is refused. */
  readonly productCode?: string
  /** The highest `offlineCounter` that this device has accepted. Keep it, and an older envelope is refused. */
  readonly lastCounter?: number
  /** A revocation list that `verifyEnvelope` accepted: its `data`. Licenses, signing keys and files are looked up in it. */
  readonly revocations?: Readonly<Record<string, unknown>>
  /** The time to compare with, in Unix milliseconds. Default: this machine's clock. */
  readonly now?: number
  /** How far this machine's clock may be off, in seconds. Default: 60. */
  readonly clockSkewSeconds?: number
}

export interface VerifyOfflineOptions {
  /**
   * `data` of the answer of `POST /api/v1/license/offline`, or a `.lic` file; preferably as text or bytes: a name twice is
   * refused, and what mail programs and editors make of a file is read as what was sealed.
   */
  readonly envelope: unknown
  /** As the customer typed it. */
  readonly licenseKey: string
  /** `device_id` of the answer that activated this device. A machine that has no such answer gives its `fingerprint`. */
  readonly deviceId?: string
  /** The fingerprint of this machine, for a `.lic` file, which names its device itself. */
  readonly fingerprint?: string
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly expected?: ExpectedOffline
  /** Whether what the test environment signed is taken too. Only for builds that no customer gets. Default: false. */
  readonly allowTest?: boolean | undefined
}

/** An entitlement that may be relied on until its `valid_until`. */
export interface VerifiedOffline {
  readonly data: Readonly<Record<string, unknown>>
  readonly kid: string
  readonly offlineCounter: number
}

const malformed = () => new OfflineError("malformed", "The envelope is not {kid, salt, nonce, ciphertext}")

const bytesOf = (value: unknown, length?: number): Uint8Array<ArrayBuffer> => {
  const bytes = decodeBase64(value, length)
  if (bytes === undefined) throw malformed()
  return Uint8Array.from(bytes)
}

/** The longest text in which an envelope is looked for, in characters. */
const longestText = 1_000_000

/** Decodes quoted-printable of a mail (RFC 2045, 6.7), which an envelope shows by its padding. */
const fromQuotedPrintable = (text: string): string =>
  /=3D/i.test(text)
    ? text.replace(/= *\n/g, "").replace(
      /=([2-7][0-9A-F])/gi,
      (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))
    )
    : text

/**
 * The text of an envelope without what mail programs and editors made of it: a byte order mark, the marks of a quoted mail, lines
 * broken anywhere, quoted-printable, typographic quotation marks, and what stands around it. In an envelope itself there is no
 * white space. What was changed otherwise is found by its seal.
 */
const asSealed = (text: string): string => {
  const plain = fromQuotedPrintable(unquoted(asMeant(text))).replace(/[\u201c-\u201f\u00ab\u00bb]/g, "\"")
  return plain.slice(plain.indexOf("{"), plain.lastIndexOf("}") + 1).replace(/[ \n]/g, "")
}

/** A file as text: UTF-8, or UTF-16 by its byte order mark, as some editors save it. */
const textOf = (bytes: Uint8Array): string => {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8"
  return new TextDecoder(encoding).decode(bytes)
}

const parse = (text: string): unknown => parseInternetJson(text, isDouble, deepest)

/** Reads an envelope, as text or as the bytes of a file. Throws where it is none, or can be read in two ways. */
const readEnvelope = (envelope: string | Uint8Array): unknown => {
  const text = typeof envelope === "string" ? envelope : textOf(envelope)
  // JSON may have in a text what nobody sees, and an envelope has none.
  const isPlain = text.length > longestText || !/[^\0-~]/.test(text)
  try {
    return parse(isPlain ? text : asSealed(text))
  } catch (error) {
    if (!isPlain || text.length > longestText) throw error
    return parse(asSealed(text))
  }
}

/** The members of an envelope, as text, as bytes, or read. Throws an {@link OfflineError} for what is none. */
export const envelopeIn = (envelope: unknown): Readonly<Record<string, unknown>> => {
  let value = envelope
  if (typeof value === "string" || value instanceof Uint8Array) {
    try {
      value = readEnvelope(value)
    } catch {
      throw malformed()
    }
  }
  if (typeof value !== "object" || value === null) throw malformed()
  return value as Readonly<Record<string, unknown>>
}

const decrypt = async (
  licenseKey: string,
  salt: Uint8Array<ArrayBuffer>,
  iv: Uint8Array<ArrayBuffer>,
  additionalData: Uint8Array<ArrayBuffer>,
  ciphertext: Uint8Array<ArrayBuffer>
): Promise<string> => {
  const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode(licenseKey), "HKDF", false, [
    "deriveKey"
  ])
  const key = await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt, info: new TextEncoder().encode(offlineInfo) },
    secret,
    { name: "AES-GCM", length: 256 },
    false,
    ["decrypt"]
  )
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData, tagLength: 128 }, key, ciphertext)
    )
  } catch {
    throw new OfflineError("cannot_decrypt", "The envelope is for another license key or device, or it was changed")
  }
}

const lists = (revocations: ExpectedOffline["revocations"], member: string, id: unknown): boolean => {
  const ids = revocations?.[member]
  return Array.isArray(ids) && ids.includes(id)
}

/**
 * Opens an offline envelope (docs/reference/offline.md) and verifies what is in it: the key is derived from the license key
 * (HKDF-SHA-256, RFC 5869), the text is AES-256-GCM, and the entitlement inside is signed (Ed25519, RFC 8032). Needs no
 * secret of the vendor's and no network. Checks that it is for this device, still valid, no older than the last one
 * accepted, and not revoked by the list that is given. Rejects with an {@link OfflineError} or an `EnvelopeError`.
 */
export const verifyOffline = async (options: VerifyOfflineOptions): Promise<VerifiedOffline> => {
  const { allowTest, expected = {}, fingerprint, publicKeys } = options
  const { lastCounter, revocations, ...common } = expected
  const licenseKey = parseLicenseKey(options.licenseKey)
  if (licenseKey === undefined) throw new OfflineError("license_key_invalid", "This cannot be a license key")
  const { ciphertext, device_id, kid, nonce, salt } = envelopeIn(options.envelope)
  if (options.deviceId === undefined && fingerprint === undefined) {
    throw new OfflineError("device_mismatch", "Neither the device nor its fingerprint is known")
  }
  const deviceId = options.deviceId ?? device_id
  if (typeof deviceId !== "string") throw malformed()
  if (typeof kid !== "string") throw malformed()
  const body = await decrypt(
    licenseKey,
    bytesOf(salt, offlineSizes.salt),
    bytesOf(nonce, offlineSizes.nonce),
    new TextEncoder().encode(offlineAad(kid, deviceId)),
    bytesOf(ciphertext)
  )
  const { data, kid: signer } = await verifyEnvelope({ body, publicKeys, expected: common, allowTest })
  if (signer !== kid) throw new OfflineError("malformed", "The envelope names another key than the one that signed it")
  if (data["device_id"] !== deviceId) throw new OfflineError("device_mismatch", "The envelope is for another device")
  if (fingerprint !== undefined) {
    const hash = await sha256Hex(bindingOf({ fingerprint }).key)
    if (data["fingerprint_hash"] !== hash) {
      throw new OfflineError("device_mismatch", "The envelope is for a device with another fingerprint")
    }
  }
  const issued = parseInstant(data["issued_at"]) ?? Number.NaN
  const now = common.now ?? Date.now()
  // The clock of test may be ahead of every other.
  const latest = data["environment"] === undefined ? now + (common.clockSkewSeconds ?? 60) * 1000 : Infinity
  // Negated, so that an instant that is NaN is refused.
  if (!(issued <= latest)) {
    throw new OfflineError("not_yet_valid", "The envelope was issued later than this machine's clock says it is")
  }
  // A holder of a license key can seal any signed answer in an envelope; only answers for offline use have a counter.
  const offlineCounter = data["offline_counter"]
  if (typeof offlineCounter !== "number" || !Number.isSafeInteger(offlineCounter) || offlineCounter < 1) {
    throw new OfflineError("malformed", "The data in the envelope was not signed for an envelope: it has no counter")
  }
  if (lastCounter !== undefined && offlineCounter < lastCounter) {
    throw new OfflineError("rolled_back", "A newer envelope of this device was accepted before")
  }
  if (
    lists(revocations, "revoked_license_ids", data["license_id"]) || lists(revocations, "revoked_kids", kid) ||
    lists(revocations, "revoked_offline_files", data["offline_file_id"])
  ) {
    throw new OfflineError("revoked", "The license, the file or the key that signed the envelope was revoked")
  }
  return { data, kid, offlineCounter }
}
