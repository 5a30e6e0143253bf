import { Layer } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  verify
} from "node:crypto"
import type { KeyObject } from "node:crypto"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { makeSigner } from "./SigningThread.ts"

const tagLength = 16

/** The same bytes as a plain Uint8Array: a Buffer prints, compares and serialises differently. */
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)

/** RFC 8410: the DER prefix of the 32 bytes of an Ed25519 private (PKCS #8) or public key (SPKI). */
const privateKeyPrefix = Buffer.from("302e020100300506032b657004220420", "hex")
const publicKeyPrefix = Buffer.from("302a300506032b6570032100", "hex")

const privateKeyOf = (seed: Uint8Array): KeyObject => {
  if (seed.length !== 32) throw new RangeError(`An Ed25519 seed has 32 bytes, not ${seed.length}`)
  return createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: "der", type: "pkcs8" })
}

/** The public key of an Ed25519 seed, 32 bytes. */
export const ed25519PublicKey = (seed: Uint8Array): Uint8Array => {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" })
  return plain(spki.subarray(publicKeyPrefix.length))
}

/** Imported keys by their bytes, which are never changed in place: importing costs more than a hash. */
const secretKeys = new WeakMap<Uint8Array, KeyObject>()
const secretKeyOf = (key: Uint8Array): KeyObject => {
  const known = secretKeys.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(key)
  secretKeys.set(key, made)
  return made
}

const bytesOf = (data: string | Uint8Array): Uint8Array => typeof data === "string" ? Buffer.from(data) : data

const signTogether = makeSigner()

const cryptography = Cryptography.of({
  randomBytes: (length) => plain(randomBytes(length)),

  sha256: (...parts) =>
    plain(hash("sha256", parts.length === 1 ? parts[0]! : Buffer.concat(parts.map(bytesOf)), "buffer")),

  sha256Hex: (text) => hash("sha256", text, "hex"),

  sha256Stream: () => {
    const sum = createHash("sha256")
    return { update: (piece) => void sum.update(piece), digest: () => plain(sum.digest()) }
  },

  hmacSha256: (key, data) =>
    plain(createHmac("sha256", typeof key === "string" ? key : secretKeyOf(key)).update(data).digest()),

  timingSafeEqual: (a, b) => a.length === b.length && timingSafeEqual(a, b),

  hkdfSha256: ({ key, salt, info, length }) => new Uint8Array(hkdfSync("sha256", key, salt, info, length)),

  aes256GcmEncrypt: ({ key, nonce, plaintext, aad }) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength }).setAAD(aad)
    return plain(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]))
  },

  aes256GcmDecrypt: ({ key, nonce, ciphertext, aad }) => {
    const end = ciphertext.length - tagLength
    if (end < 0) return undefined
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
      .setAAD(aad)
      .setAuthTag(ciphertext.subarray(end))
    const text = decipher.update(ciphertext.subarray(0, end))
    try {
      return plain(Buffer.concat([text, decipher.final()]))
    } catch {
      return undefined
    }
  },

  ed25519Generate: () => {
    const seed = randomBytes(32)
    return { privateKey: plain(seed), publicKey: ed25519PublicKey(seed) }
  },

  ed25519Signer: (seed) => {
    const key = privateKeyOf(seed)
    return (message) => signTogether(key, message)
  },

  ed25519Verify: (publicKey, message, signature) => {
    if (publicKey.length !== 32 || signature.length !== 64) return false
    const key = createPublicKey({ key: Buffer.concat([publicKeyPrefix, publicKey]), format: "der", type: "spki" })
    return verify(null, message, key, signature)
  }
})

/** {@link Cryptography} on node:crypto. */
export const layer: Layer.Layer<Cryptography> = Layer.succeed(Cryptography, cryptography)
