import { Base64 } from "effect/encoding"
import type { OfflineEnvelope } from "../../../domain/licensing/offline/Offline.ts"
import { offlineAad, offlineInfo, offlineSizes } from "../../../domain/licensing/offline/OfflineFormat.ts"
import type { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"

const utf8 = new TextEncoder()

/** The content to seal, and for whom. */
interface Sealed {
  /** Normalised, as it was issued. */
  readonly licenseKey: string
  readonly kid: string
  readonly deviceId: string
  readonly answer: SignedAnswer
}

/** Seals a signed answer under a key that is derived from the license key (HKDF-SHA-256 of RFC 5869, AES-256-GCM). */
export const sealEnvelope = (
  crypto: Cryptography["Service"],
  { answer: { data, signature }, deviceId, kid, licenseKey }: Sealed
): OfflineEnvelope => {
  const salt = crypto.randomBytes(offlineSizes.salt)
  const nonce = crypto.randomBytes(offlineSizes.nonce)
  const ciphertext = crypto.aes256GcmEncrypt({
    key: crypto.hkdfSha256({ key: utf8.encode(licenseKey), salt, info: offlineInfo, length: 32 }),
    nonce,
    plaintext: utf8.encode(`{"data":${data},"signature":${JSON.stringify(signature)}}`),
    aad: utf8.encode(offlineAad(kid, deviceId))
  })
  return {
    kid,
    salt: Base64.encode(salt),
    nonce: Base64.encode(nonce),
    ciphertext: Base64.encode(ciphertext)
  }
}
